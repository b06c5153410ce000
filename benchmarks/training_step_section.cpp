#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <jme/models/adam.hpp>

#include "network.hpp"
#include "torch_adam.hpp"
#include "train_sections.hpp"

namespace jme::bench {
namespace {

constexpr std::int64_t batch = 256, classes = 10;

BatchConfig config_for(BatchMethod method, std::size_t dimension, unsigned threads) {
  BatchConfig config{.budget = {.sigma = 1}};
  config.steps = 100'000;
  config.dimension = dimension;
  config.norm_bound = 1;
  config.method = method;
  config.batch = static_cast<double>(batch);
  config.sampling_rate = 0.005;
  config.threads = threads;
  return config;
}

Comparison compared(const char* name, BatchMethod method, double target, unsigned threads,
                    const Effort& effort) {
  constexpr train::PictureShape picture{.channels = 3, .height = 32, .width = 32};
  train::Network network(picture, classes, 1);
  const at::Tensor pictures = at::randn({batch, 3, 32, 32}),
                   labels = at::randint(classes, {batch}, at::kLong);
  const auto count = static_cast<std::int64_t>(network.parameter_count());
  at::Tensor gradients = at::zeros({count}), squares = at::zeros({takes_squares(method) ? count : 0});
  // Without privacy all examples could be taken at once, but parts that stay in the cache are faster (0.57 s
  // against 0.72 s), so both use the same parts.
  train::Network plain(picture, classes, 1);
  at::Tensor parameters = at::from_blob(plain.parameters().data(), {count});
  const auto span = [](const at::Tensor& tensor) {
    return std::span<float>(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel()));
  };
  Adam adam(config_for(method, network.parameter_count(), threads), {});
  TorchAdam torch(count);
  const Clipping clipping{.rule = ClipRule::each, .bound = 1};
  const auto with = [&] {
    gradients.zero_();
    squares.zero_();
    network.add_clipped(pictures, labels, clipping, span(gradients), span(squares));
    adam.step(network.parameters(), span(gradients), span(squares), static_cast<std::size_t>(batch));
  };
  const auto without = [&] {
    gradients.zero_();
    plain.add_gradients(pictures, labels, span(gradients));
    torch.step(parameters, gradients, static_cast<double>(batch));
  };
  at::set_num_threads(static_cast<int>(threads));
  const std::string what = fmt::format("training step, CIFAR-10, batch 256, {}, {} thread{}", name, threads,
                                       threads == 1 ? "" : "s");
  return in_turns(what, effort, with, without, threads == 1 ? Clock::processor : Clock::wall, target, false);
}

}  // namespace

std::vector<Comparison> training_steps(const Effort& effort, unsigned threads) {
  return {compared("pp", BatchMethod::pp, 3, threads, effort),
          compared("jme", BatchMethod::jme, 5, threads, effort)};
}

}  // namespace jme::bench
