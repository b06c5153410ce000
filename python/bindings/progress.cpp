#include "bindings/progress.hpp"

#include <nanobind/stl/optional.h>

namespace nb = nanobind;

namespace jme::python {

namespace {

/// After this time a push is long, and people want to know how far it is.
constexpr std::chrono::seconds patience{2};

}  // namespace

Progress::Push::Push(Progress& progress, nb::handle wanted) : progress_(progress) {
  progress.wanted_ = wanted;
}

Progress::Push::~Push() {
  // What is shown ends with the push, whether or not that failed; an error of the display is not one of the
  // push, which is over.
  if (progress_.shown_.is_valid() && !progress_.shown_.is_none() && nb::hasattr(progress_.shown_, "close")) {
    try {
      progress_.shown_.attr("close")();
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("jme: the progress of a push");
    }
  }
  progress_ = {};
}

void Progress::tell(std::size_t done, std::optional<std::size_t> total) {
  const auto now = std::chrono::steady_clock::now();
  if (!begin_) begin_ = now;
  if (!shown_.is_valid()) {
    if (wanted_.is_none() && now - *begin_ < patience) return;
    shown_ = nb::module_::import_("jme._progress").attr("shown")(wanted_);
  }
  if (!shown_.is_none()) shown_(done, total);
}

}  // namespace jme::python
