#pragma once

#include <ATen/core/Tensor.h>

namespace jme::train {

/// Every example's gradient of the weights of a 3x3 convolution (border 1): the product of its output's
/// gradient, as channels x positions, and its unfolded input. m x (out * in * 9). Examples are divided among
/// ATen's threads; the unfolded input of one example at a time stays in the cache.
[[nodiscard]] at::Tensor convolution_weight_gradients(const at::Tensor& input, const at::Tensor& output);

}  // namespace jme::train
