#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include <jme/training/clipped_sums.hpp>

namespace jme::train {

struct PictureShape {
  std::int64_t channels, height, width;
};

/// Sums over a batch. `examples` counts all of them; one whose gradient is not finite counts as clipped, and
/// its loss as 0.
struct BatchOutcome {
  double loss = 0;
  std::int64_t examples = 0, clipped = 0;
};

/// A convolutional network with one flat vector of parameters: 3x3 convolutions, each followed by GroupNorm
/// and ReLU, halvings of the picture, one linear layer, cross entropy of the softmax. Nothing in it mixes
/// examples.
class Network {
 public:
  /// Deterministic, public initialisation. Work is done on `at_a_time` examples at once, always exactly this
  /// many (the last part is filled up): then what an example contributes is a function of that example and
  /// the parameters, bit for bit, whatever else is in the batch. That is what makes a float sum's sensitivity
  /// provable (GUARANTEES.md).
  Network(PictureShape picture, std::int64_t classes, std::uint64_t seed, std::int64_t at_a_time = 32);
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  [[nodiscard]] std::size_t parameter_count() const;
  /// The layers are views into this: whoever writes here changes the network.
  [[nodiscard]] std::span<float> parameters();
  [[nodiscard]] std::span<const float> parameters() const;
  /// A part of `parameters`, as PyTorch would name and shape it.
  struct NamedTensor {
    std::string name;
    std::vector<std::int64_t> shape;
  };
  /// In the order of `parameters`, which they make up without gaps.
  [[nodiscard]] std::vector<NamedTensor> tensors() const;
  /// One line: layers and sizes.
  [[nodiscard]] std::string describe() const;

  /// m x channels x height x width, float32 -> m x classes.
  [[nodiscard]] at::Tensor logits(const at::Tensor& pictures) const;
  /// Adds the sum of the examples' gradients (NOT private) to `sum`. `labels`: m, int64.
  BatchOutcome add_gradients(const at::Tensor& pictures, const at::Tensor& labels,
                             std::span<float> sum) const;
  /// Adds the sum of the clipped gradients to `gradients` and, where `squares` is not empty, of their
  /// squares, element by element. An example whose gradient is not finite counts as zero. The sum is made in
  /// double and rounded once, so that BatchConfig::sum_error is met by its rule for sums in double: one call
  /// for a whole batch, onto zeros.
  BatchOutcome add_clipped(const at::Tensor& pictures, const at::Tensor& labels, const Clipping& clipping,
                           std::span<float> gradients, std::span<float> squares) const;

 private:
  struct Layers;
  std::unique_ptr<Layers> layers_;
};

}  // namespace jme::train
