#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace jme::bench {

/// Adam as one writes it with torch's operators on flat tensors, in place and with its buffers kept.
class TorchAdam {
 public:
  explicit TorchAdam(std::int64_t parameters);

  /// Without privacy. `gradients` is the batch's sum and is used up.
  void step(at::Tensor& parameters, at::Tensor& gradients, double batch);
  /// With noise on both sums, two draws of normal_ a parameter. `gradients` and `squares` are left as they
  /// are.
  void private_step(at::Tensor& parameters, const at::Tensor& gradients, const at::Tensor& squares,
                    double batch, double std_first, double std_second);

 private:
  void move(at::Tensor& parameters);
  at::Tensor first_, second_, noisy_, root_;
  std::int64_t steps_ = 0;
};

}  // namespace jme::bench
