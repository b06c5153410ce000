#include "filter/correlation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "filter/compensated_sum.hpp"
#include "filter/extended_fft.hpp"

namespace jme {
namespace {

using Real = ExtendedFft::Real;

constexpr std::size_t shortest_reach = std::size_t{1} << 10;
/// A factor that covers the rounding of a compensated sum of rounded products.
constexpr double past_sum = 1 + 0x1p-49;

std::span<const double> without_trailing_zeros(std::span<const double> values) {
  while (!values.empty() && values.back() == 0) values = values.first(values.size() - 1);
  return values;
}

double direct_sum(std::span<const double> a, std::span<const double> b, std::size_t lag) {
  if (lag >= b.size()) return 0;
  const std::size_t terms = std::min(a.size(), b.size() - lag);
  CompensatedSum sum;
  for (std::size_t k = 0; k < terms; ++k) sum.add(a[k] * b[k + lag]);
  return sum.value() * past_sum;
}

/// Norms of the part of b from each place on: by Cauchy and Schwarz no sum at that lag is larger than ||a||
/// times this norm.
std::vector<double> tail_norms(std::span<const double> b) {
  std::vector<double> norms(b.size() + 1, 0.0);
  CompensatedSum squares;
  for (std::size_t k = b.size(); k-- > 0;) {
    squares.add(b[k] * b[k]);
    norms[k] = std::sqrt(squares.value()) * past_sum;
  }
  return norms;
}

using Values = std::vector<ExtendedFft::Complex>;

/// Writes the part of `values` from `begin` on, with zeros after it. Returns its norm.
Real fill(Values& into, std::span<const double> values, std::size_t begin, std::size_t count) {
  Real squares = 0;
  for (std::size_t k = 0; k < into.size(); ++k) {
    const bool there = k < count && begin + k < values.size();
    into[k] = {.re = there ? static_cast<Real>(values[begin + k]) : 0, .im = 0};
    squares += into[k].re * into[k].re;
  }
  return std::sqrt(squares);
}

/// Sums for the lags first .. first + count - 1, block after block of a; all blocks share the inverse
/// transform.
///
/// A transform of N = 2^m numbers is wrong by at most m eta in the 2-norm, relatively, eta = mu + 4 sqrt2 u
/// for twiddle factors wrong by mu (Higham, Accuracy and Stability, 24.1); mu <= 8 u here. Two transforms,
/// their product and the inverse transform are then wrong by less than (3 m eta + 8 u) ||a|| ||b|| in every
/// sum; adding the spectra of B blocks adds B u of it.
class LagWindow {
 public:
  LagWindow(const ExtendedFft& fft, std::size_t count) : fft_(fft), count_(count) {}

  void run(std::span<const double> a, std::span<const double> b, std::size_t first) {
    sums_.assign(fft_.size(), {});
    error_ = 0;
    const std::size_t block = fft_.size() - count_;
    std::size_t blocks = 0;
    for (std::size_t begin = 0; begin < a.size() && begin + first < b.size(); begin += block, ++blocks) {
      const Real norm_a = fill(left_, a, begin, block);
      error_ += norm_a * fill(right_, b, begin + first, fft_.size());
      fft_.forward(left_);
      fft_.forward(right_);
      // The conjugate of conj(a) b, because the inverse transform is a forward transform of the conjugate.
      for (std::size_t k = 0; k < sums_.size(); ++k) {
        const auto &x = left_[k], &y = right_[k];
        sums_[k].re += x.re * y.re + x.im * y.im;
        sums_[k].im += x.im * y.re - x.re * y.im;
      }
    }
    fft_.forward(sums_);
    const auto levels = static_cast<Real>(std::bit_width(fft_.size()));
    constexpr Real u = std::numeric_limits<Real>::epsilon() / 2;
    error_ *= (64 * levels + static_cast<Real>(blocks)) * u;
  }

  /// The sum at lag `first` + offset, rounded up.
  [[nodiscard]] double bound(std::size_t offset) const {
    const Real sum = std::max<Real>(sums_[offset].re / static_cast<Real>(fft_.size()), 0) + error_;
    return static_cast<double>(sum) * past_sum;
  }

 private:
  const ExtendedFft& fft_;
  std::size_t count_;
  Values left_ = Values(fft_.size()), right_ = Values(fft_.size()), sums_;
  Real error_ = 0;
};

std::vector<double> transformed(std::span<const double> a, std::span<const double> b,
                                std::span<const std::size_t> lags, std::size_t largest_transform) {
  const std::size_t reach = std::min(b.size(), *std::ranges::max_element(lags) + 1);  // lags to cover
  std::size_t size = std::min(std::bit_ceil(a.size() + reach), largest_transform);
  // For few lags, many short blocks cost less than one long block.
  size = std::min(size, std::bit_ceil(4 * std::max(reach, shortest_reach)));
  const ExtendedFft fft(size);
  const std::size_t window = std::min(reach, size / 2);
  const std::vector<double> tails = tail_norms(b);
  const double norm_a = tail_norms(a).front();
  std::vector<double> bounds(lags.size(), 0.0);
  LagWindow sums(fft, window);
  for (std::size_t first = 0; first < reach; first += window) {
    sums.run(a, b, first);
    for (std::size_t i = 0; i < lags.size(); ++i) {
      if (lags[i] < first || lags[i] >= std::min(first + window, reach)) continue;
      bounds[i] = std::min(sums.bound(lags[i] - first), norm_a * tails[lags[i]] * past_sum);
    }
  }
  return bounds;
}

}  // namespace

std::vector<double> correlation_bounds(std::span<const double> a, std::span<const double> b,
                                       std::span<const std::size_t> lags, const CorrelationLimits& limits) {
  a = without_trailing_zeros(a);
  b = without_trailing_zeros(b);
  if (a.empty() || b.empty() || lags.empty()) return std::vector<double>(lags.size(), 0.0);
  if (lags.size() > limits.direct_terms / std::min(a.size(), b.size())) {
    return transformed(a, b, lags, limits.largest_transform);
  }
  std::vector<double> bounds;
  bounds.reserve(lags.size());
  for (const std::size_t lag : lags) bounds.push_back(direct_sum(a, b, lag));
  return bounds;
}

}  // namespace jme
