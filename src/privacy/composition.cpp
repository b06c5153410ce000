#include "privacy/composition.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include <unsupported/Eigen/FFT>

#include "privacy/subsampled_checks.hpp"

namespace jme::privacy {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unit = 0x1p-53;

/// log sum masses e^(tilt loss).
double log_moment(const LossDistribution& step, double tilt) {
  double largest = -infinity;
  for (std::size_t i = 0; i < step.masses.size(); ++i) {
    if (step.masses[i] > 0)
      largest = std::max(largest, tilt * step.spacing * static_cast<double>(step.multiples[i]));
  }
  double sum = 0;
  for (std::size_t i = 0; i < step.masses.size(); ++i) {
    sum += step.masses[i] * std::exp(tilt * step.spacing * static_cast<double>(step.multiples[i]) - largest);
  }
  return largest + std::log(sum);
}

double largest_exponent(const LossDistribution& step, double tilt) {
  const double low = static_cast<double>(step.multiples.front()),
               high = static_cast<double>(step.multiples.back());
  return std::abs(tilt) * step.spacing * std::max(std::abs(low), std::abs(high));
}

std::size_t wrapped(std::int64_t index, std::size_t points) {
  return static_cast<std::size_t>(index) & (points - 1);  // two's complement: right for negative ones too
}

struct Spectrum {
  std::vector<double> masses;  // of the tilted sum, at index (multiple mod points)
  double error;                // Euclidean norm of their error
};

/// The law of the tilted sum of `steps` losses on a circle of `points`.
Spectrum compose(const LossDistribution& step, double steps, double tilt, double log_mean,
                 std::size_t points) {
  std::vector<double> masses(points, 0.0);
  for (std::size_t i = 0; i < step.masses.size(); ++i) {
    const double exponent = tilt * step.spacing * static_cast<double>(step.multiples[i]) - log_mean;
    masses[wrapped(step.multiples[i], points)] += step.masses[i] * std::exp(exponent);
  }
  double square = 0;
  for (const double p : masses) square += p * p;

  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<std::complex<double>> spectrum;
  fft.fwd(spectrum, masses);
  double power = 0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    const double log_modulus = 0.5 * std::log(std::norm(spectrum[k]));
    const double modulus = std::exp(steps * log_modulus);  // log 0 = -infinity gives 0
    spectrum[k] = modulus > 0 ? std::polar(modulus, steps * std::arg(spectrum[k])) : 0.0;
    power += (k == 0 || 2 * k == points ? 1 : 2) * modulus * modulus;
  }
  fft.inv(masses, spectrum, static_cast<Eigen::Index>(points));

  // Parseval: errors of spectra are sqrt(points) times errors of masses. A spectrum is off by
  // fft_error sqrt(points) |masses|; its n-th power by n times that, as no true value exceeds 1; taking the
  // power by n (log, arg) 9 n units.
  const double n = static_cast<double>(points);
  const double eta = fft_error(points);
  const double forward = eta * std::sqrt(square);
  const double growth = std::exp(std::min(700.0, steps * forward * std::sqrt(n)));
  const double error = steps * growth * forward + ((9 * steps + 16) * unit + eta) * std::sqrt(power / n) +
                       eta * growth * steps * forward;
  return {.masses = std::move(masses), .error = error};
}

}  // namespace

double fft_error(std::size_t points) {
  return 10 * unit * static_cast<double>(std::bit_width(points));
}

DeltaCurve::DeltaCurve(const LossDistribution& step, double steps, const Window& window)
    : spacing_(step.spacing) {
  const double h = step.spacing;
  const auto bottom = static_cast<std::int64_t>(std::floor(window.bottom / h));
  const auto top = static_cast<std::int64_t>(std::ceil(window.top / h));
  const std::size_t points =
      std::bit_ceil(std::max<std::size_t>(16, static_cast<std::size_t>(top - bottom + 1)));
  const double log_mean = log_moment(step, window.tilt);
  const Spectrum sum = compose(step, steps, window.tilt, log_mean, points);

  // Without the tilt: mass(s) = e^(n log_mean - tilt s) tilted(s). Everything is kept relative to the centre.
  const std::int64_t last = bottom + static_cast<std::int64_t>(points) - 1;
  const double log_scale = steps * log_mean - window.tilt * window.centre;
  const double scale = std::exp(log_scale);
  // Relative errors: of tilting one loss, n times; of the scale; of the weights.
  const double exponents = 4 + largest_exponent(step, window.tilt) + std::abs(log_mean);
  const double extent = h * (std::abs(static_cast<double>(bottom)) + std::abs(static_cast<double>(last)));
  const double relative = std::expm1(4 * unit *
                                     (2 * steps * exponents + std::abs(log_scale) +
                                      std::abs(window.tilt) * extent + static_cast<double>(points)));

  // Sums that end past the last point, by Chernoff's bound; single losses past their last cell.
  beyond_ = steps * step.infinite;
  if (static_cast<double>(last) < steps * static_cast<double>(step.multiples.back())) {
    const double above = static_cast<double>(last + 1) * h;
    const double log_above = steps * log_moment(step, window.top_tilt) - window.top_tilt * above;
    const double rounding =
        16 * unit *
        (steps * (4 + largest_exponent(step, window.top_tilt)) + window.top_tilt * std::abs(above));
    beyond_ += std::exp(std::min(0.0, log_above + rounding));
  }
  // A rounding error of every edge moves the whole sum (LossDistribution::loss_error).
  const double moved = steps * step.loss_error + 4 * unit * extent;

  // delta(s_j) = sum over i > j of mass_i (1 - e^(-(i-j) h)), and the Euclidean norm of these weights, both
  // by recursions of positive terms: 1 - e^(-(m+1)h) = (1 - e^-h) + e^-h (1 - e^(-mh)).
  deltas_.assign(points, 1.0);
  const double keep = std::exp(-h), gain = -std::expm1(-h);
  double mass_above = 0, delta = 0;
  double squares_above = 0, weighted = 0, square = 0;
  std::size_t lowest = points;
  for (std::size_t j = points; j-- > 0;) {
    const std::int64_t multiple = bottom + static_cast<std::int64_t>(j);
    delta = gain * mass_above + keep * delta;
    square = gain * gain * squares_above + 2 * gain * keep * weighted + keep * keep * square;
    weighted = gain * squares_above + keep * weighted;
    const double bound = (scale * (delta + sum.error * std::sqrt(square))) * (1 + relative) + beyond_;
    deltas_[j] = std::isfinite(bound) ? std::clamp(bound, 0.0, 1.0) : 1.0;
    lowest = j;
    if (h * static_cast<double>(multiple) + moved <= 0 || deltas_[j] >= 1) break;
    const double weight = std::exp(-window.tilt * (h * static_cast<double>(multiple) - window.centre));
    mass_above += weight * sum.masses[wrapped(multiple, points)];
    squares_above += weight * weight;
  }
  deltas_.erase(deltas_.begin(), deltas_.begin() + static_cast<std::ptrdiff_t>(lowest));
  first_ = h * static_cast<double>(bottom + static_cast<std::int64_t>(lowest)) + moved;
}

double DeltaCurve::epsilon(double delta) const {
  std::size_t j = deltas_.size();
  while (j > 0 && deltas_[j - 1] <= delta) --j;
  if (j == deltas_.size()) return infinity;
  const double right = first_ + spacing_ * static_cast<double>(j);
  if (j == 0) return at_least_zero(right);
  // Linear in e^epsilon between the points: e^epsilon - e^left is this share of e^right - e^left.
  const double share = (deltas_[j - 1] - delta) / (deltas_[j - 1] - deltas_[j]);
  const double left = right - spacing_;
  const double between = left + std::log1p(share * std::expm1(spacing_));
  return at_least_zero(std::min(right, between + 8 * unit * std::abs(right)));
}

double DeltaCurve::delta(double epsilon) const {
  if (!(epsilon >= first_)) return 1;
  const double place = (epsilon - first_) / spacing_;
  const auto j = static_cast<std::size_t>(std::min(place, 1e15));
  if (j + 1 >= deltas_.size()) return deltas_.back();
  const double offset = std::max(0.0, epsilon - (first_ + spacing_ * static_cast<double>(j)));
  const double share = std::min(1.0, std::expm1(offset) / std::expm1(spacing_) * (1 - 16 * unit));
  return (deltas_[j] + share * (deltas_[j + 1] - deltas_[j])) * (1 + 8 * unit);
}

}  // namespace jme::privacy
