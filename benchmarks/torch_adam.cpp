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

void TorchAdam::move(at::Tensor& parameters) {
  const auto t = static_cast<double>(++steps_);
  const double correct_first = 1 - std::pow(beta_first, t), correct_second = 1 - std::pow(beta_second, t);
  at::clamp_min_out(root_, second_, 0);
  root_.sqrt_().div_(std::sqrt(correct_second)).add_(epsilon);
  parameters.addcdiv_(first_, root_, -rate / correct_first);
}

void TorchAdam::step(at::Tensor& parameters, at::Tensor& gradients, double batch) {
  gradients.div_(batch);
  first_.mul_(beta_first).add_(gradients, 1 - beta_first);
  second_.mul_(beta_second).addcmul_(gradients, gradients, 1 - beta_second);
  move(parameters);
}

void TorchAdam::private_step(at::Tensor& parameters, const at::Tensor& gradients, const at::Tensor& squares,
                             double batch, double std_first, double std_second) {
  noisy_.normal_(0, std_first).add_(gradients).div_(batch);
  first_.mul_(beta_first).add_(noisy_, 1 - beta_first);
  noisy_.normal_(0, std_second).add_(squares).div_(batch);
  second_.mul_(beta_second).add_(noisy_, 1 - beta_second);
  move(parameters);
}

}  // namespace jme::bench
