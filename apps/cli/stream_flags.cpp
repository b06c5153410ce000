#include "stream_flags.hpp"

#include <cmath>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "exit_codes.hpp"

namespace jme::cli {

void StreamFlags::attach(CLI::App& app) {
  const std::string privacy = "Privacy";
  add_text(app, "--epsilon", epsilon, "E", "Privacy loss, with --delta")->group(privacy);
  add_text(app, "--delta", delta, "D", "Slack of the guarantee, in (0, 1); well below 1/people")
      ->group(privacy);
  add_text(app, "--sigma", sigma, "S", "Noise multiplier, in place of --epsilon and --delta")->group(privacy);
  add_text(app, "--adjacency", adjacency, "A", "replace-one (default) or add-remove")->group(privacy);
  add_text(app, "--participations", participations, "P", "Rows one person may contribute (default 1)")
      ->group(privacy);
  add_text(app, "--separation", separation, "B", "Rows between two of them, at least (default 1)")
      ->group(privacy);

  horizon.attach(app);

  const std::string rows = "Rows (public)";
  add_text(app, "--dimension", dimension, "D", "Numbers in a row")->group(rows);
  add_text(app, "--norm-bound", norm_bound, "Z", "Largest Euclidean length of a row; longer rows are clipped")
      ->group(rows);

  const std::string what = "What is published";
  add_text(app, "--workload,--workload1", workload, "W", workload_help)->group(what);
  add_text(app, "--workload2", workload2, "W", "The same for the second moment (default: as the first)")
      ->group(what);
  add_text(app, "--second", second, "KIND", "Second moment: full (default), diagonal or none")->group(what);

  const std::string how = "How the noise is made";
  add_text(app, "--method", method, "M", "jme (default), lambda-jme, ime, cs, pp or pp-debiased")->group(how);
  add_text(app, "--shape,--shape1", shape, "S", shape_help)->group(how);
  add_text(app, "--shape2", shape2, "S", "The same for the second moment (default: as the first)")
      ->group(how);
  add_text(app, "--lambda", lambda, "L", "Weight of the second moment for jme and lambda-jme")->group(how);
  add_text(app, "--balance", balance, "B",
           "free (default), balanced, or the weight of the second moment's error")
      ->group(how);
  add_text(app, "--alpha", alpha, "A", "ime: the first moment's share of the budget (default 0.5)")
      ->group(how);
  add_text(app, "--tau", tau, "T", "cs: weight of the squares (default 1/norm-bound^2)")->group(how);
  add_text(app, "--objective", objective, "O", "What auto minimises: rmse (default) or max")->group(how);
  add_text(app, "--max-state-vectors", max_state_vectors, "N",
           "Most memory auto may use, in vectors (default 5; windows: 256 MB)")
      ->group(how);
  add_text(app, "--threads", threads, "N",
           "Threads to share large steps among (default: the processor's, where they help)")
      ->group(how);
}

std::optional<std::size_t> StreamFlags::given_dimension() const {
  if (!dimension) return std::nullopt;
  return parse_count("dimension", *dimension);
}

Budget StreamFlags::budget() const {
  if (sigma) {
    if (epsilon || delta) throw InvalidParameter("sigma", "give either sigma or epsilon and delta, not both");
    return {.sigma = parse_positive("sigma", *sigma)};
  }
  if (!epsilon && !delta) {
    throw InvalidParameter(
        "epsilon", "must be given together with delta (or sigma in their place): how much privacy to spend");
  }
  if (!delta)
    throw InvalidParameter("delta", "must be given together with epsilon; well below 1/people, such as 1e-6");
  if (!epsilon) throw InvalidParameter("epsilon", "must be given together with delta");
  // Through the checked types, so that a zero is named here and not mistaken for "not given".
  return {.epsilon = Epsilon(parse_real("epsilon", *epsilon)), .delta = Delta(parse_real("delta", *delta))};
}

void StreamFlags::set_balance(StreamConfig& config) const {
  if (!balance) return;
  if (lambda) throw InvalidParameter("balance", "give either balance or lambda, not both");
  if (method && config.method != Method::jme && config.method != Method::lambda_jme) {
    throw InvalidParameter("balance", *balance, "left out unless the method is jme or lambda-jme");
  }
  if (*balance == "free") {
    config.method = Method::jme;
  } else if (*balance == "balanced") {
    config.method = Method::lambda_jme;  // its default is nu = 1, which is what balanced means
  } else {
    try {
      config.balance = parse_positive("balance", *balance);
    } catch (const InvalidParameter&) {
      throw InvalidParameter("balance", *balance, "free, balanced or a weight above 0");
    }
    config.method = Method::lambda_jme;
  }
}

void StreamFlags::note_unused(const StreamConfig& config) const {
  const std::size_t fit = rows_that_fit(horizon.horizon(), config.participation);
  if (separation && config.participation.rows == 1) {
    print_note("--separation is used with --participations of 2 or more only");
  } else if (fit < config.participation.rows) {
    print_note(
        fmt::format("--participations: only {} fit into the horizon, so that many are protected", fit));
  }
  if (!method && !balance) return;
  if (alpha && config.method != Method::ime) print_note("--alpha is used by --method ime only");
  if (tau && config.method != Method::cs) print_note("--tau is used by --method cs only");
  if (lambda && config.method != Method::jme && config.method != Method::lambda_jme) {
    print_note("--lambda is used by --method jme and lambda-jme only");
  }
}

StreamConfig StreamFlags::config(const FromColumns& columns) const {
  StreamConfig result;
  result.budget = budget();
  const Horizon length = horizon.horizon();
  result.unbounded = length.is_unbounded();
  if (!result.unbounded) result.rows = length.rows();
  result.every = length.every();

  const std::optional<std::size_t> given = given_dimension();
  if (given && columns.dimension && *given != *columns.dimension) {
    throw InvalidParameter("dimension", *dimension,
                           fmt::format("{}, the number of columns", *columns.dimension));
  }
  if (!given && !columns.dimension)
    throw InvalidParameter("dimension", "must be given: how many numbers a row has");
  result.dimension = given ? *given : *columns.dimension;

  if (norm_bound) {
    result.norm_bound = NormBound(parse_real("norm-bound", *norm_bound));
  } else if (columns.norm_bound) {
    result.norm_bound = *columns.norm_bound;
  } else {
    throw InvalidParameter(
        "norm-bound",
        "must be given (or bounds, with run): the longest row that counts in full, longer ones are "
        "clipped to it and the noise hides rows of that length; it must be known in public "
        "beforehand and is never estimated from the data, since an estimate would give data away");
  }

  if (workload) result.workload = parse_workload(*workload, "workload");
  if (workload2) result.workload_second = parse_workload(*workload2, "workload2");
  if (second) result.second = parse_second(*second);
  if (method) result.method = parse_method(*method);
  if (shape) result.shape = parse_shape(*shape, "shape");
  if (shape2) result.shape_second = parse_shape(*shape2, "shape2");
  if (lambda) result.lambda = parse_positive("lambda", *lambda);
  if (alpha) {
    result.alpha = parse_real("alpha", *alpha);
    if (!(result.alpha > 0 && result.alpha < 1)) throw InvalidParameter("alpha", *alpha, "in (0, 1)");
  }
  if (tau) result.tau = parse_positive("tau", *tau);
  set_balance(result);
  if (adjacency) result.adjacency = parse_adjacency(*adjacency);
  if (participations) result.participation.rows = parse_count("participations", *participations);
  if (separation) result.participation.separation = parse_count("separation", *separation);
  if (objective) result.objective = parse_objective(*objective);
  if (max_state_vectors) result.max_state_vectors = parse_count("max-state-vectors", *max_state_vectors, 0);
  if (threads) {
    const std::size_t count = parse_count("threads", *threads);
    if (count > 1024) throw InvalidParameter("threads", *threads, "at most 1024");
    result.threads = static_cast<unsigned>(count);
  }
  note_unused(result);
  return result;
}

PlanScope StreamFlags::scope(const StreamConfig& config) const {
  PlanScope named;
  if (method || balance) named.method = config.method;
  if (shape && config.shape.kind() != Shape::Kind::automatic) named.shape = config.shape;
  return named;
}

std::string StreamFlags::with_choice(const PlanCandidate& candidate) const {
  std::string text;
  const auto add = [&](std::string_view flag, const Text& value) {
    if (!value) return;
    const bool plain = !value->empty() && value->find_first_not_of(
                                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789.,:=@/_+-") == std::string::npos;
    std::string quoted = *value;
    if (!plain) {
      for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 4) {
        quoted.replace(at, 1, "'\\''");
      }
      quoted = '\'' + quoted + '\'';
    }
    text += fmt::format("{}--{} {}", text.empty() ? "" : " ", flag, quoted);
  };
  add("epsilon", epsilon);
  add("delta", delta);
  add("sigma", sigma);
  add("adjacency", adjacency);
  add("participations", participations);
  add("separation", separation);
  add("rows", horizon.rows);
  add("steps", horizon.steps);
  add("every", horizon.every);
  add("dimension", dimension);
  add("norm-bound", norm_bound);
  add("workload", workload);
  add("workload2", workload2);
  add("second", second);
  const bool weighted = balance && *balance != "free" && *balance != "balanced";
  if (weighted) {
    add("balance", balance);
  } else {
    add("method", std::string(name(candidate.method)));
  }
  add("shape", candidate.shape.name());
  if (candidate.shape_second) add("shape2", candidate.shape_second->name());
  if (candidate.method == Method::jme || candidate.method == Method::lambda_jme) add("lambda", lambda);
  if (candidate.method == Method::ime) add("alpha", alpha);
  if (candidate.method == Method::cs) add("tau", tau);
  add("objective", objective);
  add("threads", threads);
  return text;
}

}  // namespace jme::cli
