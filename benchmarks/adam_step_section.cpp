#include <utility>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <jme/models/adam.hpp>

#include "torch_adam.hpp"
#include "train_sections.hpp"

namespace jme::bench {
namespace {

constexpr std::size_t dimension = 10'000'000;
constexpr double batch = 256;

BatchConfig config_for(Shape shape, unsigned threads) {
  BatchConfig config{.budget = {.sigma = 1}};
  config.steps = 100'000;
  config.dimension = dimension;
  config.norm_bound = 1;
  config.batch = batch;
  if (shape.kind() == Shape::Kind::identity) {
    config.sampling_rate = 0.005;
  } else {
    config.participation = Participation{.rows = 1};  // shaped noise: one epoch in a fixed order
  }
  config.shape = shape;
  config.threads = threads;
  return config;
}

/// One shape against both ways to write it in torch.
void compare(const std::string& name, Shape shape, unsigned threads, const Effort& effort,
             std::vector<Comparison>& lines) {
  Adam adam(config_for(std::move(shape), threads), {});
  at::Tensor parameters = at::zeros({static_cast<std::int64_t>(dimension)}),
             torch_parameters = parameters.clone();
  const at::Tensor gradients = at::full_like(parameters, 1e-3), squares = at::full_like(parameters, 1e-6);
  const auto span = [](const at::Tensor& tensor) {
    return std::span<float>(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel()));
  };
  TorchAdam torch(static_cast<std::int64_t>(dimension));
  const TorchAdam::Noise noise{.std_first = adam.mechanism().calibration().std_first,
                               .std_second = adam.mechanism().calibration().std_second};
  const auto ours = [&] { adam.step(span(parameters), span(gradients), span(squares), 256); };
  const auto straightforward = [&] {
    torch.private_step(torch_parameters, gradients, squares, batch, noise);
  };
  const auto in_place = [&] {
    torch.private_step_in_place(torch_parameters, gradients, squares, batch, noise);
  };
  at::set_num_threads(static_cast<int>(threads));
  const Clock clock = threads == 1 ? Clock::processor : Clock::wall;
  const std::string what =
      fmt::format("optimiser, d = 1e7, {}, {} thread{}", name, threads, threads == 1 ? "" : "s");
  lines.push_back(in_turns(what, effort, ours, straightforward, clock, 2, true));
  lines.push_back(in_turns("  beside torch all in place", effort, ours, in_place, clock, 0, true));
}

}  // namespace

std::vector<Comparison> adam_steps(const Effort& effort, unsigned threads) {
  std::vector<Comparison> lines;
  compare("identity", Shape::identity(), threads, effort, lines);
  compare("scaled-blt:2", Shape::scaled_blt(2), threads, effort, lines);
  return lines;
}

}  // namespace jme::bench
