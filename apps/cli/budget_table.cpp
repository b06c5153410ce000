#include "budget_table.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include <jme/output/privacy_statement.hpp>

#include "table.hpp"
#include "text_width.hpp"

namespace jme::cli {

namespace {

using Json = nlohmann::ordered_json;
using enum Align;

std::string half(const Json& value) {
  return value.is_null() ? "-" : fmt::format("{:.3g}", value.get<double>());
}

std::string figure(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || found->is_null()) return "-";
  return found->is_string() ? found->get<std::string>() : fmt::format("{:.6g}", found->get<double>());
}

/// The columns of the table that say which run a line is about.
struct Heading {
  const char* title;
  const char* key;
};

std::vector<Heading> headings(const Json& lines) {
  const auto has = [&](const char* key) {
    return std::ranges::any_of(lines, [&](const Json& line) { return line.contains(key); });
  };
  std::vector<Heading> result;
  for (const Heading& heading : {Heading{"epsilon", "epsilon"}, Heading{"sigma", "sigma"},
                                 Heading{"rows per person", "rows_per_person"}, Heading{"every", "every"},
                                 Heading{"releases", "releases"}, Heading{"rows", "rows"}}) {
    if (has(heading.key)) result.push_back(heading);
  }
  return result;
}

void add_line(std::vector<std::vector<std::string>>& rows, const std::vector<Heading>& heading,
              const Json& line, const Json& columns) {
  std::vector<std::string> first;
  for (const Heading& one : heading) first.push_back(figure(line, one.key));
  if (!line.contains("half_interval")) {
    rows.push_back(first);
    return;
  }
  const Json& halves = line["half_interval"];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::vector<std::string> row = i == 0 ? first : std::vector<std::string>(heading.size());
    row.push_back(plain(columns[i].get<std::string>()));
    row.push_back(half(halves["mean"][i]));
    row.push_back(half(halves["std"][i]));
    row.push_back(i == 0 ? half(halves["correlation"]) : "");
    rows.push_back(std::move(row));
  }
}

std::string reasons_of(const Json& lines) {
  std::vector<std::string> said;
  for (const Json& line : lines) {
    for (const auto& [what, why] : line["reasons"].items()) {
      const std::string text = fmt::format("- ({}): {}", what, why.get<std::string>());
      if (std::ranges::find(said, text) == said.end()) said.push_back(text);
    }
  }
  std::string text;
  for (const std::string& reason : said) text += wrapped({reason}, 100);
  return text;
}

const char* const explanation =
    "±: half of a 95% interval, in the column's units: in 95% of runs the released value is no farther from "
    "the value of the same rows without noise. mean, std: of a column; correlation: of two uncorrelated "
    "columns. All in the last release.";

std::string assumptions(const Json& expected) {
  std::vector<std::string> supposed;
  if (!expected.contains("mean")) {
    supposed.emplace_back(
        "means may be anywhere within the bounds, and the figures are for the worst place "
        "(--expect-mean says where)");
  }
  if (!expected.contains("std")) {
    supposed.emplace_back("a standard deviation is a sixth of the range (--expect-std says another)");
  }
  if (supposed.empty()) return "";
  return wrapped({fmt::format("Supposed: {}.", fmt::join(supposed, "; "))}, 100);
}

}  // namespace

std::string budget_table(const Json& answer) {
  const Json& lines = answer["lines"];
  const std::vector<Heading> heading = headings(lines);
  std::vector<std::string> titles;
  std::vector<Align> align;
  for (const Heading& one : heading) {
    titles.emplace_back(one.title);
    align.push_back(right);
  }
  titles.insert(titles.end(), {"column", "mean ±", "std ±", "correlation ±"});
  align.insert(align.end(), {left, right, right, right});
  std::vector<std::vector<std::string>> rows{titles};
  for (const Json& line : lines) add_line(rows, heading, line, answer["columns"]);
  std::string text = aligned(rows, align) + '\n' + wrapped({explanation}, 100) +
                     assumptions(answer["expected"]) + reasons_of(lines);
  if (lines.size() == 1 && lines[0].contains("command")) {
    text += fmt::format("\nRun: {}\n", lines[0]["command"].get<std::string>());
  }
  return text;
}

}  // namespace jme::cli
