#pragma once

namespace jme {

/// A running sum whose error stays at one rounding, however many terms there are (Kahan; here the terms are
/// squares, so the sum never shrinks).
class CompensatedSum {
 public:
  void add(double term) {
    const double corrected = term - lost_;
    const double next = sum_ + corrected;
    lost_ = (next - sum_) - corrected;
    sum_ = next;
  }
  [[nodiscard]] double value() const { return sum_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace jme
