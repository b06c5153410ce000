#include "durable_run.hpp"

#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "exit_codes.hpp"

namespace jme::cli {

namespace {

// Names of what rows are: the same numbers under other names are other data.
DurableOptions with_details(DurableOptions options, const RunDescription& run,
                            const std::vector<std::string>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    options.details.push_back({.name = fmt::format("column {}", i + 1), .value = columns[i]});
  }
  if (!run.bounds.is_none()) options.details.push_back({.name = "bounds", .value = run.bounds.text()});
  if (!run.missing.empty()) options.details.push_back({.name = "missing", .value = run.missing});
  if (!run.records.empty()) options.details.push_back({.name = "records", .value = run.records});
  if (run.insecure_seed) options.insecure_seed = InsecureTestSeed{*run.insecure_seed};
  return options;
}

}  // namespace

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

BeforeRead LiveInput::before_read() {
  return [this](int descriptor) {
    if (run_ != nullptr) {
      run_->wait_for(descriptor);
    } else {
      static_cast<void>(signals_.wait_readable(descriptor, std::nullopt));
    }
  };
}

DurableRun::DurableRun(const RunDescription& run, const std::vector<std::string>& columns,
                       DurableOptions options, bool leave_open, LiveInput& input, Publish publish)
    : stream_(run.mechanism, with_details(std::move(options), run, columns)),
      leave_open_(leave_open),
      input_(input),
      publish_(std::move(publish)) {
  input_.run_ = this;
}

DurableRun::~DurableRun() {
  input_.run_ = nullptr;
}

void DurableRun::push(std::span<const double> row, std::span<const double> as_read) {
  input_.signals_.check();
  stream_.push(row, as_read);
  drain();
}

void DurableRun::end_input() {
  stream_.end_input(leave_open_ ? DurableStream::PartialBlock::leave : DurableStream::PartialBlock::release);
  drain();
}

void DurableRun::flush() {
  stream_.commit();
  drain();
}

void DurableRun::stop() {
  flush();
  print_note(fmt::format("stopped; {} rows are committed: the same command goes on from there",
                         stream_.committed_rows()));
}

void DurableRun::wait_for(int descriptor) {
  const auto is_due = [&] {
    const auto due = stream_.commit_due();
    return due && std::chrono::steady_clock::now() >= *due;
  };
  do {
    if (is_due()) flush();
  } while (!input_.signals_.wait_readable(descriptor, stream_.commit_due()));
}

void DurableRun::drain() {
  while (const Release* release = stream_.next()) publish_(*release);
}

}  // namespace jme::cli
