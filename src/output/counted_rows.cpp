#include "output/counted_rows.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <jme/base/parse.hpp>
#include <jme/output/privacy_statement.hpp>

namespace jme {

std::string window_name(const StreamConfig& config) {
  std::string words = window_words(config);
  if (words == "day" || words == "hour") return words;
  return fmt::format("{} of {}", config.participation.windows->steps == 1 ? "slot" : "window", words);
}

std::string statement_of_counted_rows(const StreamConfig& config) {
  return fmt::format(
      " Counts, means and everything else are about the rows that count{}, not about all rows. They differ "
      "from those of all rows where the first rows of a person differ from later ones, or people with many "
      "rows from people with few.",
      limit_of_person(config));
}

std::string statement_of_bad_rows(const RunDescription& run) {
  const std::vector<std::string> rules =
      run.missing.empty() ? std::vector<std::string>() : parse_list("missing", run.missing);
  const bool missing_ends = std::find(rules.begin(), rules.end(), "fail") != rules.end();
  constexpr const char* seen =
      "ends the run: readers of the releases see that it ended, and after which release, and no noise hides "
      "that there was such a record.";
  if (run.on_bad_row == OnBadRow::fail) return fmt::format("A record that cannot be used {}", seen);
  std::string text = "A record that cannot be used is a row without cells, and the run goes on.";
  return missing_ends ? fmt::format("{} A record with a missing cell {}", text, seen) : text;
}

std::string limit_of_person(const StreamConfig& config) {
  if (!config.persons_are_limited) return "";
  const std::optional<RowWindows>& windows = config.participation.windows;
  if (!windows) return fmt::format(" (at most {} per person)", config.participation.rows);
  const std::string in_all = windows->are_units ? "" : fmt::format(", {} in all", config.participation.rows);
  return fmt::format(" (at most {} per person and {}{})", windows->rows, window_name(config), in_all);
}

std::string counted_rows(const StreamConfig& config) {
  return config.persons_are_limited ? "rows that count" + limit_of_person(config) : "rows that exist";
}

}  // namespace jme
