#include "example_products.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <cblas.h>

namespace jme::train {
namespace {

struct Size {
  std::int64_t channels, height, width;
};

/// unfolded[(channel, ky, kx)][y][x] = input[channel][y + ky - 1][x + kx - 1], 0 outside.
void unfold(const Size& size, const float* input, float* unfolded) {
  for (std::int64_t channel = 0; channel < size.channels; ++channel, input += size.height * size.width) {
    for (std::int64_t ky = -1; ky <= 1; ++ky) {
      for (std::int64_t kx = -1; kx <= 1; ++kx) {
        const std::int64_t begin = std::max<std::int64_t>(0, -kx),
                           end = size.width - std::max<std::int64_t>(0, kx);
        for (std::int64_t y = 0; y < size.height; ++y, unfolded += size.width) {
          if (y + ky < 0 || y + ky >= size.height) {
            std::fill_n(unfolded, size.width, 0.0F);
            continue;
          }
          const float* row = input + (y + ky) * size.width + kx;
          if (begin > 0) unfolded[0] = 0;
          std::copy(row + begin, row + end, unfolded + begin);
          if (end < size.width) unfolded[end] = 0;
        }
      }
    }
  }
}

}  // namespace

at::Tensor convolution_weight_gradients(const at::Tensor& input, const at::Tensor& output) {
  const Size size{.channels = input.size(1), .height = input.size(2), .width = input.size(3)};
  const std::int64_t examples = input.size(0), out = output.size(1);
  const std::int64_t positions = size.height * size.width, inputs = 9 * size.channels;
  const at::Tensor whole_input = input.contiguous(), whole_output = output.contiguous();
  at::Tensor weights = at::empty({examples, out * inputs}, at::kFloat);
  const auto range = [&](std::int64_t first, std::int64_t last) {
    std::vector<float> unfolded(static_cast<std::size_t>(inputs * positions));
    for (std::int64_t j = first; j < last; ++j) {
      unfold(size, whole_input.data_ptr<float>() + j * size.channels * positions, unfolded.data());
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(out), static_cast<int>(inputs),
                  static_cast<int>(positions), 1.0F, whole_output.data_ptr<float>() + j * out * positions,
                  static_cast<int>(positions), unfolded.data(), static_cast<int>(positions), 0.0F,
                  weights.data_ptr<float>() + j * out * inputs, static_cast<int>(inputs));
    }
  };
  at::parallel_for(0, examples, 1, range);
  return weights;
}

}  // namespace jme::train
