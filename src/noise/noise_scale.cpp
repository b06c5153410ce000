#include <algorithm>
#include <numeric>
#include <utility>

#include <jme/noise/noise_scale.hpp>

namespace jme {

NoiseScale::NoiseScale(std::vector<double> values) : width_(values.size()), values_(std::move(values)) {
  if (values_.empty()) return;
  const auto [smallest, largest] = std::minmax_element(values_.begin(), values_.end());
  smallest_ = *smallest;
  largest_ = *largest;
  squared_norm_ = std::inner_product(values_.begin(), values_.end(), values_.begin(), 0.0);
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

void NoiseScale::write(std::size_t begin, std::span<double> out) const {
  const std::size_t count = begin < width_ ? std::min(out.size(), width_ - begin) : 0;
  const auto end = out.begin() + static_cast<std::ptrdiff_t>(count);
  std::fill(end, out.end(), 0.0);
  if (!values_.empty()) {
    std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(begin), count, out.begin());
    return;
  }
  std::fill(out.begin(), end, off_diagonal_);
  if (triangle_.dimension == 0 || count == 0) return;
  std::size_t row = triangle_.row_of(begin);
  if (triangle_.diagonal(row) < begin) ++row;
  for (; row < triangle_.dimension && triangle_.diagonal(row) < begin + count; ++row) {
    out[triangle_.diagonal(row) - begin] = diagonal_;
  }
}

}  // namespace jme
