#include "stream_flags.hpp"

#include <cmath>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "exit_codes.hpp"
#include "field_flags.hpp"

namespace jme::cli {

void StreamFlags::attach(CLI::App& app, RunSettings& given) {
  for (const char* group :
       {"Privacy", "Horizon (public)", "Rows (public)", "What is published", "How the noise is made"}) {
    add_fields(app, given, group);
  }
}

HorizonFlags StreamFlags::horizon() const {
  return {.rows = text("rows"), .steps = text("steps"), .every = text("every")};
}

std::optional<std::size_t> StreamFlags::given_dimension() const {
  const Text& dimension = text("dimension");
  if (!dimension) return std::nullopt;
  return parse_count("dimension", *dimension);
}

Budget StreamFlags::budget() const {
  const Text &epsilon = text("epsilon"), &delta = text("delta"), &sigma = text("sigma");
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
  const Text &balance = text("balance"), &lambda = text("lambda"), &method = text("method");
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
  const Text &method = text("method"), &balance = text("balance");
  const std::size_t fit = rows_that_fit(horizon().horizon(), config.participation);
  if (typed("separation") && config.participation.rows == 1) {
    print_note("--separation is used with --participations of 2 or more only");
  } else if (fit < config.participation.rows) {
    print_note(
        fmt::format("--participations: only {} fit into the horizon, so that many are protected", fit));
  }
  if (!method && !balance) return;
  if (typed("alpha") && config.method != Method::ime) print_note("--alpha is used by --method ime only");
  if (typed("tau") && config.method != Method::cs) print_note("--tau is used by --method cs only");
  if (typed("lambda") && config.method != Method::jme && config.method != Method::lambda_jme) {
    print_note("--lambda is used by --method jme and lambda-jme only");
  }
}

StreamConfig StreamFlags::config(const FromColumns& columns) const {
  const Text &dimension = text("dimension"), &norm_bound = text("norm_bound"), &workload = text("workload"),
             &workload2 = text("workload2"), &second = text("second"), &method = text("method"),
             &shape = text("shape"), &shape2 = text("shape2"), &lambda = text("lambda"),
             &alpha = text("alpha"), &tau = text("tau"), &adjacency = text("adjacency"),
             &participations = text("participations"), &separation = text("separation"),
             &objective = text("objective"), &max_state_vectors = text("max_state_vectors"),
             &threads = text("threads");
  StreamConfig result;
  result.budget = budget();
  const Horizon length = horizon().horizon();
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
  const Text &method = text("method"), &balance = text("balance"), &shape = text("shape");
  PlanScope named;
  if (method || balance) named.method = config.method;
  if (shape && config.shape.kind() != Shape::Kind::automatic) named.shape = config.shape;
  return named;
}

std::string StreamFlags::with_choice(const PlanCandidate& candidate) const {
  const Text& balance = text("balance");
  std::string command;
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
    command += fmt::format("{}--{} {}", command.empty() ? "" : " ", flag, quoted);
  };
  add("epsilon", text("epsilon"));
  add("delta", text("delta"));
  add("sigma", text("sigma"));
  add("adjacency", text("adjacency"));
  add("participations", text("participations"));
  add("separation", text("separation"));
  add("rows", text("rows"));
  add("steps", text("steps"));
  add("every", text("every"));
  add("dimension", text("dimension"));
  add("norm-bound", text("norm_bound"));
  add("workload", text("workload"));
  add("workload2", text("workload2"));
  add("second", text("second"));
  const bool weighted = balance && *balance != "free" && *balance != "balanced";
  if (weighted) {
    add("balance", text("balance"));
  } else {
    add("method", std::string(name(candidate.method)));
  }
  add("shape", candidate.shape.name());
  if (candidate.shape_second) add("shape2", candidate.shape_second->name());
  if (candidate.method == Method::jme || candidate.method == Method::lambda_jme)
    add("lambda", text("lambda"));
  if (candidate.method == Method::ime) add("alpha", text("alpha"));
  if (candidate.method == Method::cs) add("tau", text("tau"));
  add("objective", text("objective"));
  add("threads", text("threads"));
  return command;
}

}  // namespace jme::cli
