#include "state_flags.hpp"

#include <jme/base/errors.hpp>

namespace jme::cli {

void StateFlags::attach(CLI::App& app) {
  const std::string group = "Durable runs";
  add_text(app, "--state", state, "DIR",
           "Keep the stream there: after a crash the same command goes on where it was")
      ->group(group);
  add_text(app, "--source", source, "NAME",
           "Whose data these are (default: default); jme ledger adds up what was spent on each source")
      ->group(group);
  add_text(app, "--stream", stream, "NAME", "Name of the stream, where a source has several")->group(group);
  add_text(app, "--commit-interval", commit_interval, "MS",
           "Releases of so many milliseconds share a commit (default 50; 0: a commit each)")
      ->group(group);
  app.add_flag("--leave-open", leave_open,
               "At the end of input leave a partial block for a longer input instead of ending the stream")
      ->group(group);
  add_text(app, "--max-mu", max_mu, "MU", "Start no stream that brings the source's total above this mu")
      ->group(group);
}

std::optional<DurableOptions> StateFlags::options() const {
  if (!state) {
    const auto refuse = [](std::string_view name) {
      throw InvalidParameter(name, "is for durable runs: give state as well");
    };
    if (source) refuse("source");
    if (stream) refuse("stream");
    if (commit_interval) refuse("commit-interval");
    if (leave_open) refuse("leave-open");
    if (max_mu) refuse("max-mu");
    return std::nullopt;
  }
  if (state->empty()) throw InvalidParameter("state", "the name of the folder is empty");
  DurableOptions options;
  options.directory = *state;
  if (source) options.source = *source;
  if (options.source.empty()) throw InvalidParameter("source", "the name is empty");
  if (stream) options.stream = *stream;
  if (commit_interval) {
    constexpr std::size_t hour = 3'600'000;
    const std::size_t milliseconds = parse_count("commit-interval", *commit_interval, 0);
    if (milliseconds > hour) throw InvalidParameter("commit-interval", *commit_interval, "at most an hour");
    options.commit_interval = std::chrono::milliseconds(milliseconds);
  }
  if (max_mu) options.max_mu = parse_positive("max-mu", *max_mu);
  return options;
}

}  // namespace jme::cli
