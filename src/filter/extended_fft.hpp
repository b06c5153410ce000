#pragma once

#include <cstddef>
#include <vector>

namespace jme {

/// A discrete Fourier transform in extended precision, of a length that is a power of 2. Eigen's transform
/// has twiddle factors of double precision only.
class ExtendedFft {
 public:
  using Real = long double;
  struct Complex {
    Real re = 0, im = 0;
  };

  explicit ExtendedFft(std::size_t size);
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Transforms in place, without a factor; the inverse is forward() of the conjugate, divided by the size.
  void forward(std::vector<Complex>& values) const;

 private:
  std::size_t size_;
  std::vector<Complex> twiddles_;  // exp(-2 pi i k / size), k < size / 2
};

}  // namespace jme
