#include "state.hpp"

#include <chrono>

#include <jme/base/errors.hpp>

#include "parse.hpp"

namespace jme::cli {

std::optional<DurableOptions> durable_options(const RunSettings& settings) {
  const Text &state = settings["state"], &source = settings["source"], &stream = settings["stream"],
             &commit_interval = settings["commit_interval"], &max_mu = settings["max_mu"];
  if (!state) {
    const auto refuse = [](std::string_view name) {
      throw InvalidParameter(name, "is for durable runs: give state as well");
    };
    if (source) refuse("source");
    if (stream) refuse("stream");
    if (commit_interval) refuse("commit-interval");
    if (settings.is_on("leave_open")) refuse("leave-open");
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
