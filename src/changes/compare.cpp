#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/base/errors.hpp>
#include <jme/changes/compare.hpp>
#include <jme/changes/multiplicity.hpp>
#include <jme/models/divisors.hpp>
#include <jme/theory/increments.hpp>

namespace jme {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::size_t rows_of_block(const ReleasedSums& sums, const Mechanism& mechanism, std::size_t step) {
  const std::size_t regular = mechanism.horizon().rows_through(step);
  const std::size_t before = step == 0 ? 0 : mechanism.horizon().rows_through(step - 1);
  // A stream may end inside its last block.
  const bool is_last = step == sums.last_step();
  return std::min(regular, is_last ? sums.rows(step) : regular) - before;
}

/// Weights of a window's rows, in all.
BlockWeights weights_of(const Mechanism& mechanism, const ReleasedSums& sums, StepRange blocks) {
  BlockWeights total{};
  for (std::size_t step = blocks.begin; step < blocks.end; ++step) {
    const BlockWeights block =
        block_weights(mechanism.workload_first(), mechanism.horizon(), rows_of_block(sums, mechanism, step));
    total.sum += block.sum;
    total.squares += block.squares;
  }
  return total;
}

/// |C1^-T b| for a contrast that is `before` on all blocks of one window and `after` on those of the other.
class Contrast {
 public:
  Contrast(const Mechanism& mechanism, const TwoWindows& windows) : mechanism_(mechanism), windows_(windows) {
    const std::size_t steps = std::max(windows.before.end, windows.after.end);
    // Where both windows end, the rest of the matrix plays no part. The two vectors and their product
    // give every pair of weights.
    const std::vector<double> first = solved(windows.before, steps), second = solved(windows.after, steps);
    for (std::size_t i = 0; i < first.size(); ++i) {
      before_ += first[i] * first[i];
      after_ += second[i] * second[i];
      cross_ += first[i] * second[i];
    }
  }

  [[nodiscard]] double noise(double before, double after) const {
    const double squared = before * before * before_ + after * after * after_ + 2 * before * after * cross_;
    return std::sqrt(std::max(0.0, squared));
  }

 private:
  /// Indicator of a window's blocks, solved with C1'. PP adds its noise to rows.
  [[nodiscard]] std::vector<double> solved(StepRange blocks, std::size_t steps) const {
    const Horizon& horizon = mechanism_.horizon();
    std::vector<double> b;
    if (!squares_noisy_rows(mechanism_.config().method)) {
      b.resize(steps);
      std::fill_n(b.begin() + static_cast<std::ptrdiff_t>(blocks.begin), blocks.size(), 1.0);
    } else {
      b.resize(horizon.rows_through(steps - 1));
      for (std::size_t step = blocks.begin; step < blocks.end; ++step) {
        const std::size_t end = horizon.rows_through(step), rows = horizon.rows_in_step(step);
        for (std::size_t r = 0; r < rows; ++r) {
          b[end - 1 - r] = mechanism_.workload_first().weight_in_block(r);
        }
      }
    }
    return leading_steps(mechanism_.c1(), b.size()).solve_transposed(b);
  }

  const Mechanism& mechanism_;
  TwoWindows windows_;
  double before_ = 0, after_ = 0, cross_ = 0;
};

void check(StepRange window, const char* name) {
  if (window.begin >= window.end) throw InvalidParameter(name, "must have at least one release");
}

/// One window of one column, in the unit box.
struct WindowMean {
  double mean = unknown, rows = unknown;  ///< rows: the sum of their weights
  double weight_squares = 0;
};

WindowMean window_mean(const Mechanism& mechanism, const ReleasedSums& sums, const Contrast& contrast,
                       std::size_t column, StepRange blocks, bool is_after) {
  const ReleaseLayout& layout = sums.layout();
  const Calibration& noise = mechanism.calibration();
  WindowMean result;
  if (!layout.cell_counts && !layout.row_count) {
    const BlockWeights weights = weights_of(mechanism, sums, blocks);
    result.rows = weights.sum;
    result.weight_squares = weights.squares;
  } else {
    const std::size_t series = layout.cell_counts ? layout.dimension + column : layout.dimension;
    const double std = (layout.cell_counts ? noise.std_count : noise.std_rows) *
                       contrast.noise(is_after ? 0 : 1, is_after ? 1 : 0);
    const double count = sums.sum(series, blocks);
    if (!(count > known_above * std && count >= 0.5)) return result;
    result.rows = std::max(count, 1.0);
    result.weight_squares = result.rows;
  }
  result.mean = sums.sum(column, blocks) / result.rows;
  return result;
}

}  // namespace

RowVariance public_row_variance(const Mechanism& mechanism) {
  const StreamConfig& config = mechanism.config();
  const double bound = config.unit_box ? std::min(1.0, config.norm_bound * config.norm_bound)
                                       : config.norm_bound * config.norm_bound;
  return {.bound = std::vector<double>(config.dimension, bound)};
}

RowVariance released_row_variance(const Mechanism& mechanism, std::span<const double> variance,
                                  std::span<const double> noise_std) {
  RowVariance result = public_row_variance(mechanism);
  const double factor = bonferroni_factor(1);
  for (std::size_t i = 0; i < result.bound.size(); ++i) {
    const double upper = std::max(0.0, variance[i]) + factor * noise_std[i];
    if (!std::isfinite(upper)) continue;
    result.bound[i] = std::min(result.bound[i], upper);
    result.is_released = true;
  }
  return result;
}

std::vector<MeanChange> compare_means(const Mechanism& mechanism, const Units& units,
                                      const ReleasedSums& sums, const TwoWindows& windows,
                                      const RowVariance& variance) {
  check(windows.before, "from");
  check(windows.after, "to");
  if (windows.before.begin < windows.after.end && windows.after.begin < windows.before.end) {
    throw InvalidParameter("from", "and to must not overlap");
  }
  const Contrast contrast(mechanism, windows);
  const Calibration& noise = mechanism.calibration();
  const ReleaseLayout& layout = sums.layout();
  const double std_count = layout.cell_counts ? noise.std_count : layout.row_count ? noise.std_rows : 0;
  std::vector<MeanChange> result;
  std::vector<double> p;
  for (std::size_t i = 0; i < layout.dimension; ++i) {
    const WindowMean before = window_mean(mechanism, sums, contrast, i, windows.before, false);
    const WindowMean after = window_mean(mechanism, sums, contrast, i, windows.after, true);
    const double first = -1 / before.rows, second = 1 / after.rows;
    const double of_sums = noise.std_first * contrast.noise(first, second);
    const double of_counts = std_count * contrast.noise(first * before.mean, second * after.mean);
    const double noise_std = std::hypot(of_sums, of_counts);
    const double sampling =
        variance.bound[i] * (before.weight_squares * first * first + after.weight_squares * second * second);
    const double total = std::sqrt(noise_std * noise_std + sampling), change = after.mean - before.mean;
    const auto k = static_cast<Eigen::Index>(i);
    const double centre = units.centre(k), unit = units.half_width(k);
    p.push_back(two_sided_p(change / total));
    result.push_back({.before = centre + unit * before.mean,
                      .after = centre + unit * after.mean,
                      .change = unit * change,
                      .noise_std = unit * noise_std,
                      .half_width = unit * total * bonferroni_factor(1),
                      .p = p.back(),
                      .changed = false});
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].p = adjusted[i];
    result[i].changed = adjusted[i] <= 0.05;
  }
  return result;
}

}  // namespace jme
