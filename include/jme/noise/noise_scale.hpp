#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include <jme/base/packed_triangle.hpp>

namespace jme {

/// Standard deviation of every coordinate's noise, in lattice units: numbers one by one, or a rule that needs
/// no memory.
class NoiseScale {
 public:
  NoiseScale(
      std::vector<double> values);  // NOLINT(google-explicit-constructor): a list is what callers write
  NoiseScale(std::initializer_list<double> values) : NoiseScale(std::vector<double>(values)) {}
  static NoiseScale uniform(std::size_t width, double value);
  /// The upper triangle of a symmetric matrix, row by row.
  static NoiseScale triangle(std::size_t dimension, double diagonal, double off_diagonal);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] double smallest() const { return smallest_; }
  [[nodiscard]] double largest() const { return largest_; }
  /// Sum of the squares.
  [[nodiscard]] double squared_norm() const { return squared_norm_; }
  [[nodiscard]] bool is_uniform() const { return smallest_ == largest_; }

  /// out[i] = scale of coordinate begin + i; 0 past the width.
  void write(std::size_t begin, std::span<double> out) const;

 private:
  NoiseScale() = default;
  std::size_t width_ = 0;
  double smallest_ = 0, largest_ = 0, squared_norm_ = 0;
  std::vector<double> values_;  // empty where a rule says it
  PackedTriangle triangle_{0};
  double diagonal_ = 0, off_diagonal_ = 0;
};

}  // namespace jme
