#include "models/release_checks.hpp"

#include <jme/base/errors.hpp>

namespace jme::models {

void check_release(const Release& release, const Units& units) {
  if (release.steps() == 0) throw InvalidParameter("release", "nothing was released yet");
  const auto d = static_cast<Eigen::Index>(release.dimension());
  if (units.centre.size() != d || units.half_width.size() != d) {
    throw InvalidParameter("units", static_cast<double>(units.centre.size()),
                           "one centre and half-width per column");
  }
}

void check_second(const Release& release, const Units& units, bool full) {
  check_release(release, units);
  if (release.second_kind() == SecondMoment::none || (full && release.second_kind() != SecondMoment::full)) {
    throw InvalidParameter(
        "second", full ? "the covariance needs the full second moment" : "the stream has no second moment");
  }
}

void check_weights(const Release& release) {
  // Noisy counts are divided by in their place.
  if (release.layout().cell_counts || release.layout().row_count) return;
  const bool has_second = release.second_kind() != SecondMoment::none;
  if (!(release.weight_first() > 0) || (has_second && !(release.weight_second() > 0))) {
    throw InvalidParameter("workload", "an average needs weights whose sum is above 0");
  }
}

}  // namespace jme::models
