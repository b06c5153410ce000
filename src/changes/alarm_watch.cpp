#include <algorithm>
#include <cmath>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/changes/alarms.hpp>
#include <jme/changes/compare.hpp>
#include <jme/changes/multiplicity.hpp>

namespace jme {
namespace {

/// A number that JSON can hold, however large the evidence is.
constexpr double most_log_e = 690;

bool is_change(const AlarmRule& rule) {
  return rule.kind == AlarmRule::Kind::changes;
}

}  // namespace

AlarmWatch::AlarmWatch(const Mechanism& mechanism, const Units& units, AlarmOptions options)
    : options_(std::move(options)),
      units_(units),
      workload_(mechanism.workload_first()),
      horizon_(mechanism.horizon()),
      states_(options_.rules.size()) {
  check_alarms(options_, mechanism.config());
  const RowVariance largest = public_row_variance(mechanism);
  for (std::size_t i = 0; i < options_.rules.size(); ++i) {
    const AlarmRule& rule = options_.rules[i];
    if (!is_change(rule)) continue;
    const double bound = largest.bound[rule.index];
    const double unit = units_.half_width(static_cast<Eigen::Index>(rule.index));
    const double given = rule.sd ? *rule.sd / unit : std::sqrt(bound);
    try {
      changes_.push_back({.rule = i,
                          .increments = Increments(workload_, horizon_),
                          .test = ChangeTest(mechanism.c1(), mechanism.calibration().std_first,
                                             change_grid(horizon_, std::sqrt(bound))),
                          .row_variance = std::min(bound, given * given),
                          .any_law = !rule.sd});
    } catch (const InvalidParameter& error) {
      throw InvalidParameter("alarm", rule.text, std::string("left out: ") + error.what());
    }
  }
}

double AlarmWatch::share(std::size_t step) const {
  if (!horizon_.is_unbounded()) return 1 / static_cast<double>(horizon_.steps());
  const auto t = static_cast<double>(step + 1);
  return 1 / (t * (t + 1));
}

AlarmState AlarmWatch::limit_state(std::size_t rule, const Release& release) const {
  const AlarmRule& about = options_.rules[rule];
  const auto k = static_cast<Eigen::Index>(about.index);
  const double limit = (about.limit - units_.centre(k)) / units_.half_width(k);
  double count = release.weight_first(), std_count = 0;
  if (release.layout().cell_counts) {
    count = release.counts()[about.index];
    std_count = release.std_count();
  } else if (release.row_count()) {
    count = *release.row_count();
    std_count = release.std_rows();
  }
  const double beyond = release.first()[about.index] - limit * count;
  const double std = std::hypot(release.std_first(), limit * std_count);
  const double level = options_.level / static_cast<double>(options_.rules.size()) * share(step_);
  AlarmState state{.evidence = (about.kind == AlarmRule::Kind::above ? beyond : -beyond) / std,
                   .needed = upper_quantile(level)};
  // Noise alone takes the evidence up and down: an alarm that stands ends at half of what raises one.
  const double keeps = states_[rule].raised ? state.needed / 2 : state.needed;
  state.raised = state.evidence >= keeps;
  return state;
}

AlarmState AlarmWatch::change_state(Change& change, const Release& release, const BlockWeights& weights) {
  const std::size_t column = options_.rules[change.rule].index;
  const double value = release.first()[column] * release.count_unit();
  const double increment = change.increments.next(step_, release.rows(), value);
  change.test.next(increment, weights.sum, change.row_variance * weights.squares);
  double needed = static_cast<double>(options_.rules.size()) / options_.level;
  if (change.any_law) needed /= share(step_);
  AlarmState state{.evidence = std::exp(std::min(change.test.log_e(), most_log_e)), .needed = needed};
  state.raised = states_[change.rule].raised || change.test.log_e() >= std::log(needed);
  if (state.raised) {
    state.change_t = states_[change.rule].change_t;
    if (!state.change_t) {
      const std::size_t start = change.test.likely_start().value_or(0);
      state.change_t = start == 0 ? 0 : rows_[start - 1];
    }
  }
  return state;
}

const std::vector<AlarmState>& AlarmWatch::next(const Release& release) {
  if (release.steps() != step_ + 1) {
    throw StateError("alarms need all releases of a stream, one after another from the first one on");
  }
  const std::size_t rows = release.rows() - rows_before_;
  if (!changes_.empty()) rows_.push_back(release.rows());
  const auto take = [&](std::size_t rule, AlarmState state) {
    const AlarmState& before = states_[rule];
    state.is_new = state.raised && !before.raised;
    if (state.raised) state.since = state.is_new ? release.rows() : before.since;
    states_[rule] = state;
  };
  for (std::size_t rule = 0; rule < options_.rules.size(); ++rule) {
    if (!is_change(options_.rules[rule])) take(rule, limit_state(rule, release));
  }
  if (!changes_.empty()) {
    const BlockWeights weights = block_weights(workload_, horizon_, rows);
    for (Change& change : changes_) take(change.rule, change_state(change, release, weights));
  }
  rows_before_ = release.rows();
  ++step_;
  return states_;
}

}  // namespace jme
