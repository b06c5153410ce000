#include "privacy/sum_law.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include <unsupported/Eigen/FFT>

namespace jme::privacy {
namespace {

// With it the errors of an FFT are 2^11 times smaller where it has 64 bits, and never larger.
using Wide = long double;
using Spectrum = std::vector<std::complex<Wide>>;
constexpr double unit = static_cast<double>(std::numeric_limits<Wide>::epsilon()) / 2;

/// Relative error of the FFT in the Euclidean norm, either way (fft_error in composition.hpp, in these
/// units).
double transform_error(std::size_t points) {
  return 10 * unit * static_cast<double>(std::bit_width(points));
}

double log_moment(const LatticeMasses& law, double tilt) {
  double largest = -std::numeric_limits<double>::infinity();
  const auto exponent = [&](std::size_t k) { return tilt * law.spacing * static_cast<double>(k); };
  for (std::size_t k = 0; k < law.masses.size(); ++k) {
    if (law.masses[k] > 0) largest = std::max(largest, exponent(k));
  }
  if (!std::isfinite(largest)) return largest;
  double sum = 0;
  for (std::size_t k = 0; k < law.masses.size(); ++k) sum += law.masses[k] * std::exp(exponent(k) - largest);
  return largest + std::log(sum);
}

double norm(const std::vector<double>& masses) {
  double square = 0;
  for (const double mass : masses) square += mass * mass;
  return std::sqrt(square);
}

double total(const std::vector<double>& masses) {
  double sum = 0;
  for (const double mass : masses) sum += mass;
  return sum;
}

std::complex<Wide> power(std::complex<Wide> base, std::uint64_t exponent) {
  std::complex<Wide> result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

class Circle {
 public:
  explicit Circle(std::size_t points) : points_(points) { fft_.SetFlag(Eigen::FFT<Wide>::HalfSpectrum); }

  Spectrum forward(const std::vector<double>& masses) {
    std::vector<Wide> values(points_, 0);
    for (std::size_t k = 0; k < masses.size(); ++k) values[k & (points_ - 1)] += static_cast<Wide>(masses[k]);
    Spectrum spectrum;
    fft_.fwd(spectrum, values);
    return spectrum;
  }
  std::vector<Wide> inverse(const Spectrum& spectrum) {
    std::vector<Wide> values;
    fft_.inv(values, spectrum, static_cast<Eigen::Index>(points_));
    return values;
  }
  /// The Euclidean norm of what has this spectrum.
  [[nodiscard]] double norm_of(const Spectrum& spectrum) const {
    Wide sum = 0;
    for (std::size_t k = 0; k < spectrum.size(); ++k)
      sum += (k == 0 || 2 * k == points_ ? 1 : 2) * std::norm(spectrum[k]);
    return std::sqrt(static_cast<double>(sum) / static_cast<double>(points_));
  }

 private:
  std::size_t points_;
  Eigen::FFT<Wide> fft_{};
};

struct Powered {
  Spectrum spectrum{};
  double error = 0;  // Euclidean norm of the error of the masses that have this spectrum
};

/// The spectrum of the head and count - 1 parts.
Powered spectrum_of_sum(Circle& circle, const Parts& parts, std::uint64_t count, std::size_t points) {
  Powered result{.spectrum = circle.forward(parts.part.masses)};
  const Spectrum head = circle.forward(parts.head.masses);
  for (std::size_t k = 0; k < head.size(); ++k)
    result.spectrum[k] = power(result.spectrum[k], count - 1) * head[k];
  // Parseval, as in composition.cpp: no true value of a spectrum exceeds the sum of its masses, which may be
  // above 1 by rounding; a power multiplies relative errors, and every product adds 4 units.
  const double n = static_cast<double>(count), root = std::sqrt(static_cast<double>(points));
  const double eta = transform_error(points);
  const double forward = eta * norm(parts.part.masses), forward_head = eta * norm(parts.head.masses);
  const double excess =
      std::max(0.0, total(parts.part.masses) - 1) + std::max(0.0, total(parts.head.masses) - 1);
  const double growth = std::exp(std::min(700.0, n * (forward * root + excess) + forward_head * root));
  result.error = growth * (n * forward + forward_head) + 8 * n * unit * circle.norm_of(result.spectrum);
  return result;
}

}  // namespace

Interval likely_interval(const LatticeMasses& head, const LatticeMasses& part, double count, double mass) {
  const double largest = part.spacing * static_cast<double>(part.masses.size() - 1);
  Interval result{.bottom = 0, .top = count * largest};
  const double log_mass = std::log(mass);
  for (double power = -24; power < 24; power += 0.5) {
    const double tilt = std::exp2(power) / largest;
    const auto bound = [&](double t) {
      return log_moment(head, t) + (count - 1) * log_moment(part, t) - log_mass;
    };
    if (power < 9) result.top = std::min(result.top, bound(tilt) / tilt);
    result.bottom = std::max(result.bottom, -bound(-tilt) / tilt);
  }
  return result;
}

SumLaw law_of_sum(const Parts& all, const Parts& inner, std::uint64_t count, Interval lies, double outside) {
  const double spacing = all.part.spacing;
  SumLaw result{.spacing = spacing, .first = static_cast<std::int64_t>(std::floor(lies.bottom / spacing))};
  const double extent = std::max(lies.top / spacing - static_cast<double>(result.first) + 2,
                                 static_cast<double>(all.part.masses.size()));
  const std::size_t points = std::bit_ceil(static_cast<std::size_t>(extent));
  Circle circle(points);
  Powered sum = spectrum_of_sum(circle, all, count, points);
  const Powered left_out = spectrum_of_sum(circle, inner, count, points);
  for (std::size_t k = 0; k < sum.spectrum.size(); ++k) sum.spectrum[k] -= left_out.spectrum[k];
  const double back = (transform_error(points) + 4 * unit) * circle.norm_of(sum.spectrum);
  const std::vector<Wide> circular = circle.inverse(sum.spectrum);
  result.masses.resize(points);
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t at =
        static_cast<std::size_t>(result.first + static_cast<std::int64_t>(i)) & (points - 1);
    result.masses[i] = std::max(0.0, static_cast<double>(circular[at]));
  }
  const double euclidean = (sum.error + left_out.error + back) * (1 + 0x1p-20);
  result.error = std::sqrt(static_cast<double>(points)) * euclidean + 0x1p-52 + outside;
  return result;
}

}  // namespace jme::privacy
