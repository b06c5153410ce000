#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/calibration/batch_calibration.hpp>
#include <jme/sensitivity/batch.hpp>
#include <jme/sensitivity/square_clip.hpp>

namespace jme {
namespace {

constexpr std::array<std::pair<std::string_view, BatchMethod>, 6> names{
    {{"jme", BatchMethod::jme},
     {"jme-batch-mean", BatchMethod::jme_batch_mean},
     {"jme-paper", BatchMethod::jme_paper},
     {"pp", BatchMethod::pp},
     {"pp-debiased", BatchMethod::pp_debiased},
     {"joint-clip", BatchMethod::joint_clip}}};

/// As in calibration.cpp: covers the column norms, known to 1e-12, and the roundings made here.
double rounded_up(double value) {
  return value * (1 + 2e-12);
}

/// Root of the largest pattern sum, each column counted with the larger of its two gains.
double column_norm_of_both(const Exposure& exposure) {
  double largest = 0;
  for (const auto& pattern : exposure.patterns) {
    double sum = 0;
    for (const ColumnGain& gain : pattern) sum += std::max(gain.first, gain.second);
    largest = std::max(largest, sum);
  }
  return std::sqrt(largest);
}

/// The dominating pair of sampled replace-one is stated for two moves away from the batch without the row,
/// each of which may be rounded in the worse direction.
double moves_of(const BatchCalibrationRequest& request) {
  return request.sampled && request.rows.adjacency == Adjacency::replace_one ? 2 : 1;
}

/// Sensitivity of (first channel, sqrt(lambda) second channel), without rounding; the first channel is the
/// sum.
double data_sensitivity(const BatchCalibrationRequest& request) {
  RowModel rows = request.rows;
  const double moves = moves_of(request);
  if (moves > 1) rows.adjacency = Adjacency::add_remove;
  const Exposure& exposure = request.exposure;
  switch (request.method) {
    case BatchMethod::jme:
      if (request.square_clip)
        return moves * clipped_square_sensitivity(rows, *request.square_clip, exposure, request.lambda);
      return moves * joint_sensitivity(rows, exposure, request.lambda);
    case BatchMethod::jme_batch_mean: {
      // The mean's pair (u, sqrt(lambda) v), times m: the sum has m u, and std2 is divided by m below.
      const auto m = static_cast<double>(request.batch);
      return m * batch_sensitivity(Squares::batch_mean, rows, request.batch, exposure, request.lambda);
    }
    case BatchMethod::jme_paper:
      return joint_sensitivity(rows, exposure, request.lambda);
    case BatchMethod::pp:
    case BatchMethod::pp_debiased:
      return moves * first_sensitivity(rows, exposure);
    case BatchMethod::joint_clip:
      // One vector in a ball: its two parts go through C1 and C2, of which the larger norm counts.
      return moves * (rows.adjacency == Adjacency::replace_one ? 2 : 1) * rows.norm_bound *
             column_norm_of_both(exposure);
  }
  throw InvalidParameter("method", "unknown");
}

void check(const BatchCalibrationRequest& request) {
  if (!(request.sigma > 0) || !std::isfinite(request.sigma))
    throw InvalidParameter("sigma", request.sigma, "a finite number above 0");
  if (request.batch == 0) throw InvalidParameter("batch", 0, "a whole number of at least 1");
  if (request.rows.geometry != Geometry::ball || request.rows.presence != Presence::complete ||
      request.rows.counts_rows) {
    throw InvalidParameter("geometry", "must be ball, without counts, for batches of gradients");
  }
  if (has_second_channel(request.method) && (!(request.lambda > 0) || !std::isfinite(request.lambda)))
    throw InvalidParameter("lambda", request.lambda, "a finite number above 0");
  if (request.square_clip && request.method != BatchMethod::jme)
    throw InvalidParameter("square-clip", "only jme has sums of squares whose coordinates can be bounded");
  if (request.sampled && request.method == BatchMethod::jme_batch_mean) {
    throw InvalidParameter("sampling-rate",
                           "must be 1 for jme-batch-mean: its sensitivity holds for batches of a fixed size");
  }
  for (const double slack : {request.slack.first, request.slack.second}) {
    if (!(slack >= 0) || !std::isfinite(slack))
      throw InvalidParameter("rounding slack", slack, "a finite number of at least 0");
  }
}

}  // namespace

BatchMethod parse_batch_method(std::string_view text) {
  for (const auto& [known, method] : names) {
    if (known == text) return method;
  }
  throw InvalidParameter("method", text, "jme, jme-batch-mean, jme-paper, pp, pp-debiased or joint-clip");
}

std::string_view name(BatchMethod method) {
  for (const auto& [known, value] : names) {
    if (value == method) return known;
  }
  return "unknown";
}

Calibration calibrate_batch(const BatchCalibrationRequest& request) {
  check(request);
  const double first_slack = moves_of(request) * request.slack.first * first_column_norm(request.exposure);
  if (!has_second_channel(request.method)) {
    const double sensitivity = data_sensitivity(request) + first_slack;
    return {.std_first = rounded_up(request.sigma * sensitivity),
            .std_second = 0,
            .lambda = 0,
            .sensitivity = sensitivity};
  }
  // Beside the sum, squares of the mean weigh m times as much as beside the mean.
  const double batch = request.method == BatchMethod::jme_batch_mean ? static_cast<double>(request.batch) : 1;
  const double root = batch * std::sqrt(request.lambda);
  const double second_slack = moves_of(request) * request.slack.second * second_column_norm(request.exposure);
  const double sensitivity = data_sensitivity(request) + first_slack + root * second_slack;
  return {.std_first = rounded_up(request.sigma * sensitivity),
          .std_second = rounded_up(request.sigma * sensitivity / root),
          .lambda = root * root,
          .sensitivity = sensitivity};
}

}  // namespace jme
