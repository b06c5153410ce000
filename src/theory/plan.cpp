#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <jme/base/cancellation.hpp>
#include <jme/base/errors.hpp>
#include <jme/theory/plan.hpp>

#include "mechanism/mechanism_family.hpp"
#include "mechanism/people_shape.hpp"
#include "theory/noisy_error.hpp"
#include "theory/pp_error.hpp"
#include "theory/recommend.hpp"

namespace jme {
namespace {

// Predicting shaped PP costs one recursion per row and shape; beyond this many rows it is done only for
// shapes that are named.
constexpr std::size_t longest_unasked_pp = 65536;
// PP's errors need a few numbers per ROW, whatever the schedule of releases.
constexpr std::size_t longest_pp = std::size_t{1} << 22;

// A shape for each channel; without a second the same in both.
struct Trial {
  Shape first;
  std::optional<Shape> second;

  [[nodiscard]] std::string name() const {
    return second ? fmt::format("{} and {}", first.name(), second->name()) : first.name();
  }
};

bool names(const std::optional<Shape>& shape) {
  return shape && shape->kind() != Shape::Kind::automatic;
}

std::vector<Method> methods(const StreamConfig& config, const PlanScope& scope) {
  if (scope.method) return {*scope.method};
  if (config.second == SecondMoment::none) return {Method::jme};  // one channel: all methods are the same
  return {Method::jme, Method::lambda_jme, Method::ime, Method::cs, Method::pp, Method::pp_debiased};
}

// Candidates for either channel's workload, and what `auto` means in each; for the second channel its own
// shape where one is named.
std::vector<Trial> trials(const StreamConfig& config, const PlanScope& scope, const Horizon& horizon,
                          bool pp) {
  const bool two_shapes = config.second != SecondMoment::none && !pp;
  std::optional<Shape> second;
  const auto best = [&](const Workload& workload) {
    return rows_fill_several_steps(workload, horizon, config.participation)
               ? choose_people_shape(workload, horizon, config.objective, state_limit(config),
                                     config.participation)
               : choose_shape(workload, horizon, config.objective, state_limit(config));
  };
  const Workload& workload_second = config.workload_second ? *config.workload_second : config.workload;
  if (two_shapes && names(config.shape_second)) second = config.shape_second;
  if (names(scope.shape)) {
    if (two_shapes && config.shape_second && !second) second = best(workload_second);
    return {{.first = *scope.shape, .second = second}};
  }

  std::vector<Trial> all;
  const auto add = [&](Trial trial) {
    if (trial.second && trial.second->name() == trial.first.name()) trial.second.reset();
    if (std::none_of(all.begin(), all.end(), [&](const Trial& t) { return t.name() == trial.name(); })) {
      all.push_back(std::move(trial));
    }
  };
  for (Shape& shape : candidate_shapes(config.workload, horizon))
    add({.first = std::move(shape), .second = second});
  if (two_shapes && config.workload_second) {
    for (Shape& shape : candidate_shapes(*config.workload_second, horizon)) {
      add({.first = std::move(shape), .second = second});
    }
  }
  if (pp) return all;  // its `auto` is the identity
  if (two_shapes && config.workload_second && !second) second = best(workload_second);
  add({.first = best(config.workload), .second = second});
  return all;
}

// Checks the parameters that every candidate needs, so that there is one clear error and not one per
// candidate.
Horizon checked_horizon(const StreamConfig& config) {
  StreamConfig plain = config;
  plain.method = Method::jme;
  plain.second = SecondMoment::none;  // so that neither lambda nor a second shape is needed
  plain.shape = Shape::identity();
  plain.shape_second.reset();
  return Mechanism(plain).horizon();
}

bool grows_with_the_stream(const Shape& shape) {
  return shape.kind() == Shape::Kind::square_root || shape.kind() == Shape::Kind::dense ||
         shape.kind() == Shape::Kind::custom;
}

std::string note(const Mechanism& mechanism, const PlanCandidate& candidate) {
  std::vector<std::string> parts;
  const bool pp = squares_noisy_rows(candidate.method) && mechanism.has_second();
  if (pp && mechanism.horizon().every() > 1)
    parts.emplace_back("adds noise to every row, not to every block");
  if (pp && candidate.shape.kind() != Shape::Kind::identity) {
    parts.emplace_back("squaring the rows destroys the cancellation of shaped noise");
  }
  if (candidate.method == Method::pp && mechanism.has_second()) parts.emplace_back("second moment is biased");
  const bool grows = grows_with_the_stream(candidate.shape) ||
                     (candidate.shape_second && grows_with_the_stream(*candidate.shape_second));
  if (grows) parts.emplace_back("its state grows with the stream");
  if (!candidate.fits) {
    parts.push_back(fmt::format("state above max-state-vectors = {}",
                                mechanism.config().max_state_vectors.value_or(StateLimit{}.vectors)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

class Planner {
 public:
  Planner(const StreamConfig& config, const PlanScope& scope)
      : config_(config), scope_(scope), horizon_(checked_horizon(config)) {}

  Plan run() {
    for (const Method method : methods(config_, scope_)) try_method(method);
    if (plan_.candidates.empty()) std::rethrow_exception(first_failure_);
    plan_.recommended = theory::recommend(plan_.candidates, config_);
    return std::move(plan_);
  }

 private:
  void try_method(Method method) {
    const bool pp = squares_noisy_rows(method);
    if (pp && horizon_.rows() > longest_pp && !scope_.method) {
      plan_.left_out.push_back(
          fmt::format("{}: needs memory for every row to predict; name the method to see it", name(method)));
      return;
    }
    std::optional<std::vector<Trial>>& trials_of = pp ? trials_over_rows_ : trials_over_steps_;
    if (!trials_of) trials_of = trials(config_, scope_, pp ? horizon_.by_row() : horizon_, pp);
    for (Trial& trial : *trials_of) {
      check_cancelled();
      const bool unasked = pp && trial.first.kind() != Shape::Kind::identity && !names(scope_.shape);
      if (unasked && horizon_.rows() > longest_unasked_pp) {
        leave_out(method, trial, "takes long to predict at this many rows; name the shape to see it");
        continue;
      }
      try {
        add(method, trial);
      } catch (const InvalidParameter& error) {
        if (!first_failure_) first_failure_ = std::current_exception();
        leave_out(method, trial, error.what());
      }
    }
  }

  void leave_out(Method method, const Trial& trial, std::string_view why) {
    plan_.left_out.push_back(fmt::format("{} with {}: {}", name(method), trial.name(), why));
  }

  void add(Method method, const Trial& trial) {
    StreamConfig config = config_;
    config.method = method;
    config.shape = trial.first;
    config.shape_second = trial.second;
    const bool pp = squares_noisy_rows(method);
    const bool dense = trial.first.kind() == Shape::Kind::dense && !trial.second;
    std::optional<Trial>& optimum = pp ? dense_over_rows_ : dense_over_steps_;
    if (dense && optimum) {
      config.shape = optimum->first;
      config.shape_second = optimum->second;
    }
    const Mechanism mechanism(config, family_);
    if (dense && !optimum) {
      optimum = Trial{.first = Shape::custom(mechanism.c1().matrix(), "dense"), .second = std::nullopt};
      if (mechanism.has_second() && !pp) optimum->second = Shape::custom(mechanism.c2().matrix(), "dense");
    }
    const Calibration& calibration = mechanism.calibration();
    const ExpectedError error = predict(mechanism, trial);
    const auto n = static_cast<double>(mechanism.error_steps()), d = static_cast<double>(config.dimension);
    const double entries = config.second == SecondMoment::full ? d * d : d;
    PlanCandidate candidate{
        .method = method,
        .shape = trial.first,
        .shape_second = std::nullopt,
        .lambda = calibration.lambda,
        .geometry = mechanism.geometry(),
        .noise = calibration,
        .error_first = error.first,
        .error_second = error.second,
        .rmse_first = std::sqrt(error.first / (n * d)),
        .rmse_second = std::sqrt(error.second.high / (n * entries)),
        .rmse_late = std::nullopt,
        .state_vectors = mechanism.c1().inverse_state_vectors(),
        .fits = state_limit(config).admits(mechanism.c1()),
        .note = {},
    };
    if (mechanism.has_second() && !pp) {
      candidate.state_vectors = std::max(candidate.state_vectors, mechanism.c2().inverse_state_vectors());
      candidate.fits = candidate.fits && state_limit(config).admits(mechanism.c2());
      if (method != Method::cs) candidate.shape_second = trial.second;  // cs has one shape for both
    }
    if (!pp && rows_fill_several_steps(config.workload, horizon_, config.participation)) {
      candidate.rmse_late =
          calibration.std_first * std::sqrt(judged_row_norm(mechanism.a1(), mechanism.c1(), horizon_,
                                                            config.participation, Objective::rmse));
    }
    candidate.note = note(mechanism, candidate);
    plan_.candidates.push_back(std::move(candidate));
  }

  ExpectedError predict(const Mechanism& mechanism, const Trial& trial) {
    const bool cs = mechanism.config().method == Method::cs;
    if (!squares_noisy_rows(mechanism.config().method)) {
      // The methods share their filters, but for cs where the channels differ: it runs the first one's C in
      // both.
      const bool apart = cs && !mechanism.second_is_like_first();
      const std::string key = fmt::format("{}{}", trial.name(), apart ? ", one shape" : "");
      const auto known = norms_.try_emplace(key).first;
      if (!known->second) known->second = theory::error_norms(mechanism);
      return theory::noisy_error(mechanism, *known->second, Count::symmetric);
    }
    if (!mechanism.has_second()) return expected_error(mechanism);
    // pp and pp-debiased differ in one term only.
    const auto known = pp_norms_.try_emplace(trial.name()).first;
    if (!known->second) {
      const std::size_t limit = names(scope_.shape) ? theory::most_dense_rows : theory::quick_dense_rows;
      known->second = {.first = theory::pp_first_norms(mechanism),
                       .second = theory::pp_terms(mechanism, limit)};
    }
    return {.first = theory::pp_first_error(mechanism, known->second->first),
            .second = theory::pp_second_error(mechanism, known->second->second)};
  }

  const StreamConfig& config_;
  const PlanScope& scope_;
  Horizon horizon_;
  Plan plan_{.candidates = {}, .recommended = 0, .left_out = {}};
  std::exception_ptr first_failure_;
  std::optional<std::vector<Trial>> trials_over_steps_, trials_over_rows_;
  // The dense optimum takes long to find, so it is found once and then passed on as a matrix.
  std::optional<Trial> dense_over_steps_, dense_over_rows_;
  MechanismFamily family_;
  std::map<std::string, std::optional<theory::ErrorNorms>> norms_;
  struct PpNorms {
    double first;
    theory::PpTerms second;
  };
  std::map<std::string, std::optional<PpNorms>> pp_norms_;
};

}  // namespace

Plan plan(const StreamConfig& config, const PlanScope& scope) {
  return Planner(config, scope).run();
}

}  // namespace jme
