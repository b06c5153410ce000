#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "base/packed_triangle.hpp"

namespace jme {

/// Standard deviation of every coordinate's noise, in lattice units: one base for all, times a ratio for the
/// coordinates that differ (numbers one by one, or a rule that needs no memory).
class NoiseScale {
 public:
  NoiseScale(
      std::vector<double> values);  // NOLINT(google-explicit-constructor): a list is what callers write
  NoiseScale(std::initializer_list<double> values) : NoiseScale(std::vector<double>(values)) {}
  static NoiseScale uniform(std::size_t width, double value);
  /// The upper triangle of a symmetric matrix, row by row. The diagonal may be larger by some roundings.
  static NoiseScale triangle(std::size_t dimension, double diagonal, double off_diagonal);

  /// The same with one coordinate more, which may be larger by some roundings.
  [[nodiscard]] NoiseScale followed_by(double value) const;

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] double smallest() const { return smallest_; }
  [[nodiscard]] double largest() const { return largest_; }
  [[nodiscard]] double base() const { return base_; }
  [[nodiscard]] double ratio(std::size_t coordinate) const;
  [[nodiscard]] double largest_ratio() const { return largest_ratio_; }

  /// draws[i] *= ratio of coordinate begin + i, with one rounding where the ratio is not 1. In whole lanes of
  /// 8.
  void apply_ratios(std::size_t begin, std::span<double> draws) const;

 private:
  NoiseScale() = default;
  std::size_t width_ = 0;
  double smallest_ = 0, largest_ = 0, base_ = 0, largest_ratio_ = 1;
  std::vector<double> ratios_;  // empty where a rule gives them
  PackedTriangle triangle_{0};
  double diagonal_ratio_ = 1;
  std::vector<double> further_ratios_;  // of what follows the rule's coordinates
};

}  // namespace jme
