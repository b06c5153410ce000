#pragma once

#include <cstddef>
#include <string_view>

namespace jme {

/// epsilon of differential privacy: finite and positive. Holding one means it was checked.
class Epsilon {
 public:
  Epsilon(double value);  // NOLINT(google-explicit-constructor): a number is what callers write
  operator double() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  double value_;
};

/// delta of differential privacy: in (0, 1).
class Delta {
 public:
  Delta(double value);                        // NOLINT(google-explicit-constructor)
  operator double() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  double value_;
};

/// (epsilon, delta)-differential privacy.
struct ApproxDp {
  Epsilon epsilon;
  Delta delta;
};

/// zeta: public upper bound on every row's Euclidean norm; finite and positive.
class NormBound {
 public:
  NormBound(double value);                    // NOLINT(google-explicit-constructor)
  operator double() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  double value_;
};

/// Which part of the second moment is estimated.
enum class SecondMoment { none, diagonal, full };

[[nodiscard]] SecondMoment parse_second(std::string_view text);
[[nodiscard]] std::string_view name(SecondMoment second);

/// Coordinates of the second moment: d(d+1)/2 for the symmetric matrix, d for its diagonal, 0 for none.
[[nodiscard]] std::size_t second_moment_size(SecondMoment second, std::size_t dimension);

}  // namespace jme
