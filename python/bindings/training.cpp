#include "bindings/training.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <jme/base/adjacency.hpp>
#include <jme/base/errors.hpp>
#include <jme/mechanism/batch_mechanism.hpp>
#include <jme/training/batch_sampler.hpp>
#include <jme/training/clipped_sums.hpp>
#include <jme/training/debiased_noise.hpp>

#include "bindings/arrays.hpp"
#include "bindings/batch_config.hpp"
#include "bindings/calls.hpp"
#include "bindings/one_thread.hpp"
#include "moments/fork_guard.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Batches in one process: a child that was forked would draw the same ones.
class Sampler {
 public:
  Sampler(std::size_t examples, double probability, std::optional<std::uint64_t> insecure_test_seed)
      : sampler_(insecure_test_seed
                     ? BatchSampler(examples, probability, InsecureTestSeed{*insecure_test_seed})
                     : BatchSampler(examples, probability)) {}
  [[nodiscard]] nb::ndarray<nb::numpy, std::int64_t> draw(std::uint64_t step) const {
    fork_.check();
    std::vector<std::int64_t> chosen;
    {
      const Unlocked unlocked;
      const std::vector<std::uint32_t> drawn = sampler_.draw(step);
      chosen.assign(drawn.begin(), drawn.end());
    }
    const std::size_t count = chosen.size();
    return array_of(std::move(chosen), {count});
  }

 private:
  BatchSampler sampler_;
  ForkGuard fork_;
};

/// Numbers that belong to `owner`, as they stand.
nb::ndarray<nb::numpy, double> view_of(std::span<double> numbers, nb::handle owner) {
  return nb::ndarray<nb::numpy, double>(numbers.data(), {numbers.size()}, owner);
}

/// Sums of clipped gradients, which one thread at a time may change.
class SummedGradients {
 public:
  explicit SummedGradients(const BatchMechanism& mechanism)
      : sums_(clipping_of(mechanism), mechanism.config().dimension,
              takes_squares(mechanism.config().method)) {}

  /// The rows of every layer must be there.
  std::int64_t add(const std::vector<Rows>& layers, std::size_t examples) {
    const OneThread::Use use(thread_);
    std::vector<GradientRows> rows;
    rows.reserve(layers.size());
    for (const Rows& layer : layers) {
      if (layer.shape(0) < examples) throw DataError("gradients: a layer has fewer rows than examples");
      rows.push_back({.values = layer.data(), .count = layer.shape(1)});
    }
    const Unlocked unlocked;
    std::vector<bool> kept;
    return sums_.add(rows, examples, kept);
  }
  void add_to(const Floats& gradients, const Floats& squares) {
    const OneThread::Use use(thread_);
    const Unlocked unlocked;
    sums_.add_to({gradients.data(), gradients.size()}, {squares.data(), squares.size()});
  }
  void clear() {
    const OneThread::Use use(thread_);
    sums_.clear();
  }
  ClippedSums& sums() {
    const OneThread::Use use(thread_);
    return sums_;
  }

 private:
  ClippedSums sums_;
  OneThread thread_{"the sums are"};
};

/// Infinite where nothing is promised.
double epsilon_after(const BatchMechanism& mechanism, double delta, std::optional<std::size_t> steps) {
  if (!mechanism.is_private()) return std::numeric_limits<double>::infinity();
  const Unlocked unlocked;
  return mechanism.privacy(Delta(delta), steps).epsilon;
}

void bind_mechanism(nb::module_& m) {
  nb::class_<BatchMechanism>(m, "BatchMechanism")
      .def("__init__",
           [](BatchMechanism* self, const nb::dict& settings) {
             const BatchConfig config = batch_config_of(settings);
             const Unlocked unlocked;
             new (self) BatchMechanism(config);
           })
      .def("epsilon", &epsilon_after, nb::arg("delta"), nb::arg("steps").none())
      .def_prop_ro("sigma", &BatchMechanism::sigma)
      .def_prop_ro("lambda_", &BatchMechanism::lambda)
      .def_prop_ro("sum_error", &BatchMechanism::sum_error)
      .def_prop_ro("std_first", [](const BatchMechanism& self) { return self.calibration().std_first; })
      .def_prop_ro(
          "std_second",
          [](const BatchMechanism& self) { return self.has_second() ? self.calibration().std_second : 0.0; })
      .def_prop_ro("takes_squares",
                   [](const BatchMechanism& self) { return takes_squares(self.config().method); })
      .def_prop_ro("is_private", &BatchMechanism::is_private)
      .def_prop_ro("shape", [](const BatchMechanism& self) { return self.config().shape.name(); })
      .def("debiased_noise", &debiased_noise, nb::arg("beta_second"), nb::arg("steps"));
}

}  // namespace

void bind_training(nb::module_& m) {
  bind_mechanism(m);
  nb::class_<Sampler>(m, "BatchSampler")
      .def(nb::init<std::size_t, double, std::optional<std::uint64_t>>(), nb::arg("examples"),
           nb::arg("probability"), nb::arg("insecure_test_seed").none())
      .def("draw", &Sampler::draw);
  nb::class_<SummedGradients>(m, "ClippedSums")
      .def(nb::init<const BatchMechanism&>())
      .def("add", &SummedGradients::add)
      .def("add_to", &SummedGradients::add_to)
      .def("clear", &SummedGradients::clear)
      .def("raw_gradients",
           [](const nb::object& self) {
             return view_of(nb::cast<SummedGradients&>(self).sums().gradients(), self);
           })
      .def("raw_squares", [](const nb::object& self) {
        return view_of(nb::cast<SummedGradients&>(self).sums().squares(), self);
      });
  m.def("clipped_sum_error", &clipped_sum_error, nb::arg("examples"), nb::arg("probability"));
}

}  // namespace jme::python
