#include <cstddef>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/theory/expected_error.hpp>

#include "filter/error_norm_stream.hpp"
#include "filter/norms.hpp"
#include "theory/cross_term.hpp"
#include "theory/noisy_error.hpp"
#include "theory/pp_error.hpp"
#include "theory/release_gram.hpp"
#include "theory/squared_noise.hpp"

namespace jme {
double counted_coordinates(const Mechanism& mechanism, Count count) {
  const StreamConfig& config = mechanism.config();
  const Calibration& noise = mechanism.calibration();
  const auto d = static_cast<double>(config.dimension);
  if (config.second == SecondMoment::none) return 0;
  if (config.second == SecondMoment::diagonal) return d;
  if (count == Count::paper) return d + d * (d - 1) / (1 - noise.trace_share);
  if (mechanism.geometry() == Geometry::ball) return d * (d + 1) / 2;
  const double ratio = noise.std_off_diagonal / noise.std_diagonal();
  return d + d * (d - 1) * ratio * ratio;
}

ExpectedError expected_error(const Mechanism& mechanism, Count count) {
  const StreamConfig& config = mechanism.config();
  if (squares_noisy_rows(config.method)) {
    const double first = theory::pp_first_error(mechanism, theory::pp_first_norms(mechanism));
    if (!mechanism.has_second()) return {.first = first, .second = {0, 0}};
    return {.first = first, .second = theory::pp_second_error(mechanism, theory::pp_terms(mechanism))};
  }
  return theory::noisy_error(mechanism, theory::error_norms(mechanism), count);
}

Interval pp_cross_term(const Filter& a2, const Filter& c1, std::size_t dimension) {
  if (a2.steps() != c1.steps()) throw InvalidParameter("shape", "must have as many steps as the workload");
  const Eigen::MatrixXd a = a2.to_dense();
  return theory::sup_over_unit_rows((a.transpose() * a).cwiseProduct(theory::noise_covariance(c1)),
                                    dimension);
}

ReleaseVariance release_variance(const Mechanism& mechanism) {
  const Calibration& calibration = mechanism.calibration();
  const auto scaled = [](std::vector<double> norms, double deviation) {
    for (double& norm : norms) norm *= deviation * deviation;
    return norms;
  };
  if (squares_noisy_rows(mechanism.config().method)) {
    return {.first = scaled(
                theory::release_row_norms(mechanism.workload_first(), mechanism.horizon(), mechanism.c1()),
                calibration.std_first),
            .second = {}};
  }
  const auto norms = [&](const Filter& a, const Filter& c) {
    std::vector<double> first_norms(mechanism.error_steps());
    ErrorNormStream(a, c).next(first_norms);
    return first_norms;
  };
  ReleaseVariance variance{.first = scaled(norms(mechanism.a1(), mechanism.c1()), calibration.std_first),
                           .second = {}};
  if (mechanism.has_second()) {
    variance.second = scaled(norms(mechanism.a2(), mechanism.c2()), calibration.std_diagonal());
  }
  return variance;
}

}  // namespace jme
