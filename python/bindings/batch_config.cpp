#include "bindings/batch_config.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <jme/base/adjacency.hpp>
#include <jme/calibration/batch_calibration.hpp>
#include <jme/shaping/shape.hpp>

namespace nb = nanobind;

namespace jme::python {

namespace {

template <class Value>
Value get(const nb::dict& settings, const char* key) {
  return nb::cast<Value>(settings[key]);
}

}  // namespace

BatchConfig batch_config_of(const nb::dict& settings) {
  BatchConfig config{.budget = {.epsilon = get<std::optional<double>>(settings, "epsilon"),
                                .delta = get<std::optional<double>>(settings, "delta"),
                                .sigma = get<std::optional<double>>(settings, "sigma")}};
  config.steps = get<std::size_t>(settings, "steps");
  config.dimension = get<std::size_t>(settings, "dimension");
  config.norm_bound = get<double>(settings, "norm_bound");
  check_clip_bound(config.norm_bound);
  config.method = parse_batch_method(get<std::string>(settings, "method"));
  config.batch = get<double>(settings, "batch");
  config.sampling_rate = get<double>(settings, "sampling_rate");
  config.adjacency = parse_adjacency(get<std::string>(settings, "adjacency"));
  if (const auto uses = get<std::optional<std::size_t>>(settings, "participations")) {
    config.participation =
        Participation{.rows = *uses, .separation = get<std::size_t>(settings, "separation")};
  }
  config.workload = decay(get<double>(settings, "beta_first"));
  config.workload_second = decay(get<double>(settings, "beta_second"));
  config.shape = Shape::parse(get<std::string>(settings, "shape"));
  if (const auto second = get<std::optional<std::string>>(settings, "shape2"))
    config.shape_second = Shape::parse(*second, "shape2");
  config.lambda = get<std::optional<double>>(settings, "lambda");
  for (const auto& [count, bound] : get<std::vector<std::pair<std::size_t, double>>>(settings, "square_clip"))
    config.square_clip.push_back({.count = count, .bound = bound});
  check_square_clip(config.square_clip, config.norm_bound);
  config.sum_error = get<std::optional<double>>(settings, "sum_error");
  config.threads = get<std::optional<unsigned>>(settings, "threads");
  return config;
}

Clipping clipping_of(const BatchMechanism& mechanism) {
  const BatchConfig& config = mechanism.config();
  const bool joint = config.method == BatchMethod::joint_clip;
  return {.rule = joint ? ClipRule::joint : ClipRule::each,
          .bound = config.norm_bound,
          .tau = joint ? mechanism.lambda() : 0,
          .square_clip = config.square_clip};
}

}  // namespace jme::python
