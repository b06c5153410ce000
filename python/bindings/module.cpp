#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <jme/version.hpp>

#include "bindings/answers.hpp"
#include "bindings/block_sum.hpp"
#include "bindings/calls.hpp"
#include "bindings/collector.hpp"
#include "bindings/errors.hpp"
#include "bindings/releases.hpp"
#include "bindings/service.hpp"
#include "bindings/settings.hpp"
#include "bindings/slot_sums.hpp"
#include "bindings/stream.hpp"
#include "bindings/training.hpp"

// What jme._core offers to the package around it; people use the package.
NB_MODULE(_core, m) {
  nanobind::set_leak_warnings(false);  // an interpreter may end while streams are open
  jme::python::translate_errors();
  jme::python::watch_the_end();
  jme::python::bind_settings(m);
  jme::python::bind_collector(m);
  jme::python::bind_releases(m);
  jme::python::bind_stream(m);
  jme::python::bind_block_sum(m);
  jme::python::bind_slot_sums(m);
  jme::python::bind_service(m);
  jme::python::bind_answers(m);
  jme::python::bind_training(m);
  jme::python::bind_adam(m);
  m.attr("version") = std::string(jme::version);
}
