#include <cmath>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/data/npy.hpp>
#include <jme/inquiry/compare_answer.hpp>
#include <jme/inquiry/state_releases.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

std::string cell(const nlohmann::ordered_json& value, const char* format) {
  return value.is_number() ? fmt::format(fmt::runtime(format), value.get<double>()) : "-";
}

std::string window_words(const nlohmann::ordered_json& window) {
  if (window.contains("ends")) {
    return fmt::format("{} to {}", window["begins"].get<std::string>(), window["ends"].get<std::string>());
  }
  const auto after = window["after_t"].get<std::size_t>(), t = window["t"].get<std::size_t>();
  return after == 0 ? fmt::format("up to t={}", t) : fmt::format("after t={} up to t={}", after, t);
}

std::string comparison_text(const nlohmann::ordered_json& answer) {
  std::vector<std::vector<std::string>> rows{{"column", "before", "after", "change", "±", "p", "changed"}};
  for (std::size_t i = 0; i < answer["columns"].size(); ++i) {
    const auto& high = answer["interval"]["change"]["high"][i];
    const auto& change = answer["mean"]["change"][i];
    const auto half = high.is_number() ? nlohmann::ordered_json(high.get<double>() - change.get<double>())
                                       : nlohmann::ordered_json();
    const auto& changed = answer["changed"][i];
    rows.push_back({answer["columns"][i].get<std::string>(), cell(answer["mean"]["before"][i], "{:.5g}"),
                    cell(answer["mean"]["after"][i], "{:.5g}"), cell(change, "{:+.3g}"), cell(half, "{:.2g}"),
                    cell(answer["p"][i], "{:.2g}"),
                    changed.is_null()     ? "-"
                    : changed.get<bool>() ? "yes"
                                          : "no"});
  }
  using enum Align;
  return fmt::format("Means of rows {},\ncompared with rows {}\n\n", window_words(answer["to"]),
                     window_words(answer["from"])) +
         aligned(rows, {left, right, right, right, right, right, left}) + "\n± is half of a 95% interval. " +
         answer["statement"].get<std::string>() + "\n";
}

ReleasedRun released_by_file(const std::string& path) {
  if (path == "-") return read_released_run(std::cin, "standard input", read_npy_matrix);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidParameter("releases", path, "a file that can be read");
  return read_released_run(file, path, read_npy_matrix);
}

}  // namespace

CompareCommand::CompareCommand(CLI::App& root)
    : app_(root.add_subcommand("compare", "Whether the means changed between two releases of a run")) {
  add_text(*app_, "RELEASES", file_, "", "What jme run wrote; - is standard input");
  add_text(
      *app_, "--from", from_, "T",
      "The rows up to this release: its t or, with slots of time, when its slot ended; or A..B, the rows "
      "after A up to B")
      ->required();
  add_text(*app_, "--to", to_, "T",
           "Are compared with the rows after those, up to this release (default: the last one); or A..B");
  add_text(*app_, "--state", state_, "DIR", "Read the releases of a durable run in place of a file");
  add_text(*app_, "--source", source_, "NAME", "With --state: its source (default: default)");
  add_text(*app_, "--stream", stream_, "NAME", "With --state: its stream");
  app_->add_flag("--json", json_, "One JSON object");
  app_->footer(
      "Reads releases alone, so it costs no privacy. ± is half of a 95% interval of the change, with noise\n"
      "and sampling error. Where several columns are compared, changed is corrected by Holm's method.\n"
      "\nExamples:\n"
      "  d=$(mktemp -d); seq 1 4000 | jme run --no-header --bounds 1=0:4000 --epsilon 1 --delta 1e-6 --rows "
      "4000 --every 1000 >$d/out; jme compare $d/out --from 2000 --to 4000");
}

ExitCode CompareCommand::run() const {
  if (file_.has_value() == state_.has_value()) {
    throw InvalidParameter("releases", "must be given as a file or as --state DIR, and not as both");
  }
  if (!state_ && (source_ || stream_)) {
    throw InvalidParameter(source_ ? "source" : "stream", "is used together with state");
  }
  const ReleasedRun releases =
      state_ ? released_by_state(*state_, source_.value_or("default"), stream_.value_or(""), read_npy_matrix)
             : released_by_file(*file_);
  const nlohmann::ordered_json answer = compare_json(releases, {.from = *from_, .to = to_});
  Output().write(json_ ? json_line(answer) : comparison_text(answer));
  return ExitCode::ok;
}

}  // namespace jme::cli
