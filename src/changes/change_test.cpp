#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/changes/change_test.hpp>

namespace jme {
namespace {

constexpr std::size_t most_starts = 200;
constexpr std::size_t starts_per_doubling = 32;

/// Shifts of a fifteenth, a third and four thirds of a standard deviation of .3 in the unit box.
std::vector<double> shifts(double scale) {
  return {0.02 * scale, 0.1 * scale, 0.4 * scale};
}

std::vector<ChangeGrid::Start> even_starts(std::size_t steps) {
  const std::size_t distance = (steps + most_starts - 1) / most_starts;
  std::vector<ChangeGrid::Start> starts;
  for (std::size_t step = distance; step < steps; step += distance) starts.push_back({step, 0});
  for (ChangeGrid::Start& start : starts) start.weight = 1 / static_cast<double>(starts.size());
  return starts;
}

/// The starts from 2^e on share 1/((e+1)(e+2)), and these numbers add up to 1.
std::vector<ChangeGrid::Start> doubling_starts(std::size_t steps) {
  std::vector<ChangeGrid::Start> starts;
  double epoch = 0;
  for (std::size_t begin = 1; begin < steps; begin *= 2, ++epoch) {
    const std::size_t count = std::min(begin, starts_per_doubling), distance = begin / count;
    const double weight = 1 / (epoch + 1) / (epoch + 2) / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) starts.push_back({begin + i * distance, weight});
  }
  return starts;
}

void check(const ChangeGrid& grid) {
  double sum = 0;
  std::size_t before = 0;
  for (const ChangeGrid::Start& start : grid.starts) {
    if (start.step <= before || !(start.weight >= 0)) {
      throw InvalidParameter("starts", "must ascend from step 1 on and have weights of at least 0");
    }
    before = start.step;
    sum += start.weight;
  }
  if (sum > 1 + 1e-9) throw InvalidParameter("starts", "have weights that add up to more than 1");
  if (grid.shifts.empty()) throw InvalidParameter("shifts", "must be at least one");
}

/// log(e^a + e^b)
double log_sum(double a, double b) {
  const double high = std::max(a, b);
  if (high == -std::numeric_limits<double>::infinity()) return high;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

}  // namespace

ChangeGrid change_grid(const Horizon& horizon, double scale) {
  return {.starts = horizon.is_unbounded() ? doubling_starts(horizon.steps()) : even_starts(horizon.steps()),
          .shifts = shifts(scale)};
}

ChangeTest::ChangeTest(const Filter& c, double std, ChangeGrid grid)
    : grid_(std::move(grid)), whitening_(c, std) {
  check(grid_);
  whitening_.add_series();  // the data
  whitening_.add_series();  // what a mean of 1 would add
}

void ChangeTest::begin_due_terms() {
  while (terms_.size() < grid_.starts.size() && grid_.starts[terms_.size()].step <= step_) {
    const ChangeGrid::Start& start = grid_.starts[terms_.size()];
    terms_.push_back({.weight = start.weight, .step = start.step});
    pending_ -= start.weight;
    whitening_.add_series();
  }
}

double ChangeTest::log_mixture(const Term& term) const {
  double sum = -std::numeric_limits<double>::infinity();
  for (const double shift : grid_.shifts) {
    const double squared = shift * shift, spread = 1 + squared * term.v;
    sum = log_sum(sum, squared * term.m * term.m / (2 * spread) - std::log(spread) / 2);
  }
  return sum - std::log(static_cast<double>(grid_.shifts.size()));
}

void ChangeTest::next(double y, double k, double v) {
  begin_due_terms();
  values_.assign(terms_.size() + 2, k);
  values_[0] = y;
  whitening_.next(v, values_);
  // What the mean of the blocks before predicts is taken off, and its variance comes in: d'd so far is its
  // precision. The first block has no such mean and tells nothing.
  const double design = values_[1];
  if (design_squares_ > 0) {
    const double share = design / design_squares_;
    const double scale = 1 / std::sqrt(1 + design * share);
    const double residual = (values_[0] - share * data_mean_sum_) * scale;
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      Term& term = terms_[j];
      const double response = (values_[j + 2] - share * term.mean_sum) * scale;
      term.m += response * residual;
      term.v += response * response;
    }
  }
  design_squares_ += design * design;
  data_mean_sum_ += design * values_[0];
  log_e_ = std::log(std::max(pending_, 0.0));
  for (std::size_t j = 0; j < terms_.size(); ++j) {
    Term& term = terms_[j];
    term.mean_sum += design * values_[j + 2];
    term.log_e = log_mixture(term);
    if (term.weight > 0) log_e_ = log_sum(log_e_, std::log(term.weight) + term.log_e);
  }
  ++step_;
}

std::optional<std::size_t> ChangeTest::likely_start() const {
  if (terms_.empty()) return std::nullopt;
  const auto largest = std::max_element(terms_.begin(), terms_.end(),
                                        [](const Term& a, const Term& b) { return a.log_e < b.log_e; });
  return largest->step;
}

}  // namespace jme
