#include "audit/block_values.hpp"

#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/changes/released_sums.hpp>
#include <jme/moments/row_map.hpp>
#include <jme/moments/wide_int.hpp>

#include "moments/lattice_row.hpp"

namespace jme::audit {
namespace {

Eigen::Index at(std::size_t index) {
  return static_cast<Eigen::Index>(index);
}

BlockValues zeros(const ReleaseLayout& layout) {
  const bool has_second = layout.second != SecondMoment::none;
  return {.first = Eigen::VectorXd::Zero(at(layout.first_size())),
          .second = Eigen::VectorXd::Zero(has_second ? at(layout.second_size()) : 0)};
}

double rounded_shift(WideInt sum, unsigned bits) {
  return static_cast<double>((sum + (WideInt{1} << (bits - 1))) >> bits);
}

/// Sums of one block, in whole numbers where all rows weigh the same.
class Block {
 public:
  Block(const Mechanism& mechanism, const RowMap& map)
      : mechanism_(mechanism),
        map_(map),
        layout_(map.layout),
        sums_(zeros(layout_)),
        products_(layout_.moment_size(), 0),
        pairs_(layout_.count_of_pairs(), 0),
        units_(layout_.first_size()) {
    const Horizon& horizon = mechanism.horizon();
    const Workload &first = mechanism.workload_first(), &second = mechanism.workload_second();
    weight_first_ = first.weighs_rows(horizon) ? first.weight_in_block(1) : 1;
    weight_second_ = second.weighs_rows(horizon) ? second.weight_in_block(1) : 1;
  }

  void add(std::span<const double> row) {
    snap_row(map_, row, units_);
    sums_.first *= weight_first_;
    for (std::size_t i = 0; i < units_.size(); ++i) sums_.first(at(i)) += units_[i];
    if (layout_.second == SecondMoment::none) return;
    if (weight_second_ != 1) sums_.second *= weight_second_;
    for_each_product([&](std::size_t k, std::size_t i, std::size_t j) {
      if (weight_second_ != 1) sums_.second(at(k)) += units_[i] * units_[j];
      products_[k] += WideInt{static_cast<std::int64_t>(units_[i])} * static_cast<std::int64_t>(units_[j]);
    });
    const std::size_t d = layout_.dimension;
    std::size_t k = 0;
    for (std::size_t i = 0; i < d && !pairs_.empty(); ++i) {
      for (std::size_t j = i + 1; j < d; ++j, ++k) {
        const double both = units_[d + i] * units_[d + j];
        if (weight_second_ != 1) sums_.second(at(layout_.moment_size() + k)) += both;
        pairs_[k] += static_cast<std::int64_t>(both);
      }
    }
  }

  [[nodiscard]] BlockValues values() const {
    const Lattice& lattice = mechanism_.lattice();
    const unsigned bits = lattice.product_bits;
    BlockValues result = sums_;
    if (weight_first_ != 1) result.first = (result.first.array() + 0.5).floor();
    const auto product = [&](std::size_t k, WideInt exact) {
      return weight_second_ == 1 ? rounded_shift(exact, bits)
                                 : std::floor(std::ldexp(sums_.second(at(k)), -static_cast<int>(bits)) + 0.5);
    };
    WideInt trace = 0;
    double trace_of_reals = 0;
    if (layout_.second != SecondMoment::none) {
      for_each_product([&](std::size_t k, std::size_t i, std::size_t j) {
        result.second(at(k)) = product(k, products_[k]);
        if (i != j) return;
        trace += products_[k];
        trace_of_reals += sums_.second(at(k));
      });
      for (std::size_t k = 0; k < pairs_.size(); ++k) {
        const std::size_t entry = layout_.moment_size() + k;
        result.second(at(entry)) = product(entry, pairs_[k]);
      }
      if (layout_.trace) {
        result.second(result.second.size() - 1) =
            weight_second_ == 1 ? rounded_shift(trace, bits)
                                : std::floor(std::ldexp(trace_of_reals, -static_cast<int>(bits)) + 0.5);
      }
    }
    return scaled(mechanism_, result);
  }

  static BlockValues scaled(const Mechanism& mechanism, BlockValues units) {
    const BlockValues lattice = lattice_units(mechanism);
    units.first.array() *= lattice.first.array();
    units.second.array() *= lattice.second.array();
    return units;
  }

 private:
  template <class Visit>
  void for_each_product(const Visit& visit) const {
    const std::size_t d = layout_.dimension;
    const bool full = layout_.second == SecondMoment::full;
    std::size_t k = 0;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i; j < (full ? d : i + 1); ++j) visit(k++, i, j);
    }
  }

  const Mechanism& mechanism_;
  const RowMap& map_;
  const ReleaseLayout& layout_;
  BlockValues sums_;
  std::vector<WideInt> products_, pairs_;
  std::vector<double> units_;
  double weight_first_ = 1, weight_second_ = 1;
};

BlockValues values_of(const Mechanism& mechanism, const BlockSum& block) {
  const ReleaseLayout layout = ReleaseLayout::of(mechanism);
  const unsigned bits = mechanism.lattice().product_bits;
  BlockValues units = zeros(layout);
  for (std::size_t i = 0; i < layout.first_size(); ++i) {
    units.first(at(i)) = static_cast<double>(BlockSum::saturated(block.first()[i]));
  }
  if (layout.second == SecondMoment::none) return units;
  const std::size_t d = layout.dimension;
  const bool full = layout.second == SecondMoment::full;
  WideInt trace = 0;
  for (std::size_t i = 0, k = 0; i < d; ++i) {
    for (std::size_t j = i; j < (full ? d : i + 1); ++j, ++k) {
      const WideInt product = BlockSum::saturated(block.products()[k]);
      units.second(at(k)) = rounded_shift(product, bits);
      if (i == j) trace += product;
      if (i == j || !layout.cell_counts) continue;
      units.second(at(layout.moment_size() + pair_index(i, j, d))) =
          rounded_shift(BlockSum::saturated(block.pairs()[k]), bits);
    }
  }
  if (layout.trace) units.second(units.second.size() - 1) = rounded_shift(trace, bits);
  return units;
}

}  // namespace

BlockValues lattice_units(const Mechanism& mechanism) {
  const ReleaseLayout layout = ReleaseLayout::of(mechanism);
  BlockValues result = zeros(layout);
  result.first.setConstant(1 / lattice_one);  // counts
  result.first.head(at(layout.dimension)).setConstant(mechanism.lattice().first);
  result.second.setConstant(mechanism.lattice().second);
  return result;
}

BlockValues deviations(const Mechanism& mechanism) {
  const ReleaseLayout layout = ReleaseLayout::of(mechanism);
  const Calibration& noise = mechanism.calibration();
  BlockValues result = zeros(layout);
  result.first.setConstant(noise.std_count);
  result.first.head(at(layout.dimension)).setConstant(noise.std_first);
  if (layout.row_count) result.first(result.first.size() - 1) = noise.std_rows;
  if (layout.second == SecondMoment::none) return result;
  const bool full = layout.second == SecondMoment::full;
  result.second.setConstant(noise.std_pair_count);
  result.second.head(at(layout.moment_size())).setConstant(noise.std_off_diagonal);
  for (std::size_t i = 0; i < layout.dimension; ++i) {
    result.second(at(full ? packed_index(i, i, layout.dimension) : i)) = noise.std_second;
  }
  if (layout.trace) result.second(result.second.size() - 1) = noise.std_trace;
  return result;
}

BlockValues row_values(const Mechanism& mechanism, std::span<const double> row) {
  const RowMap map = RowMap::of(mechanism);
  Block block(mechanism, map);
  block.add(row);
  return block.values();
}

std::vector<BlockValues> block_values(const Mechanism& mechanism, const GivenToStream& given) {
  std::vector<BlockValues> result;
  for (const BlockSum& block : given.blocks) {
    result.push_back(Block::scaled(mechanism, values_of(mechanism, block)));
  }
  const RowMap map = RowMap::of(mechanism);
  const std::size_t every = mechanism.horizon().every();
  for (std::size_t begin = 0; begin < given.rows(); begin += every) {
    Block block(mechanism, map);
    for (std::size_t row = begin; row < std::min(given.rows(), begin + every); ++row) {
      block.add(given.row(row));
    }
    result.push_back(block.values());
  }
  return result;
}

BlockValues released_values(const Mechanism& mechanism, const Release& release) {
  const ReleaseLayout layout = ReleaseLayout::of(mechanism);
  BlockValues result = zeros(layout);
  const auto put = [](Eigen::VectorXd& to, std::size_t& k, std::span<const double> values) {
    for (const double value : values) to(at(k++)) = value;
  };
  std::size_t k = 0;
  put(result.first, k, release.first());
  put(result.first, k, release.counts());
  if (release.row_count()) result.first(at(k)) = *release.row_count();
  if (layout.second == SecondMoment::none) return result;
  k = 0;
  put(result.second, k, release.second());
  put(result.second, k, release.pair_counts());
  if (!release.trace()) return result;
  result.second(at(k)) = *release.trace();
  // Every diagonal entry moved by the same share of the trace less the sum of the diagonal as it was drawn.
  const std::size_t d = layout.dimension;
  const double share = mechanism.calibration().trace_share, trace = *release.trace();
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) sum += result.second(at(packed_index(i, i, d)));
  const double drawn = (sum - static_cast<double>(d) * share * trace) / (1 - static_cast<double>(d) * share);
  for (std::size_t i = 0; i < d; ++i) result.second(at(packed_index(i, i, d))) -= share * (trace - drawn);
  return result;
}

std::vector<BlockValues> increments(const Mechanism& mechanism, const std::vector<BlockValues>& released,
                                    const std::vector<std::size_t>& rows) {
  std::vector<BlockValues> result(released);
  const auto channel = [&](const Workload& workload, Eigen::VectorXd BlockValues::*part) {
    const Eigen::Index size = (released.front().*part).size();
    for (Eigen::Index i = 0; i < size; ++i) {
      Increments series(workload, mechanism.horizon());
      for (std::size_t t = 0; t < released.size(); ++t) {
        const double value = (released[t].*part)(i)*workload.rows_per_weight(rows[t]);
        (result[t].*part)(i) = series.next(t, rows[t], value);
      }
    }
  };
  channel(mechanism.workload_first(), &BlockValues::first);
  if (mechanism.has_second()) channel(mechanism.workload_second(), &BlockValues::second);
  return result;
}

}  // namespace jme::audit
