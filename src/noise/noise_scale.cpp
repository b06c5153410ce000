#include "noise/noise_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace jme {

NoiseScale::NoiseScale(std::vector<double> values)
    : width_(values.size()), base_(1), ratios_(std::move(values)) {
  if (ratios_.empty()) return;
  const auto [smallest, largest] = std::minmax_element(ratios_.begin(), ratios_.end());
  smallest_ = *smallest;
  largest_ = largest_ratio_ = *largest;
}

NoiseScale NoiseScale::uniform(std::size_t width, double value) {
  NoiseScale scale;
  scale.width_ = width;
  scale.smallest_ = scale.largest_ = scale.base_ = value;
  return scale;
}

NoiseScale NoiseScale::triangle(std::size_t dimension, double diagonal, double off_diagonal) {
  if (dimension <= 1) return uniform(dimension, diagonal);
  NoiseScale scale;
  scale.triangle_ = {dimension};
  scale.width_ = scale.triangle_.size();
  scale.base_ = off_diagonal;
  // Rounded upwards, so that the product with the base is not below `diagonal`.
  scale.diagonal_ratio_ = std::nextafter(diagonal / off_diagonal, std::numeric_limits<double>::infinity());
  scale.largest_ratio_ = std::max(1.0, scale.diagonal_ratio_);
  scale.smallest_ = std::min(diagonal, off_diagonal);
  scale.largest_ = off_diagonal * scale.largest_ratio_;
  return scale;
}

NoiseScale NoiseScale::followed_by(double value) const {
  NoiseScale scale = *this;
  // Rounded upwards, so that the product with the base is not below `value`.
  const double ratio = std::nextafter(value / base_, std::numeric_limits<double>::infinity());
  (scale.ratios_.empty() ? scale.further_ratios_ : scale.ratios_).push_back(ratio);
  scale.width_ += 1;
  scale.largest_ratio_ = std::max(largest_ratio_, ratio);
  scale.smallest_ = std::min(smallest_, value);
  scale.largest_ = std::max(largest_, base_ * ratio);
  return scale;
}

double NoiseScale::ratio(std::size_t coordinate) const {
  if (!ratios_.empty()) return ratios_[coordinate];
  const std::size_t ruled = width_ - further_ratios_.size();
  if (coordinate >= ruled) return further_ratios_[coordinate - ruled];
  if (triangle_.dimension == 0) return 1;
  return triangle_.diagonal(triangle_.row_of(coordinate)) == coordinate ? diagonal_ratio_ : 1;
}

void NoiseScale::apply_ratios(std::size_t begin, std::span<double> draws) const {
  const std::size_t end = std::min(begin + draws.size(), width_);
  if (!ratios_.empty()) {
    for (std::size_t i = begin; i < end; ++i) draws[i - begin] *= ratios_[i];
    return;
  }
  const std::size_t ruled = width_ - further_ratios_.size();
  for (std::size_t i = std::max(begin, ruled); i < end; ++i) draws[i - begin] *= further_ratios_[i - ruled];
  if (triangle_.dimension == 0 || begin >= ruled) return;
  std::size_t row = triangle_.row_of(begin);
  if (triangle_.diagonal(row) < begin) ++row;
  for (; row < triangle_.dimension && triangle_.diagonal(row) < end; ++row) {
    draws[triangle_.diagonal(row) - begin] *= diagonal_ratio_;
  }
}

}  // namespace jme
