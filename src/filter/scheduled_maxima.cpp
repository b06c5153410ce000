#include "filter/scheduled_maxima.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "filter/scheduled_products.hpp"

namespace jme {
namespace {

constexpr std::size_t columns_in_leaf = 8;
/// A factor that covers the rounding of the products formed here; the rounding of the recursions is far
/// smaller (GUARANTEES.md).
constexpr double past_rounding = 1 + 0x1p-40;

}  // namespace

struct ScheduledMaxima::Search {
  std::size_t lag;
  double found = 0;
  std::size_t where = 0;
};

ScheduledMaxima::ScheduledMaxima(const Toeplitz& series, std::span<const double> squared_rows,
                                 std::vector<double> columns)
    : series_(series),
      squared_rows_(squared_rows.begin(), squared_rows.end()),
      columns_(std::move(columns)),
      earlier_(columns_),
      poles_are_positive_(std::ranges::none_of(series.modes, [](const Mode& mode) { return mode.pole < 0; })),
      leaves_(std::bit_ceil((columns_.size() + columns_in_leaf - 1) / columns_in_leaf)) {
  for (std::size_t i = 1; i < earlier_.size(); ++i) earlier_[i] = std::max(earlier_[i], earlier_[i - 1]);
  const std::size_t modes = series_.modes.size(), n = columns_.size();
  powers_.resize(modes);
  values_.resize(n * modes);
  for (std::size_t a = 0; a < modes; ++a) {
    // H_a(j) = w_a sum_m l_{j+m}^2 c_m p_a^m: a lag product whose later factor is the mode alone.
    const Mode& mode = series_.modes[a];
    std::vector<double> sums = mode_products(series_, squared_rows_, mode);
    for (std::size_t j = 0; j < n; ++j) values_[j * modes + a] = columns_[j] * sums[j];
  }
  largest_.assign(2 * leaves_ * modes, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    double* leaf = &largest_[(leaves_ + j / columns_in_leaf) * modes];
    for (std::size_t a = 0; a < modes; ++a) {
      const double value = values_[j * modes + a];
      leaf[a] = j % columns_in_leaf == 0 ? value : std::max(leaf[a], value);
    }
  }
  for (std::size_t node = leaves_; node-- > 1;) {
    for (std::size_t a = 0; a < modes; ++a) {
      largest_[node * modes + a] =
          std::max(largest_[2 * node * modes + a], largest_[(2 * node + 1) * modes + a]);
    }
  }
}

double ScheduledMaxima::product(std::size_t j) const {
  double sum = 0;
  for (std::size_t a = 0; a < powers_.size(); ++a) sum += powers_[a] * values_[j * powers_.size() + a];
  return sum;
}

// No product under the node is larger: earlier_ rises, and so does each mode's part with its maximum.
double ScheduledMaxima::bound(std::size_t node, std::size_t end, const Search& search) const {
  if (end <= search.lag) return 0;
  double sum = 0;
  for (std::size_t a = 0; a < powers_.size(); ++a) sum += powers_[a] * largest_[node * powers_.size() + a];
  return earlier_[std::min(end, columns_.size()) - 1 - search.lag] * sum * past_rounding;
}

void ScheduledMaxima::look(std::size_t node, std::size_t begin, std::size_t end, Search& search) const {
  if (begin >= columns_.size()) return;
  if (node >= leaves_) {
    for (std::size_t j = std::max(begin, search.lag); j < std::min(end, columns_.size()); ++j) {
      const double here = earlier_[j - search.lag] * product(j);
      if (here > search.found) {
        search.found = here;
        search.where = j;
      }
    }
    return;
  }
  const std::size_t middle = begin + (end - begin) / 2;
  const double left = bound(2 * node, middle, search), right = bound(2 * node + 1, end, search);
  // The more promising side comes first, so that what it finds may rule the other side out.
  if (right >= left && right > search.found) look(2 * node + 1, middle, end, search);
  if (left > search.found) look(2 * node, begin, middle, search);
  if (right < left && right > search.found) look(2 * node + 1, middle, end, search);
}

double ScheduledMaxima::scan(std::size_t lag) const {
  const std::vector<double> products = scheduled_products(series_, squared_rows_, lag);
  double largest = 0;
  for (std::size_t j = lag; j < columns_.size(); ++j) {
    largest = std::max(largest, earlier_[j - lag] * columns_[j] * products[j]);
  }
  return largest;
}

double ScheduledMaxima::at(std::size_t lag) {
  const std::size_t n = columns_.size(), taps = series_.taps.size();
  if (lag >= n) return 0;
  if (lag < taps || !poles_are_positive_) return scan(lag) * past_rounding;
  for (std::size_t a = 0; a < powers_.size(); ++a) {
    powers_[a] = std::pow(series_.modes[a].pole, static_cast<double>(lag - taps));
  }
  Search search{.lag = lag};
  // Neighbouring lags have their maxima in nearly the same place.
  const std::size_t moved = best_ + (lag - std::min(before_, lag));
  for (const std::size_t guess : {best_, moved}) {
    const std::size_t first = std::max(guess, lag) / columns_in_leaf * columns_in_leaf;
    if (guess < n) look(leaves_ + first / columns_in_leaf, first, first + columns_in_leaf, search);
  }
  look(1, 0, leaves_ * columns_in_leaf, search);
  best_ = search.where;
  before_ = lag;
  return search.found * past_rounding;
}

}  // namespace jme
