#include "filter/extended_fft.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace jme {

ExtendedFft::ExtendedFft(std::size_t size) : size_(size), twiddles_(size / 2) {
  for (std::size_t k = 0; k < twiddles_.size(); ++k) {
    const Real angle = 2 * std::numbers::pi_v<Real> * static_cast<Real>(k) / static_cast<Real>(size);
    twiddles_[k] = {std::cos(angle), -std::sin(angle)};
  }
}

void ExtendedFft::forward(std::vector<Complex>& values) const {
  for (std::size_t i = 1, reversed = 0; i < size_; ++i) {
    std::size_t bit = size_ / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed |= bit;
    if (i < reversed) std::swap(values[i], values[reversed]);
  }
  for (std::size_t half = 1; half < size_; half *= 2) {
    const std::size_t stride = size_ / (2 * half);
    for (std::size_t begin = 0; begin < size_; begin += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex turn = twiddles_[k * stride];
        Complex& even = values[begin + k];
        Complex& odd = values[begin + k + half];
        const Complex turned{odd.re * turn.re - odd.im * turn.im, odd.re * turn.im + odd.im * turn.re};
        odd = {even.re - turned.re, even.im - turned.im};
        even = {even.re + turned.re, even.im + turned.im};
      }
    }
  }
}

}  // namespace jme
