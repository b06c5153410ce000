#include "filter/convolution.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>

#include <unsupported/Eigen/FFT>

namespace jme {
namespace {

constexpr std::size_t direct_products = std::size_t{1} << 26;  // about 20 ms
constexpr std::size_t short_kernel = 64;

std::vector<double> convolve_directly(std::span<const double> kernel, std::span<const double> x) {
  std::vector<double> y(x.size(), 0.0);
  // The outer loop is over lags, the inner one over steps: contiguous, and without a chain of dependent sums.
  for (std::size_t lag = 0; lag < kernel.size(); ++lag) {
    const double weight = kernel[lag];
    if (weight == 0) continue;
    for (std::size_t t = lag; t < x.size(); ++t) y[t] += weight * x[t - lag];
  }
  return y;
}

std::vector<double> convolve_by_fft(std::span<const double> kernel, std::span<const double> x) {
  std::size_t size = 1;
  while (size < x.size() + kernel.size() - 1) size *= 2;
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<std::complex<double>> kernel_spectrum, spectrum;
  std::vector<double> padded(size, 0.0);
  std::copy(kernel.begin(), kernel.end(), padded.begin());
  fft.fwd(kernel_spectrum, padded);
  std::fill(padded.begin(), padded.end(), 0.0);
  std::copy(x.begin(), x.end(), padded.begin());
  fft.fwd(spectrum, padded);
  for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= kernel_spectrum[k];
  fft.inv(padded, spectrum, static_cast<Eigen::Index>(size));
  padded.resize(x.size());
  return padded;
}

}  // namespace

std::vector<double> convolve(std::span<const double> kernel, std::span<const double> x) {
  kernel = kernel.first(std::min(kernel.size(), x.size()));
  if (kernel.size() <= short_kernel || kernel.size() <= direct_products / x.size()) {
    return convolve_directly(kernel, x);
  }
  return convolve_by_fft(kernel, x);
}

std::vector<double> window_sums(std::span<const double> x, std::size_t length) {
  const std::size_t n = x.size();
  std::vector<double> sums(n, 0.0);
  if (length == 0) return sums;
  std::vector<double> suffix(std::min(n, length) + 1, 0.0);  // of the block before
  for (std::size_t begin = 0; begin < n; begin += std::min(length, n - begin)) {
    const std::size_t size = std::min(length, n - begin);
    double prefix = 0;
    for (std::size_t i = 0; i < size; ++i) {
      prefix += x[begin + i];
      sums[begin + i] = prefix + suffix[i + 1];
    }
    for (std::size_t i = size; i-- > 0;) suffix[i] = suffix[i + 1] + x[begin + i];
  }
  return sums;
}

}  // namespace jme
