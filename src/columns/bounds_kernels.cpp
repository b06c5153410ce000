// Highway compiles this file once for every SIMD target and chooses at run time.
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "columns/bounds_kernels.cpp"
#include "columns/bounds_kernels.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Tag>;

/// What each lane of each vector needs: cells come one row after another, so that after `period` cells a
/// vector begins at the same column again.
struct Lanes {
  std::vector<double> centre, half_width, low, high, below, above;
};

Lanes LanesOf(const MappedColumns& columns, std::size_t period) {
  const auto repeated = [&](std::span<const double> values) {
    std::vector<double> all(period);
    for (std::size_t k = 0; k < period; ++k) all[k] = values[k % values.size()];
    return all;
  };
  return {repeated(columns.centre), repeated(columns.half_width), repeated(columns.low),
          repeated(columns.high),   std::vector<double>(period),  std::vector<double>(period)};
}

/// `count` vectors of cells, each of which has its own lanes.
void MapVectors(Lanes& lanes, double* HWY_RESTRICT cells, std::size_t count) {
  const Tag d;
  const std::size_t n = hn::Lanes(d);
  const Vec one = hn::Set(d, 1.0);
  for (std::size_t k = 0; k < count * n; k += n) {
    const Vec x = hn::LoadU(d, cells + k);
    const Vec unit = hn::Div(hn::Sub(x, hn::LoadU(d, &lanes.centre[k])), hn::LoadU(d, &lanes.half_width[k]));
    hn::StoreU(hn::Min(hn::Max(unit, hn::Neg(one)), one), d, cells + k);
    const Vec is_below = hn::IfThenElseZero(hn::Lt(x, hn::LoadU(d, &lanes.low[k])), one);
    const Vec is_above = hn::IfThenElseZero(hn::Gt(x, hn::LoadU(d, &lanes.high[k])), one);
    hn::StoreU(hn::Add(hn::LoadU(d, &lanes.below[k]), is_below), d, &lanes.below[k]);
    hn::StoreU(hn::Add(hn::LoadU(d, &lanes.above[k]), is_above), d, &lanes.above[k]);
  }
}

void MapCell(Lanes& lanes, std::size_t k, double& cell) {
  const double x = cell;
  cell = std::clamp((x - lanes.centre[k]) / lanes.half_width[k], -1.0, 1.0);
  lanes.below[k] += x < lanes.low[k] ? 1 : 0;
  lanes.above[k] += x > lanes.high[k] ? 1 : 0;
}

void MapAndCountRows(const MappedColumns& columns, std::span<double> rows, std::span<double> below,
                     std::span<double> above) {
  const Tag d;
  const std::size_t n = hn::Lanes(d), width = columns.centre.size();
  // For many columns or few rows a period of one row, whose last cells are then mapped one by one.
  constexpr std::size_t longest_period = 512, fewest_periods = 8;
  const std::size_t common = std::lcm(width, n);
  const bool is_worth_it = common <= longest_period && rows.size() >= fewest_periods * common;
  const std::size_t period = is_worth_it ? common : width;
  Lanes lanes = LanesOf(columns, period);
  for (std::size_t begin = 0; begin < rows.size(); begin += period) {
    const std::size_t cells = std::min(period, rows.size() - begin), whole = cells / n;
    MapVectors(lanes, &rows[begin], whole);
    for (std::size_t k = whole * n; k < cells; ++k) MapCell(lanes, k, rows[begin + k]);
  }
  for (std::size_t k = 0; k < period; ++k) {
    below[k % width] += lanes.below[k];
    above[k % width] += lanes.above[k];
  }
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme {

HWY_EXPORT(MapAndCountRows);

void map_and_count_rows(const MappedColumns& columns, std::span<double> rows, std::span<double> below,
                        std::span<double> above) {
  HWY_DYNAMIC_DISPATCH(MapAndCountRows)(columns, rows, below, above);
}

}  // namespace jme
#endif
