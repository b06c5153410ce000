#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace jme::train {

// Layers with their backward passes written out. Both passes work on all examples of a part of a batch at
// once and never mix two examples. Gradients of weights come in two forms: added up over the part, or one row
// per example.

enum class WeightGradients {
  added,      ///< one row: their sum (not private)
  each_alone  ///< a row for every example
};

/// A 3x3 convolution without bias, GroupNorm with scale and shift, ReLU, and maybe the largest of every 2x2.
class ConvBlock {
 public:
  struct Sizes {
    std::int64_t in, out;
    bool halves;
  };
  /// What the backward pass needs of the forward one.
  struct Trace {
    at::Tensor input, convolved, mean, inverse_std, rectified, picked, output;
  };

  /// Views of `parameters` from `begin` on.
  ConvBlock(Sizes sizes, const at::Tensor& parameters, std::int64_t begin);

  [[nodiscard]] Trace forward(const at::Tensor& input) const;
  /// From the gradient of the output to that of the input (undefined where it is not wanted). Appends the
  /// gradients of convolution, scale and shift to `gradients`, each rows x weights.
  [[nodiscard]] at::Tensor backward(const Trace& trace, const at::Tensor& output, WeightGradients form,
                                    bool wants_input, std::vector<at::Tensor>& gradients) const;

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] static std::int64_t parameter_count(const Sizes& sizes);
  static constexpr std::int64_t groups = 8;

 private:
  Sizes sizes_;
  at::Tensor weight_, scale_, shift_;
};

/// classes numbers from a flat input, with bias.
class LinearLayer {
 public:
  LinearLayer(std::int64_t in, std::int64_t out, const at::Tensor& parameters, std::int64_t begin);

  [[nodiscard]] at::Tensor forward(const at::Tensor& input) const;
  /// Appends the gradients of weights and bias.
  [[nodiscard]] at::Tensor backward(const at::Tensor& input, const at::Tensor& output, WeightGradients form,
                                    std::vector<at::Tensor>& gradients) const;

  [[nodiscard]] static std::int64_t parameter_count(std::int64_t in, std::int64_t out) {
    return (in + 1) * out;
  }

 private:
  at::Tensor weight_, bias_;
};

/// Cross entropy of the softmax, one example per row.
struct Loss {
  std::vector<double> values;  ///< one per example
  at::Tensor gradient;         ///< of the logits
};
[[nodiscard]] Loss cross_entropy(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace jme::train
