#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <cblas.h>
#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "initial_weights.hpp"
#include "layers.hpp"

namespace jme::train {
namespace {

/// Widths of the convolutions, and after which of them the picture is halved.
struct Stage {
  std::int64_t channels;
  bool halves;
};
constexpr Stage stages[]{{32, false}, {32, true}, {64, false}, {64, true}, {128, true}};

// Examples that are processed together where no gradient is wanted.
constexpr std::int64_t logits_at_a_time = 64;

/// Settings that every pass of this process needs. Freed memory is kept for the next pass: if it were given
/// back to the system, taking it again page by page would cost a fifth of a training step. And OpenBLAS
/// computes on the thread that calls it: examples are divided among ATen's threads, and a product that is
/// split has another order of summation.
void prepare_process() {
  static const bool done = [] {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
    openblas_set_num_threads(1);
    return true;
  }();
  (void)done;
}

struct Part {
  at::Tensor pictures, labels;
  std::int64_t examples;  // the rest are zeros
};

}  // namespace

struct Network::Layers {
  PictureShape picture;
  std::int64_t classes, at_a_time;
  at::Tensor parameters;
  std::vector<ConvBlock> blocks{};
  std::vector<LinearLayer> last{};  // one; a vector because it is made after the blocks
  std::int64_t features = 0;

  struct Pass {
    std::vector<ConvBlock::Trace> traces;
    at::Tensor flat, logits;
  };

  [[nodiscard]] Pass forward(const at::Tensor& pictures, bool keep) const {
    Pass pass;
    at::Tensor values = pictures;
    for (const ConvBlock& block : blocks) {
      ConvBlock::Trace trace = block.forward(values);
      values = trace.output;
      if (keep) pass.traces.push_back(std::move(trace));
    }
    pass.flat = values.flatten(1);
    pass.logits = last.front().forward(pass.flat);
    return pass;
  }

  /// Gradients in the order of the layers, from the last to the first; within a layer in the order of its
  /// parameters.
  [[nodiscard]] std::vector<std::vector<at::Tensor>> backward(const Pass& pass, const at::Tensor& logits,
                                                              WeightGradients form) const {
    std::vector<std::vector<at::Tensor>> gradients(blocks.size() + 1);
    at::Tensor values = last.front().backward(pass.flat, logits, form, gradients.back());
    values = values.view_as(pass.traces.back().output);
    for (std::size_t i = blocks.size(); i-- > 0;)
      values = blocks[i].backward(pass.traces[i], values, form, i > 0, gradients[i]);
    return gradients;
  }

  void check(const at::Tensor& pictures) const {
    const bool fits = pictures.dim() == 4 && pictures.scalar_type() == at::kFloat &&
                      pictures.size(1) == picture.channels && pictures.size(2) == picture.height &&
                      pictures.size(3) == picture.width;
    if (!fits) {
      throw DataError(fmt::format("pictures: must be float32 of m x {} x {} x {}", picture.channels,
                                  picture.height, picture.width));
    }
  }

  void check(const at::Tensor& pictures, const at::Tensor& labels) const {
    check(pictures);
    if (labels.dim() != 1 || labels.scalar_type() != at::kLong || labels.size(0) != pictures.size(0))
      throw DataError("labels: must be one int64 per picture");
    if (labels.size(0) > 0 &&
        (labels.min().item<std::int64_t>() < 0 || labels.max().item<std::int64_t>() >= classes))
      throw DataError(fmt::format("labels: must be 0 to {}", classes - 1));
  }

  /// The examples from `begin` on, filled up with zeros to exactly `at_a_time`.
  [[nodiscard]] Part part(const at::Tensor& pictures, const at::Tensor& labels, std::int64_t begin) const {
    const std::int64_t examples = std::min(at_a_time, pictures.size(0) - begin);
    Part part{.pictures = pictures.narrow(0, begin, examples).contiguous(),
              .labels = labels.narrow(0, begin, examples).contiguous(),
              .examples = examples};
    if (examples == at_a_time) return part;
    const at::Tensor all_pictures =
        at::zeros({at_a_time, picture.channels, picture.height, picture.width}, at::kFloat);
    const at::Tensor all_labels = at::zeros({at_a_time}, at::kLong);
    all_pictures.narrow(0, 0, examples).copy_(part.pictures);
    all_labels.narrow(0, 0, examples).copy_(part.labels);
    return {.pictures = all_pictures, .labels = all_labels, .examples = examples};
  }
};

Network::Network(PictureShape picture, std::int64_t classes, std::uint64_t seed, std::int64_t at_a_time) {
  prepare_process();
  if (picture.channels < 1 || picture.height < 8 || picture.width < 8)
    throw InvalidParameter("picture", "at least 8 x 8 with one channel");
  if (classes < 2) throw InvalidParameter("classes", static_cast<double>(classes), "at least 2");
  if (at_a_time < 1) throw InvalidParameter("microbatch", static_cast<double>(at_a_time), "at least 1");
  std::vector<ConvBlock::Sizes> sizes;
  std::int64_t channels = picture.channels, height = picture.height, width = picture.width, count = 0;
  for (const Stage& stage : stages) {
    sizes.push_back({.in = channels, .out = stage.channels, .halves = stage.halves});
    count += ConvBlock::parameter_count(sizes.back());
    channels = stage.channels;
    if (stage.halves) height /= 2, width /= 2;
  }
  const std::int64_t features = channels * height * width;
  layers_ = std::make_unique<Layers>(
      Layers{.picture = picture,
             .classes = classes,
             .at_a_time = at_a_time,
             .parameters = at::zeros({count + LinearLayer::parameter_count(features, classes)}, at::kFloat),
             .features = features});
  InitialWeights weights(seed);
  std::int64_t begin = 0;
  const auto slice = [&](std::int64_t length) {
    const auto part = parameters().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(length));
    begin += length;
    return part;
  };
  for (const ConvBlock::Sizes& size : sizes) {
    layers_->blocks.emplace_back(size, layers_->parameters, begin);
    // 2 / inputs before a ReLU (He et al. 2015), 1 / inputs where none follows.
    weights.fill(slice(9 * size.in * size.out), 2 / static_cast<double>(9 * size.in));
    std::ranges::fill(slice(size.out), 1.0F);
    std::ranges::fill(slice(size.out), 0.0F);
  }
  layers_->last.emplace_back(features, classes, layers_->parameters, begin);
  weights.fill(slice(features * classes), 1 / static_cast<double>(features));
}

Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

std::size_t Network::parameter_count() const {
  return static_cast<std::size_t>(layers_->parameters.numel());
}
std::span<float> Network::parameters() {
  return {layers_->parameters.data_ptr<float>(), parameter_count()};
}
std::span<const float> Network::parameters() const {
  return {layers_->parameters.data_ptr<float>(), parameter_count()};
}

std::vector<Network::NamedTensor> Network::tensors() const {
  std::vector<NamedTensor> all;
  for (std::size_t i = 0; i < layers_->blocks.size(); ++i) {
    const ConvBlock::Sizes& sizes = layers_->blocks[i].sizes();
    all.push_back({fmt::format("blocks.{}.conv.weight", i), {sizes.out, sizes.in, 3, 3}});
    all.push_back({fmt::format("blocks.{}.norm.weight", i), {sizes.out}});
    all.push_back({fmt::format("blocks.{}.norm.bias", i), {sizes.out}});
  }
  all.push_back({"linear.weight", {layers_->classes, layers_->features}});
  all.push_back({"linear.bias", {layers_->classes}});
  return all;
}

std::string Network::describe() const {
  std::string line;
  for (const ConvBlock& block : layers_->blocks)
    line += fmt::format("conv3x3({})-groupnorm-relu{}, ", block.sizes().out,
                        block.sizes().halves ? "-maxpool2" : "");
  return line +
         fmt::format("linear({}, {}); {} parameters", layers_->features, layers_->classes, parameter_count());
}

at::Tensor Network::logits(const at::Tensor& pictures) const {
  layers_->check(pictures);
  at::Tensor all = at::empty({pictures.size(0), layers_->classes}, at::kFloat);
  for (std::int64_t begin = 0; begin < pictures.size(0); begin += logits_at_a_time) {
    const std::int64_t count = std::min(logits_at_a_time, pictures.size(0) - begin);
    all.narrow(0, begin, count)
        .copy_(layers_->forward(pictures.narrow(0, begin, count).contiguous(), false).logits);
  }
  return all;
}

BatchOutcome Network::add_gradients(const at::Tensor& pictures, const at::Tensor& labels,
                                    std::span<float> sum) const {
  layers_->check(pictures, labels);
  if (sum.size() != parameter_count()) throw DataError("gradients: there must be as many as parameters");
  BatchOutcome outcome{.examples = pictures.size(0)};
  for (std::int64_t begin = 0; begin < pictures.size(0); begin += layers_->at_a_time) {
    const Part part = layers_->part(pictures, labels, begin);
    const Layers::Pass pass = layers_->forward(part.pictures, true);
    const Loss loss = cross_entropy(pass.logits, part.labels);
    if (part.examples < layers_->at_a_time)
      loss.gradient.narrow(0, part.examples, layers_->at_a_time - part.examples).zero_();
    for (std::int64_t j = 0; j < part.examples; ++j) outcome.loss += loss.values[static_cast<std::size_t>(j)];
    float* into = sum.data();
    for (const auto& layer : layers_->backward(pass, loss.gradient, WeightGradients::added)) {
      for (const at::Tensor& gradient : layer) {
        const float* values = gradient.data_ptr<float>();
        for (std::int64_t i = 0; i < gradient.numel(); ++i) *into++ += values[i];
      }
    }
  }
  return outcome;
}

BatchOutcome Network::add_clipped(const at::Tensor& pictures, const at::Tensor& labels,
                                  const Clipping& clipping, std::span<float> gradients,
                                  std::span<float> squares) const {
  layers_->check(pictures, labels);
  if (gradients.size() != parameter_count() || (!squares.empty() && squares.size() != parameter_count()))
    throw DataError("gradients, squares: there must be as many as parameters");
  ClippedSums sums(clipping, parameter_count(), !squares.empty());
  BatchOutcome outcome{.examples = pictures.size(0)};
  std::vector<bool> kept;
  for (std::int64_t begin = 0; begin < pictures.size(0); begin += layers_->at_a_time) {
    const Part part = layers_->part(pictures, labels, begin);
    const Layers::Pass pass = layers_->forward(part.pictures, true);
    const Loss loss = cross_entropy(pass.logits, part.labels);
    const auto by_layer = layers_->backward(pass, loss.gradient, WeightGradients::each_alone);
    std::vector<GradientRows> rows;
    for (const auto& layer : by_layer) {
      for (const at::Tensor& gradient : layer)
        rows.push_back(
            {.values = gradient.data_ptr<float>(), .count = static_cast<std::size_t>(gradient.size(1))});
    }
    outcome.clipped += sums.add(rows, static_cast<std::size_t>(part.examples), kept);
    for (std::size_t j = 0; j < kept.size(); ++j)
      if (kept[j]) outcome.loss += loss.values[j];
  }
  sums.add_to(gradients, squares);
  return outcome;
}

}  // namespace jme::train
