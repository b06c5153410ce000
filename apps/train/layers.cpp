#include "layers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include <ATen/ops/bmm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_backward.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/native_group_norm.h>
#include <ATen/ops/native_group_norm_backward.h>
#include <ATen/ops/threshold_backward.h>

#include "example_products.hpp"

namespace jme::train {
namespace {

constexpr double norm_epsilon = 1e-5;
constexpr std::array<std::int64_t, 2> ones{1, 1}, twos{2, 2}, zeros{0, 0};

/// sum over an example's positions: m x channels x height x width -> m x channels.
at::Tensor over_positions(const at::Tensor& values) {
  return values.flatten(2).sum(2);
}

/// A number per group of one example becomes a number per channel: m x groups -> m x channels.
at::Tensor per_channel(const at::Tensor& values, std::int64_t channels) {
  return values.unsqueeze(2)
      .expand({values.size(0), values.size(1), channels / values.size(1)})
      .reshape({-1, channels});
}

at::Tensor rows(const at::Tensor& per_example, WeightGradients form) {
  const at::Tensor flat = per_example.flatten(1);
  return form == WeightGradients::added ? flat.sum(0, true) : flat;
}

}  // namespace

std::int64_t ConvBlock::parameter_count(const Sizes& sizes) {
  return 9 * sizes.in * sizes.out + 2 * sizes.out;
}

ConvBlock::ConvBlock(Sizes sizes, const at::Tensor& parameters, std::int64_t begin)
    : sizes_(sizes),
      weight_(parameters.narrow(0, begin, 9 * sizes.in * sizes.out).view({sizes.out, sizes.in, 3, 3})),
      scale_(parameters.narrow(0, begin + 9 * sizes.in * sizes.out, sizes.out)),
      shift_(parameters.narrow(0, begin + 9 * sizes.in * sizes.out + sizes.out, sizes.out)) {}

ConvBlock::Trace ConvBlock::forward(const at::Tensor& input) const {
  Trace trace;
  trace.input = input;
  trace.convolved = at::conv2d(input, weight_, {}, ones, ones);
  const std::int64_t positions = trace.convolved.size(2) * trace.convolved.size(3);
  std::tie(trace.rectified, trace.mean, trace.inverse_std) = at::native_group_norm(
      trace.convolved, scale_, shift_, input.size(0), sizes_.out, positions, groups, norm_epsilon);
  trace.rectified.relu_();
  trace.output = trace.rectified;
  if (sizes_.halves)
    std::tie(trace.output, trace.picked) =
        at::max_pool2d_with_indices(trace.rectified, twos, twos, zeros, ones, false);
  return trace;
}

at::Tensor ConvBlock::backward(const Trace& trace, const at::Tensor& output, WeightGradients form,
                               bool wants_input, std::vector<at::Tensor>& gradients) const {
  const std::int64_t examples = trace.input.size(0), channels = sizes_.out;
  const std::int64_t positions = trace.convolved.size(2) * trace.convolved.size(3);
  at::Tensor normed = output;
  if (sizes_.halves) {
    normed = at::max_pool2d_with_indices_backward(output, trace.rectified, twos, twos, zeros, ones, false,
                                                  trace.picked);
  }
  normed = at::threshold_backward(normed, trace.rectified, 0);
  // y = scale (z - mean) / std + shift
  const at::Tensor shift = over_positions(normed);
  const at::Tensor centred =
      over_positions(normed.mul(trace.convolved)).sub(per_channel(trace.mean, channels).mul(shift));
  const at::Tensor scale = centred.mul(per_channel(trace.inverse_std, channels));
  const at::Tensor convolved = std::get<0>(
      at::native_group_norm_backward(normed, trace.convolved, trace.mean, trace.inverse_std, scale_, examples,
                                     channels, positions, groups, {true, false, false}));
  const bool added = form == WeightGradients::added;
  at::Tensor input, weight;
  if (wants_input || added) {
    std::tie(input, weight, std::ignore) =
        at::convolution_backward(convolved, trace.input, weight_, c10::nullopt, ones, ones, ones, false,
                                 zeros, 1, {wants_input, added, false});
  }
  gradients.push_back(added ? weight.reshape({1, -1}) : convolution_weight_gradients(trace.input, convolved));
  gradients.push_back(rows(scale, form));
  gradients.push_back(rows(shift, form));
  return input;
}

LinearLayer::LinearLayer(std::int64_t in, std::int64_t out, const at::Tensor& parameters, std::int64_t begin)
    : weight_(parameters.narrow(0, begin, in * out).view({out, in})),
      bias_(parameters.narrow(0, begin + in * out, out)) {}

at::Tensor LinearLayer::forward(const at::Tensor& input) const {
  // One product per example: in one product of all rows the order of summation could depend on a row's place.
  const at::Tensor weight = weight_.t().unsqueeze(0).expand({input.size(0), -1, -1});
  return at::bmm(input.unsqueeze(1), weight).squeeze(1).add_(bias_);
}

at::Tensor LinearLayer::backward(const at::Tensor& input, const at::Tensor& output, WeightGradients form,
                                 std::vector<at::Tensor>& gradients) const {
  if (form == WeightGradients::added) {
    gradients.push_back(at::mm(output.t(), input).reshape({1, -1}));
  } else {
    gradients.push_back(output.unsqueeze(2).mul(input.unsqueeze(1)).flatten(1));
  }
  gradients.push_back(rows(output, form));
  return at::bmm(output.unsqueeze(1), weight_.unsqueeze(0).expand({input.size(0), -1, -1})).squeeze(1);
}

Loss cross_entropy(const at::Tensor& logits, const at::Tensor& labels) {
  // In double and number by number: the remainder of a vector could be computed with another exponential than
  // its lanes.
  const auto examples = static_cast<std::size_t>(logits.size(0)),
             classes = static_cast<std::size_t>(logits.size(1));
  Loss loss{.values = std::vector<double>(examples), .gradient = at::empty_like(logits)};
  const float* all = logits.data_ptr<float>();
  float* gradient = loss.gradient.data_ptr<float>();
  for (std::size_t j = 0; j < examples; ++j, all += classes, gradient += classes) {
    const auto label = static_cast<std::size_t>(labels.data_ptr<std::int64_t>()[j]);
    const double largest = double{*std::max_element(all, all + classes)};
    double total = 0;
    for (std::size_t k = 0; k < classes; ++k) total += std::exp(double{all[k]} - largest);
    for (std::size_t k = 0; k < classes; ++k)
      gradient[k] = static_cast<float>(std::exp(double{all[k]} - largest) / total - (k == label ? 1.0 : 0.0));
    loss.values[j] = std::log(total) - (double{all[label]} - largest);
  }
  return loss;
}

}  // namespace jme::train
