#include "experiments/quick_figures.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "experiments/reproduction.hpp"

namespace jme::experiments {
namespace {

template <class Range, class Predicate>
const auto& found(const Range& range, const std::string& what, Predicate matches) {
  const auto it = std::find_if(range.begin(), range.end(), matches);
  if (it == range.end()) throw std::out_of_range("no " + what);
  return *it;
}

}  // namespace

const Figure& quick_figure(std::string_view item) {
  static std::map<std::string, Figure, std::less<>> figures;
  const auto known = figures.find(item);
  if (known != figures.end()) return known->second;
  return figures.emplace(item, item_called(item).compute({.quick = true})).first->second;
}

const Chart& chart_called(const Figure& figure, const std::string& name) {
  return found(figure.charts, name, [&](const Chart& chart) { return chart.name == name; });
}

const Series& series_called(const Chart& chart, const std::string& name) {
  return found(chart.series, name, [&](const Series& series) { return series.name == name; });
}

const Table& table_called(const Figure& figure, const std::string& name) {
  return found(figure.tables, name, [&](const Table& table) { return table.name == name; });
}

const std::string& cell(const Table& table, const std::vector<std::string>& row, const std::string& column) {
  const auto& cells = found(table.rows, row.front(), [&](const std::vector<std::string>& one) {
    return std::equal(row.begin(), row.end(), one.begin());
  });
  const auto it = std::find(table.columns.begin(), table.columns.end(), column);
  if (it == table.columns.end()) throw std::out_of_range("no column " + column);
  return cells.at(static_cast<std::size_t>(it - table.columns.begin()));
}

const Claim& claim_about(const Figure& figure, const std::string& words) {
  return found(figure.claims, words,
               [&](const Claim& claim) { return claim.statement.find(words) != std::string::npos; });
}

}  // namespace jme::experiments
