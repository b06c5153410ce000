#include "theory/recommend.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace jme::theory {
namespace {

using Pool = std::vector<std::size_t>;
using Measure = std::function<double(const PlanCandidate&)>;

double least(const std::vector<PlanCandidate>& candidates, const Pool& pool, const Measure& measure) {
  double value = std::numeric_limits<double>::infinity();
  for (const std::size_t i : pool) value = std::min(value, measure(candidates[i]));
  return value;
}

Pool keep_within(const std::vector<PlanCandidate>& candidates, const Pool& pool, const Measure& measure,
                 double slack) {
  const double limit = least(candidates, pool, measure) * (1 + slack);
  Pool kept;
  for (const std::size_t i : pool) {
    if (measure(candidates[i]) <= limit) kept.push_back(i);
  }
  return kept;
}

double relative(double value, double best) {
  return best > 0 ? value / best : 0;
}

}  // namespace

std::size_t recommend(const std::vector<PlanCandidate>& candidates, const StreamConfig& config) {
  Pool pool;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].fits) pool.push_back(i);
  }
  if (pool.empty()) {
    for (std::size_t i = 0; i < candidates.size(); ++i) pool.push_back(i);
  }
  // Rounding slack and table interpolation move a first error by parts per million; for a difference of one
  // percent no user would give up the second moment.
  constexpr double as_good = 0.01, tie = 1e-6;
  // What is judged of all errors: those of releases that are not about a few people only. Both moments have
  // about the same share of it.
  const auto judged = [](const PlanCandidate& c, double error) {
    if (!c.rmse_late) return error;
    return error * (*c.rmse_late / c.rmse_first) * (*c.rmse_late / c.rmse_first);
  };
  const Measure first = [&](const PlanCandidate& c) { return judged(c, c.error_first); };
  const Measure second = [&](const PlanCandidate& c) { return judged(c, c.error_second.high); };
  const bool nothing_free = config.adjacency == Adjacency::add_remove || config.lambda.has_value();
  if (config.balance) {
    const double weight = *config.balance;
    pool = keep_within(
        candidates, pool, [&](const PlanCandidate& c) { return first(c) + weight * second(c); }, tie);
  } else if (nothing_free) {
    const double best_first = least(candidates, pool, first), best_second = least(candidates, pool, second);
    const Measure both = [&](const PlanCandidate& c) {
      return relative(first(c), best_first) + relative(second(c), best_second);
    };
    pool = keep_within(candidates, pool, both, tie);
  } else {
    pool = keep_within(candidates, pool, first, as_good);
    pool = keep_within(candidates, pool, second, tie);
  }
  return *std::min_element(pool.begin(), pool.end(), [&](std::size_t a, std::size_t b) {
    return candidates[a].state_vectors < candidates[b].state_vectors;
  });
}

}  // namespace jme::theory
