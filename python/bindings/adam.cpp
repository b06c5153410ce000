#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <jme/base/errors.hpp>
#include <jme/models/adam.hpp>

#include "bindings/arrays.hpp"
#include "bindings/batch_config.hpp"
#include "bindings/calls.hpp"
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
  const Unlocked unlocked;
  return seed ? Adam(batches, own, InsecureTestSeed{*seed}) : Adam(batches, own);
}

/// Key and nonce of processes that train together, as one of them gives them to the others.
nb::bytes new_noise_secret(std::optional<std::uint64_t> seed) {
  const Key key = seed ? InsecureTestSeed{*seed}.key() : Key::from_system();
  const Nonce nonce = seed ? Nonce{} : nonce_from_system();
  std::array<std::uint8_t, 32 + 16> secret{};
  std::copy(key.bytes().begin(), key.bytes().end(), secret.begin());
  std::copy(nonce.begin(), nonce.end(), secret.begin() + 32);
  return nb::bytes(secret.data(), secret.size());
}

NoiseShare noise_share_of(const nb::bytes& secret, CoordinateSlice slice) {
  std::array<std::uint8_t, 32> key{};
  Nonce nonce{};
  if (secret.size() != key.size() + nonce.size()) throw StateError("noise: the secret has the wrong length");
  const auto* bytes = static_cast<const std::uint8_t*>(secret.data());
  std::copy_n(bytes, key.size(), key.begin());
  std::copy_n(bytes + key.size(), nonce.size(), nonce.begin());
  return {.key = Key(key), .nonce = nonce, .slice = slice};
}

/// `add_up`: gets an array, which it may not keep, and replaces its numbers by their sums over all processes.
Adam shared_adam_of(const nb::dict& config, const nb::dict& settings, const nb::bytes& secret,
                    std::pair<std::size_t, std::size_t> slice, const nb::callable& add_up) {
  const BatchConfig batches = batch_config_of(config);
  const AdamSettings own = settings_of(settings);
  AdamShare share{.noise = noise_share_of(secret, {.begin = slice.first, .count = slice.second}),
                  .add_up = [add_up](std::span<double> numbers) {
                    const nb::gil_scoped_acquire acquired;
                    add_up(nb::ndarray<nb::numpy, double>(numbers.data(), {numbers.size()}, nb::none()));
                  }};
  return {batches, own, std::move(share)};
}

std::pair<std::size_t, std::size_t> coordinate_slice(std::size_t dimension, std::size_t part,
                                                     std::size_t parts) {
  const CoordinateSlice slice = CoordinateSlice::of(dimension, part, parts);
  return {slice.begin, slice.count};
}

/// Adam in one process, one call at a time.
class PrivateAdam {
 public:
  PrivateAdam(const nb::dict& config, const nb::dict& settings, std::optional<std::uint64_t> seed)
      : adam_(adam_of(config, settings, seed)) {}
  PrivateAdam(const nb::dict& config, const nb::dict& settings, const nb::bytes& secret,
              std::pair<std::size_t, std::size_t> slice, const nb::callable& add_up)
      : adam_(shared_adam_of(config, settings, secret, slice, add_up)) {}

  void step(const Floats& parameters, const ConstFloats& gradients, const ConstFloats& squares,
            std::size_t examples) {
    const Use use(*this);
    const Unlocked unlocked;
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
      .def(nb::init<const nb::dict&, const nb::dict&, const nb::bytes&, std::pair<std::size_t, std::size_t>,
                    const nb::callable&>(),
           nb::arg("config"), nb::arg("settings"), nb::arg("secret"), nb::arg("slice"), nb::arg("add_up"))
      .def("step", &PrivateAdam::step)
      .def("set", &PrivateAdam::set)
      .def("state", &PrivateAdam::state)
      .def("restore", &PrivateAdam::restore)
      .def("noise_level", &PrivateAdam::noise_level, nb::arg("steps").none() = nb::none())
      .def_prop_ro("steps_done", &PrivateAdam::steps_done);
  m.def("new_noise_secret", &new_noise_secret, nb::arg("insecure_test_seed").none());
  m.def("coordinate_slice", &coordinate_slice, nb::arg("dimension"), nb::arg("part"), nb::arg("parts"));
}

}  // namespace jme::python
