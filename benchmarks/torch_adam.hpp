#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace jme::bench {

/// Adam as one writes it with torch's operators on flat tensors.
class TorchAdam {
 public:
  explicit TorchAdam(std::int64_t parameters);

  /// Without privacy. `gradients` is the batch's sum and is overwritten.
  void step(at::Tensor& parameters, at::Tensor& gradients, double batch);

  struct Noise {
    double std_first, std_second;
  };
  /// With noise on both sums, two draws of normal_ per parameter, in the usual way: one expression per line,
  /// as Opacus and torch.optim do.
  void private_step(at::Tensor& parameters, const at::Tensor& gradients, const at::Tensor& squares,
                    double batch, const Noise& noise);
  /// The same without taking memory: every operator works in place, on buffers that are kept.
  void private_step_in_place(at::Tensor& parameters, const at::Tensor& gradients, const at::Tensor& squares,
                             double batch, const Noise& noise);

 private:
  at::Tensor first_, second_, noisy_, root_;
  std::int64_t steps_ = 0;
};

}  // namespace jme::bench
