#pragma once

#include <string>
#include <string_view>

#include "experiments/items.hpp"

namespace jme::experiments {

/// The item's quick form, computed once per process.
const Figure& quick_figure(std::string_view item);

const Chart& chart_called(const Figure& figure, const std::string& name);
const Series& series_called(const Chart& chart, const std::string& name);
const Table& table_called(const Figure& figure, const std::string& name);
/// The cell under `column` of the first row that begins with these cells.
const std::string& cell(const Table& table, const std::vector<std::string>& row, const std::string& column);
/// The first claim whose statement contains `words`.
const Claim& claim_about(const Figure& figure, const std::string& words);

}  // namespace jme::experiments
