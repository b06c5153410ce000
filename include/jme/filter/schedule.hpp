#pragma once

#include <cstddef>
#include <variant>
#include <vector>

namespace jme {

/// A positive number for every step t = 0, 1, 2, ...: the diagonal matrices of C = L T D^-1.
class Schedule {
 public:
  /// 1 everywhere.
  Schedule() = default;

  /// Explicit numbers, one a step.
  static Schedule values(std::vector<double> numbers);
  /// 1 / (rows seen by the end of step t), for a mean over blocks of `every` rows out of `rows`.
  static Schedule inverse_row_count(std::size_t rows, std::size_t every);
  /// (t + 1 + a)^q (n - t - 1 + c)^s: row schedule of a scaled BLT (SHAPING, its t counts from 1).
  static Schedule power(double a, double q, std::size_t n, double c, double s);

  /// Steps it has a number for; the largest size_t where there is no end.
  [[nodiscard]] std::size_t steps() const;
  /// Only for step < steps().
  [[nodiscard]] double operator()(std::size_t step) const;
  [[nodiscard]] bool is_one() const { return std::holds_alternative<One>(kind_); }

 private:
  struct One {};
  struct Values {
    std::vector<double> numbers;
  };
  struct InverseRowCount {
    std::size_t rows, every;
  };
  struct Power {
    double a, q, n, c, s;
  };
  std::variant<One, Values, InverseRowCount, Power> kind_;
};

}  // namespace jme
