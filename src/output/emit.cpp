#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jme/base/errors.hpp>
#include <jme/base/horizon.hpp>
#include <jme/base/parse.hpp>
#include <jme/output/emit.hpp>

#include "columns/number.hpp"

namespace jme {

namespace {

struct Word {
  Emit kind;
  std::string_view text;
};
constexpr std::array emit_words{Word{Emit::first, "first"},
                                Word{Emit::second, "second"},
                                Word{Emit::mean, "mean"},
                                Word{Emit::covariance, "covariance"},
                                Word{Emit::correlation, "correlation"},
                                Word{Emit::precision, "precision"},
                                Word{Emit::pca, "pca"},
                                Word{Emit::regression, "regression"},
                                Word{Emit::density, "density"}};

std::string_view word(Emit kind) {
  return std::find_if(emit_words.begin(), emit_words.end(), [&](const Word& w) { return w.kind == kind; })
      ->text;
}

InvalidParameter unknown(std::string_view part) {
  return {"emit", part, fmt::format("a list of {}", emit_help)};
}

EmitItem parse_item(const std::string& part) {
  const std::size_t colon = std::min(part.find(':'), part.size());
  const auto found = std::find_if(emit_words.begin(), emit_words.end(),
                                  [&](const Word& w) { return w.text == part.substr(0, colon); });
  if (found == emit_words.end()) throw unknown(part);
  EmitItem item{.kind = found->kind};
  const bool takes_argument = item.kind == Emit::pca || item.kind == Emit::regression;
  if (takes_argument != (colon < part.size())) throw unknown(part);
  if (!takes_argument) return item;
  const std::string argument = part.substr(colon + 1);
  if (item.kind == Emit::regression) {
    if (argument.empty()) throw unknown(part);
    item.column = argument;
    return item;
  }
  try {
    item.count = parse_count("emit", argument);
  } catch (const InvalidParameter&) {
    throw InvalidParameter("emit", part, "pca:K with K = 1 or more components");
  }
  return item;
}

// What is computed from mean and covariance together.
bool needs_full_covariance(Emit kind) {
  return kind == Emit::correlation || kind == Emit::precision || kind == Emit::pca ||
         kind == Emit::regression || kind == Emit::density;
}
bool needs_covariance(Emit kind) {
  return kind == Emit::covariance || needs_full_covariance(kind);
}

// An average needs weights whose sum is above zero; only a custom matrix can lack them.
void check_weights(const Workload& workload, const StreamConfig& config, std::string_view item) {
  // Without a horizon a matrix is refused elsewhere.
  if (workload.kind() != Workload::Kind::custom || config.unbounded) return;
  const Horizon horizon = horizon_of(config);
  static_cast<void>(workload.filter(horizon));  // throws where the matrix has another size
  for (std::size_t step = 0; step < horizon.steps(); ++step) {
    if (workload.weight_sum(step, horizon.rows_through(step), horizon) > 0) continue;
    throw InvalidParameter(
        "emit", item,
        fmt::format("left out: the workload's weights in release {} do not sum to more than 0", step + 1));
  }
}

std::size_t column_named(const EmitItem& item, const std::vector<std::string>& columns) {
  const auto found = std::find(columns.begin(), columns.end(), item.column);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  if (const auto number = column_number(item.column, columns.size())) return *number;
  constexpr std::size_t most_shown = 100;
  const auto end = columns.begin() + static_cast<std::ptrdiff_t>(std::min(columns.size(), most_shown));
  throw InvalidParameter(
      "emit", item.text(),
      fmt::format("regression:COLUMN with one of the {} columns: {}{}", columns.size(),
                  fmt::join(columns.begin(), end, ", "), columns.size() > most_shown ? ", .." : ""));
}

}  // namespace

std::string EmitItem::text() const {
  std::string result(word(kind));
  if (kind == Emit::pca) result += fmt::format(":{}", count);
  if (kind == Emit::regression) result += ":" + column;
  return result;
}

std::vector<EmitItem> parse_emit(std::string_view text) {
  std::vector<EmitItem> items;
  for (const std::string& part : parse_list("emit", text)) {
    items.push_back(parse_item(part));
    const auto is_pca = [](const EmitItem& item) { return item.kind == Emit::pca; };
    if (is_pca(items.back()) && std::count_if(items.begin(), items.end(), is_pca) > 1) {
      throw InvalidParameter("emit", part, "the only pca: the larger one holds the smaller");
    }
  }
  return items;
}

std::vector<EmitItem> default_emit(SecondMoment second) {
  if (second == SecondMoment::none) return {{.kind = Emit::mean}};
  return {{.kind = Emit::mean}, {.kind = Emit::covariance}};
}

std::vector<UnusedEmitOption> check_emit(const EmitOptions& options, const StreamConfig& config,
                                         bool has_bounds) {
  const bool same_workload =
      !config.workload_second || config.workload_second->name() == config.workload.name();
  for (const EmitItem& item : options.values) {
    if (item.kind == Emit::second) {
      if (config.second == SecondMoment::none) {
        throw InvalidParameter("emit", "second", "left out where second is none");
      }
      // Natural units mix the two moments, (c + h u)^2 = c^2 + 2 c h u + h^2 u^2: this needs equal weights in
      // both.
      if (has_bounds && !same_workload) {
        throw InvalidParameter("emit", "second",
                               "used with one workload for both moments when bounds are given");
      }
    }
    if (needs_covariance(item.kind)) {
      if (config.second == SecondMoment::none) {
        throw InvalidParameter("emit", item.text(), "left out where second is none");
      }
      if (needs_full_covariance(item.kind) && config.second != SecondMoment::full) {
        throw InvalidParameter("emit", item.text(), "used where second is full");
      }
      if (!same_workload) {
        throw InvalidParameter("emit", item.text(), "used with one workload for both moments");
      }
    }
    if (item.kind == Emit::mean || needs_covariance(item.kind)) {
      check_weights(config.workload, config, item.text());
    }
  }
  const auto emits = [&](auto&& predicate) {
    return std::any_of(options.values.begin(), options.values.end(),
                       [&](const EmitItem& item) { return predicate(item.kind); });
  };
  std::vector<UnusedEmitOption> unused;
  if (options.psd && !emits([](Emit kind) { return kind == Emit::covariance; })) {
    unused.push_back(UnusedEmitOption::psd);
  }
  if (options.bias == Bias::kept && !emits(needs_covariance)) unused.push_back(UnusedEmitOption::bias);
  return unused;
}

void find_columns(EmitOptions& options, const std::vector<std::string>& columns) {
  for (EmitItem& item : options.values) {
    if (item.kind == Emit::pca && item.count > columns.size()) {
      throw InvalidParameter("emit", item.text(),
                             fmt::format("pca:K with K at most {}, the number of columns", columns.size()));
    }
    if (item.kind != Emit::regression) continue;
    item.target = column_named(item, columns);
    if (columns.size() < 2) {
      throw InvalidParameter("emit", item.text(), "left out: there is no other column to explain it by");
    }
  }
}

}  // namespace jme
