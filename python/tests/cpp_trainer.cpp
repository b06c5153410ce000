// The training that test_torch_bits.py does in Python, through the library alone: parameters p, examples x,
// and the loss |p - x|^2 / 2, whose gradient p - x has the same bits in any language.
//
//     cpp_trainer METHOD SHAPE SEED EXAMPLES DIMENSION BATCH STEPS CLIP RATE DECAY FLOOR IN OUT
//
// IN has the examples as floats, OUT gets the parameters after the last step. SHAPE "none": sampled batches;
// others: batches follow each other through the examples.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <jme/jme.hpp>
#include <jme/training/batch_sampler.hpp>
#include <jme/training/clipped_sums.hpp>
#include <jme/training/debiased_noise.hpp>

int main(int argc, char** argv) try {
  if (argc != 14) return 2;
  const std::string shape = argv[2];
  const jme::InsecureTestSeed seed{std::stoull(argv[3])};
  const std::size_t examples = std::stoul(argv[4]), dimension = std::stoul(argv[5]),
                    steps = std::stoul(argv[7]);
  const double batch = std::stod(argv[6]), floor = std::stod(argv[11]);
  const bool sampled = shape == "none";
  const double rate = sampled ? batch / static_cast<double>(examples) : 1;
  jme::BatchConfig config{.budget = {.sigma = 0.5}};
  config.steps = steps;
  config.dimension = dimension;
  config.norm_bound = std::stod(argv[8]);
  config.method = jme::parse_batch_method(argv[1]);
  config.batch = batch;
  config.sampling_rate = rate;
  if (sampled) {
    config.sum_error = jme::clipped_sum_error(examples, rate);
  } else {
    const auto turn = static_cast<std::size_t>(static_cast<double>(examples) / batch);
    config.participation = jme::Participation{.rows = steps / turn + 1, .separation = turn};
    config.shape = jme::Shape::parse(shape);
    config.sum_error = batch * 0x1p-24 + batch * batch * 0x1p-53;
  }
  jme::Adam adam(
      config,
      {.learning_rate = std::stod(argv[9]), .weight_decay = std::stod(argv[10]), .noise_floor = floor}, seed);
  const jme::BatchMechanism& mechanism = adam.mechanism();
  const jme::BatchSampler sampler(examples, sampled ? rate : 0.5, seed);

  std::vector<float> x(examples * dimension), parameters(dimension, 0.25F);
  std::ifstream(argv[12], std::ios::binary)
      .read(reinterpret_cast<char*>(x.data()), static_cast<std::streamsize>(x.size() * sizeof(float)));
  const bool with_squares = jme::takes_squares(config.method),
             joint = config.method == jme::BatchMethod::joint_clip;
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<std::uint32_t> chosen = sampler.draw(step);
    if (!sampled) {
      chosen.resize(static_cast<std::size_t>(batch));
      std::iota(chosen.begin(), chosen.end(), static_cast<std::uint32_t>(step * chosen.size() % examples));
    }
    std::vector<float> rows, gradients(dimension), squares(with_squares ? dimension : 0);
    for (const std::uint32_t j : chosen)
      for (std::size_t i = 0; i < dimension; ++i) rows.push_back(parameters[i] - x[j * dimension + i]);
    jme::ClippedSums sums({.rule = joint ? jme::ClipRule::joint : jme::ClipRule::each,
                           .bound = config.norm_bound,
                           .tau = joint ? mechanism.lambda() : 0},
                          dimension, with_squares);
    std::vector<bool> kept;
    sums.add(std::vector<jme::GradientRows>{{.values = rows.data(), .count = dimension}}, chosen.size(),
             kept);
    sums.add_to(gradients, squares);
    if (config.method == jme::BatchMethod::pp_debiased)
      adam.settings().least_square = floor * jme::debiased_noise(mechanism, 0.999, step + 1);
    adam.step(parameters, gradients, squares, chosen.size());
  }
  std::ofstream(argv[13], std::ios::binary)
      .write(reinterpret_cast<const char*>(parameters.data()),
             static_cast<std::streamsize>(dimension * sizeof(float)));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "cpp_trainer: %s\n", error.what());
  return 1;
}
