#include "experiments/csv.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace jme::experiments {
namespace {

std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + '"';
}

std::string line(const std::vector<std::string>& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + cell(cells[i]);
  return text + '\n';
}

std::string number(const std::vector<double>& values, std::size_t at) {
  return at < values.size() ? fmt::format("{}", values[at]) : std::string();
}

}  // namespace

std::string csv_of(const Chart& chart) {
  std::string text =
      line({"series", chart.x.label, chart.y.label, "standard error", "standard deviation", "low", "high"});
  for (const Series& series : chart.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      text += line({series.name, number(series.x, i), number(series.y, i), number(series.std_error, i),
                    number(series.deviation, i), number(series.low, i), number(series.high, i)});
    }
  }
  return text;
}

std::string csv_of(const Table& table) {
  std::string text = line(table.columns);
  for (const auto& row : table.rows) text += line(row);
  return text;
}

}  // namespace jme::experiments
