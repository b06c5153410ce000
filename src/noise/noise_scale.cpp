#include <algorithm>
#include <numeric>
#include <utility>

#include <jme/noise/noise_scale.hpp>

#include "noise/rounding_kernels.hpp"

namespace jme {
namespace {

constexpr std::size_t lane = 8;

}  // namespace

NoiseScale::NoiseScale(std::vector<double> values) : width_(values.size()), values_(std::move(values)) {
  if (values_.empty()) return;
  const auto [smallest, largest] = std::minmax_element(values_.begin(), values_.end());
  smallest_ = *smallest;
  largest_ = *largest;
  squared_norm_ = std::inner_product(values_.begin(), values_.end(), values_.begin(), 0.0);
  values_.resize((width_ + lane - 1) / lane * lane, 0.0);
}

NoiseScale NoiseScale::uniform(std::size_t width, double value) {
  NoiseScale scale;
  scale.width_ = width;
  scale.smallest_ = scale.largest_ = scale.off_diagonal_ = value;
  scale.squared_norm_ = static_cast<double>(width) * value * value;
  return scale;
}

NoiseScale NoiseScale::triangle(std::size_t dimension, double diagonal, double off_diagonal) {
  NoiseScale scale;
  scale.triangle_ = {dimension};
  scale.width_ = scale.triangle_.size();
  scale.diagonal_ = diagonal;
  scale.off_diagonal_ = off_diagonal;
  const bool has_off_diagonal = dimension > 1;
  scale.smallest_ = has_off_diagonal ? std::min(diagonal, off_diagonal) : diagonal;
  scale.largest_ = has_off_diagonal ? std::max(diagonal, off_diagonal) : diagonal;
  const auto on = static_cast<double>(dimension);
  const auto off = static_cast<double>(scale.width_ - dimension);
  scale.squared_norm_ = on * diagonal * diagonal + off * off_diagonal * off_diagonal;
  return scale;
}

void NoiseScale::add_rounded(std::size_t begin, const double* noise, std::span<double> values) const {
  if (!values_.empty()) return jme::add_rounded(values_.data() + begin, noise, values.data(), values.size());
  jme::add_rounded(off_diagonal_, noise, values.data(), values.size());
  if (triangle_.dimension == 0) return;
  // The few diagonal entries again, with their own scale. All are whole numbers: taking off is exact.
  const std::size_t end = std::min(begin + values.size(), width_);
  std::size_t row = triangle_.row_of(begin);
  if (triangle_.diagonal(row) < begin) ++row;
  for (; row < triangle_.dimension && triangle_.diagonal(row) < end; ++row) {
    const std::size_t i = triangle_.diagonal(row) - begin;
    values[i] = (values[i] - nearest_whole(off_diagonal_ * noise[i])) + nearest_whole(diagonal_ * noise[i]);
  }
}

}  // namespace jme
