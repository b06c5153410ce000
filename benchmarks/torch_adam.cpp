#include "torch_adam.hpp"

#include <cmath>

#include <ATen/ATen.h>

namespace jme::bench {
namespace {

constexpr double rate = 1e-3, beta_first = 0.9, beta_second = 0.999, epsilon = 1e-8;

}  // namespace

TorchAdam::TorchAdam(std::int64_t parameters)
    : first_(at::zeros({parameters})),
      second_(at::zeros({parameters})),
      noisy_(at::empty({parameters})),
      root_(at::empty({parameters})) {}

void TorchAdam::step(at::Tensor& parameters, at::Tensor& gradients, double batch) {
  const auto t = static_cast<double>(++steps_);
  gradients.div_(batch);
  first_.mul_(beta_first).add_(gradients, 1 - beta_first);
  second_.mul_(beta_second).addcmul_(gradients, gradients, 1 - beta_second);
  const at::Tensor root = (second_.sqrt() / std::sqrt(1 - std::pow(beta_second, t))).add_(epsilon);
  parameters.addcdiv_(first_, root, -rate / (1 - std::pow(beta_first, t)));
}

void TorchAdam::private_step(at::Tensor& parameters, const at::Tensor& gradients, const at::Tensor& squares,
                             double batch, const Noise& noise) {
  const auto t = static_cast<double>(++steps_);
  const at::Tensor gradient = (gradients + at::empty_like(gradients).normal_(0, noise.std_first)) / batch;
  const at::Tensor square = (squares + at::empty_like(squares).normal_(0, noise.std_second)) / batch;
  first_.mul_(beta_first).add_(gradient, 1 - beta_first);
  second_.mul_(beta_second).add_(square, 1 - beta_second);
  const at::Tensor root =
      (second_.clamp_min(0).sqrt() / std::sqrt(1 - std::pow(beta_second, t))).add_(epsilon);
  parameters.addcdiv_(first_, root, -rate / (1 - std::pow(beta_first, t)));
}

void TorchAdam::private_step_in_place(at::Tensor& parameters, const at::Tensor& gradients,
                                      const at::Tensor& squares, double batch, const Noise& noise) {
  const auto t = static_cast<double>(++steps_);
  noisy_.normal_(0, noise.std_first).add_(gradients).div_(batch);
  first_.mul_(beta_first).add_(noisy_, 1 - beta_first);
  noisy_.normal_(0, noise.std_second).add_(squares).div_(batch);
  second_.mul_(beta_second).add_(noisy_, 1 - beta_second);
  at::clamp_min_out(root_, second_, 0);
  root_.sqrt_().div_(std::sqrt(1 - std::pow(beta_second, t))).add_(epsilon);
  parameters.addcdiv_(first_, root_, -rate / (1 - std::pow(beta_first, t)));
}

}  // namespace jme::bench
