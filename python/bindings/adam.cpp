#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <jme/base/errors.hpp>
#include <jme/models/adam.hpp>

#include "bindings/arrays.hpp"
#include "bindings/batch_config.hpp"
#include "bindings/training.hpp"
#include "moments/fork_guard.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

using Floats = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstFloats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ConstDoubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Numbers>
auto vector_of(const Numbers& numbers) {
  return std::vector(numbers.data(), numbers.data() + numbers.size());
}

AdamSettings settings_of(const nb::dict& given) {
  const auto number = [&](const char* key) { return nb::cast<double>(given[key]); };
  return {.learning_rate = number("learning_rate"),
          .beta_first = number("beta_first"),
          .beta_second = number("beta_second"),
          .epsilon = number("eps"),
          .weight_decay = number("weight_decay"),
          .least_square = number("least_square"),
          .noise_floor = number("noise_floor"),
          .update_bound = nb::cast<std::optional<double>>(given["update_bound"]),
          .update_norm = nb::cast<std::optional<double>>(given["update_norm"])};
}

Adam adam_of(const nb::dict& config, const nb::dict& settings, std::optional<std::uint64_t> seed) {
  const BatchConfig batches = batch_config_of(config);
  const AdamSettings own = settings_of(settings);
  const nb::gil_scoped_release released;
  return seed ? Adam(batches, own, InsecureTestSeed{*seed}) : Adam(batches, own);
}

/// Adam in one process, one call at a time.
class PrivateAdam {
 public:
  PrivateAdam(const nb::dict& config, const nb::dict& settings, std::optional<std::uint64_t> seed)
      : adam_(adam_of(config, settings, seed)) {}

  void step(const Floats& parameters, const ConstFloats& gradients, const ConstFloats& squares,
            std::size_t examples) {
    const Use use(*this);
    const nb::gil_scoped_release released;
    adam_.step({parameters.data(), parameters.size()}, {gradients.data(), gradients.size()},
               {squares.data(), squares.size()}, examples);
  }
  void set(const nb::dict& settings) {
    const Use use(*this);
    adam_.settings() = settings_of(settings);
  }
  /// The moments are public. What is called secret is: with the releases it reveals the gradients.
  [[nodiscard]] nb::dict state() {
    const Use use(*this);
    AdamState state = adam_.state();
    nb::dict parts;
    parts["steps"] = state.noise.steps;
    const auto put = [&](const char* name, auto&& numbers) {
      const std::size_t count = numbers.size();
      parts[name] = array_of(std::move(numbers), {count});
    };
    put("first_moment", std::move(state.first));
    put("second_moment", std::move(state.second));
    put("secret_noise_first", std::move(state.noise.first));
    put("secret_noise_second", std::move(state.noise.second));
    return parts;
  }
  void restore(std::size_t steps, const ConstFloats& first, const ConstFloats& second,
               const ConstDoubles& noise_first, const ConstDoubles& noise_second) {
    const Use use(*this);
    const AdamState state{
        .noise = {.steps = steps, .first = vector_of(noise_first), .second = vector_of(noise_second)},
        .first = vector_of(first),
        .second = vector_of(second)};
    adam_.restore(state);
  }
  [[nodiscard]] nb::tuple noise_level(std::optional<std::size_t> steps) const {
    const BatchMechanism::NoiseLevel level = adam_.noise_level(steps.value_or(adam_.steps_done()));
    return nb::make_tuple(level.first, level.second);
  }
  [[nodiscard]] std::size_t steps_done() const { return adam_.steps_done(); }

 private:
  /// Calls in a forked child would add the parent's noise to other sums, and two at once the same noise
  /// twice.
  class Use {
   public:
    explicit Use(PrivateAdam& adam) : adam_(adam) {
      adam.fork_.check();
      if (adam.is_busy_.exchange(true)) throw StateError("the optimizer is at work in another thread");
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { adam_.is_busy_ = false; }

   private:
    PrivateAdam& adam_;
  };

  Adam adam_;
  ForkGuard fork_;
  std::atomic<bool> is_busy_ = false;
};

}  // namespace

void bind_adam(nb::module_& m) {
  nb::class_<PrivateAdam>(m, "Adam")
      .def(nb::init<const nb::dict&, const nb::dict&, std::optional<std::uint64_t>>(), nb::arg("config"),
           nb::arg("settings"), nb::arg("insecure_test_seed").none())
      .def("step", &PrivateAdam::step)
      .def("set", &PrivateAdam::set)
      .def("state", &PrivateAdam::state)
      .def("restore", &PrivateAdam::restore)
      .def("noise_level", &PrivateAdam::noise_level, nb::arg("steps").none() = nb::none())
      .def_prop_ro("steps_done", &PrivateAdam::steps_done);
}

}  // namespace jme::python
