#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/mechanism/stream_fields.hpp>
#include <jme/mechanism/weak_budget.hpp>
#include <jme/pipeline/bounds_file.hpp>
#include <jme/pipeline/check.hpp>
#include <jme/pipeline/clock_config.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/rows_per_person.hpp>
#include <jme/pipeline/run_fields.hpp>

namespace jme {

namespace {

using Text = std::optional<std::string>;

Eigen::MatrixXd matrix_of(const std::string& text, std::string_view field, const MatrixReader& read_matrix) {
  if (!read_matrix) throw InvalidParameter(field, text, "a name: matrices cannot be read here");
  return read_matrix(text.substr(1), field);
}

void set_balance(StreamConfig& config, const RunSettings& settings) {
  const Text& balance = settings["balance"];
  if (!balance) return;
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

/// Columns and bounds, where a search found the bounds.
void set_found_bounds(RunConfig& config, const RunSettings& settings, const TextReader& read_text) {
  const std::string name = settings["bounds"]->substr(1);
  if (!read_text) throw InvalidParameter("bounds", "files of bounds cannot be read here");
  const BoundsFile file = BoundsFile::parse(read_text(name, "bounds"), name);
  if (config.columns.empty()) config.columns = file.columns();
  config.bounds = file.bounds_of(config.columns);
  config.bounds_origin = file.origin;
  config.bounds_origin->same_rows = settings.is_on("same_rows");
}

/// Bounds that the run finds itself. Until then the unit box stands for them.
void set_sought_bounds(RunConfig& config, const RunSettings& settings) {
  config.search = bounds_search_config(settings);
  if (auto& state = config.search->state) {
    const Text& stream = settings["stream"];
    state->stream = stream ? *stream + " bounds" : "bounds";
  }
  config.bounds_origin = config.search->origin();
  const std::vector<double> low(config.columns.size(), -1), high(config.columns.size(), 1);
  config.bounds = ColumnBounds::of(config.columns, low, high);
}

/// Columns, their bounds and the rules for their missing cells.
void set_columns(RunConfig& config, const RunSettings& settings, const TextReader& read_text) {
  const Text& bounds = settings["bounds"];
  const bool are_found = bounds && bounds->starts_with('@'), are_sought = bounds && *bounds == "auto";
  config.on_bad_row = on_bad_row_of(settings);
  if (bounds && !are_found && !are_sought && !settings["columns"]) config.columns = bounded_columns(*bounds);
  if (are_sought) {
    set_sought_bounds(config, settings);
  } else if (are_found) {
    set_found_bounds(config, settings, read_text);
  } else if (bounds) {
    config.bounds = ColumnBounds::parse(*bounds, config.columns);
  }
  if (config.columns.empty()) return;
  const ColumnBounds none = ColumnBounds::none(config.columns.size());
  static_cast<void>(config.missing.of(config.columns, config.bounds.value_or(none)));
}

/// Ids and times stand beside the numbers whose moments are taken. An input that finds columns by number sees
/// more.
void check_apart(const RunConfig& config) {
  const auto is_column = [&](const std::string& name) {
    return std::ranges::find(config.columns, name) != config.columns.end();
  };
  if (is_column(config.person)) {
    throw InvalidParameter("person", "is one of the columns too: whose record it is is no value to publish");
  }
  if (config.clock && is_column(config.clock->time_column)) {
    throw InvalidParameter("time", config.clock->time_column,
                           "a column that is not one of the columns whose moments are taken");
  }
}

}  // namespace

Workload parse_workload(const std::string& text, std::string_view field, const MatrixReader& read_matrix) {
  if (text.starts_with('@')) return custom(matrix_of(text, field, read_matrix), text);
  return Workload::parse(text, field);
}

Shape parse_shape(const std::string& text, std::string_view field, const MatrixReader& read_matrix) {
  if (text.starts_with('@')) return Shape::custom(matrix_of(text, field, read_matrix), text);
  return Shape::parse(text, field);
}

std::optional<DurableOptions> durable_options(const RunSettings& settings) {
  const Text &state = settings["state"], &source = settings["source"], &stream = settings["stream"],
             &commit_interval = settings["commit_interval"], &max_mu = settings["max_mu"];
  if (!state) return std::nullopt;
  DurableOptions options;
  options.directory = *state;
  if (source) options.source = *source;
  if (stream) options.stream = *stream;
  if (commit_interval) {
    constexpr std::size_t hour = 3'600'000;
    const std::size_t milliseconds = parse_count("commit-interval", *commit_interval, 0);
    if (milliseconds > hour) throw InvalidParameter("commit-interval", *commit_interval, "at most an hour");
    options.commit_interval = std::chrono::milliseconds(milliseconds);
  }
  if (max_mu) options.max_mu = parse_positive("max-mu", *max_mu);
  return options;
}

/// A length of time was looked for before.
std::size_t rows_of_block(const std::string& every) {
  const bool is_number = every.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (!is_number) {
    throw InvalidParameter(
        "every", every,
        "a whole number of rows, or a length of time: one number and s, m, h or d, such as 90s or 1d");
  }
  return parse_count("every", every);
}

Horizon horizon_of(const std::optional<std::string>& rows, const std::optional<std::string>& steps,
                   const std::optional<std::string>& every) {
  const std::size_t block = every ? rows_of_block(*every) : 1;
  if (rows && steps) throw InvalidParameter("rows", "give either rows or steps, not both");
  if (rows == "unbounded" || steps == "unbounded") return Horizon::unbounded(block);
  if (rows) return Horizon(parse_count("rows", *rows), block);
  if (!steps) {
    throw InvalidParameter(
        "rows",
        "must be given (or steps): it is the horizon, the most rows this stream will ever have; the "
        "noise is prepared for exactly that many, so it must be chosen in public before the first "
        "row and cannot be counted from the data; choose generously, fewer rows may come; or unbounded, "
        "for prefix, mean and decay");
  }
  const std::size_t releases = parse_count("steps", *steps);
  std::size_t total = 0;
  if (__builtin_mul_overflow(releases, block, &total) || total > (std::size_t{1} << 53)) {
    throw InvalidParameter("steps", *steps, "at most 2^53 rows when multiplied by every");
  }
  return Horizon(total, block);
}

StreamConfig stream_config(const RunSettings& settings, const KnownColumns& columns,
                           const MatrixReader& read_matrix) {
  check(settings, {.front = Field::plans});
  const Text &dimension = settings["dimension"], &workload = settings["workload"],
             &workload2 = settings["workload2"], &shape = settings["shape"], &shape2 = settings["shape2"],
             &missing = settings["missing"];
  StreamConfig result;
  for (const StreamField& field : stream_fields()) {
    if (const Text& given = settings[field.name]; given && field.read != nullptr) field.read(result, *given);
  }
  static_cast<void>(result.budget.approx_dp());  // throws unless it is one or the other
  const std::optional<ClockConfig> clock = clock_config(settings);
  if (!clock) {
    const Horizon length = horizon_of(settings["rows"], settings["steps"], settings["every"]);
    result.unbounded = length.is_unbounded();
    if (!result.unbounded) result.rows = length.rows();
    result.every = length.every();
  }

  std::optional<std::size_t> given;
  if (dimension) given = parse_count("dimension", *dimension);
  if (given && columns.dimension && *given != *columns.dimension) {
    throw InvalidParameter("dimension", *dimension,
                           fmt::format("{}, the number of columns", *columns.dimension));
  }
  if (!given && !columns.dimension)
    throw InvalidParameter("dimension", "must be given: how many numbers a row has");
  result.dimension = given ? *given : *columns.dimension;

  result.unit_box = columns.unit_box || result.geometry == Geometry::box;
  result.observed = missing && MissingRules::parse(*missing).leaves_absent();

  if (!settings["norm_bound"] && result.unit_box) {
    result.norm_bound = std::sqrt(static_cast<double>(result.dimension));  // no row in the box is longer
  } else if (!settings["norm_bound"]) {
    throw InvalidParameter(
        "bounds",
        "must be given, COLUMN=LOW:HIGH for every column to publish: ranges that are public, never "
        "estimated from the data (jme bounds finds some privately); or else norm-bound, the longest "
        "row that counts in full, with columns: otherwise all columns are published, ids too");
  }

  const auto workload_of = [&](const std::string& text, std::string_view field) {
    if (clock) {
      if (const std::optional<Workload> known = slot_workload(text, field, clock->length)) return *known;
    }
    return parse_workload(text, field, read_matrix);
  };
  if (workload) result.workload = workload_of(*workload, "workload");
  if (workload2) result.workload_second = workload_of(*workload2, "workload2");
  if (shape) result.shape = parse_shape(*shape, "shape", read_matrix);
  if (shape2) result.shape_second = parse_shape(*shape2, "shape2", read_matrix);
  set_balance(result, settings);
  if (clock) set_slots(result, settings);
  set_person_limit(result, settings);
  return result;
}

std::optional<unsigned> thread_count(const RunSettings& settings) {
  const Text& threads = settings["threads"];
  if (!threads) return std::nullopt;
  StreamConfig config;
  for (const StreamField& field : stream_fields())
    if (field.name == "threads") field.read(config, *threads);
  return config.threads;
}

std::optional<std::size_t> record_width(const RunSettings& settings) {
  const Text& width = settings["width"];
  if (!width) return std::nullopt;
  return parse_count("width", *width);
}

std::vector<SettingNote> notes_on(const RunSettings& given, const RunSettings& settings,
                                  const StreamConfig& config) {
  using enum SettingNote::Kind;
  std::vector<SettingNote> notes;
  const std::size_t fit = rows_that_fit(horizon_of(config), config.participation);
  if (given["separation"] && config.participation.rows == 1) {
    notes.push_back({.field = "separation", .kind = needs_participations});
  } else if (fit < config.participation.rows) {
    notes.push_back({.field = "participations", .kind = beyond_horizon, .count = fit});
  }
  if (!settings["method"] && !settings["balance"]) return notes;
  const bool joint = config.method == Method::jme || config.method == Method::lambda_jme;
  const auto note = [&](const char* field, bool is_used) {
    if (given[field] && !is_used) notes.push_back({.field = field, .kind = other_method});
  };
  note("alpha", config.method == Method::ime);
  note("tau", config.method == Method::cs);
  note("lambda", joint);
  return notes;
}

void RunConfig::take_found(const FoundBounds& found) {
  const BoundsFile file = BoundsFile::of(found);
  bounds = file.bounds_of(columns);
  bounds_origin = file.origin;
  search.reset();
}

RunConfig run_config(const RunSettings& settings, const MatrixReader& read_matrix,
                     const TextReader& read_text, const SourceTraits& source) {
  check(settings, source);
  RunConfig config;
  for (const RunField& field : run_fields()) {
    if (const Text& given = settings[field.name]; given && field.read != nullptr) field.read(config, *given);
  }
  set_columns(config, settings, read_text);
  KnownColumns known{.dimension = config.columns.size()};
  if (config.columns.empty() && settings["dimension"]) known.dimension.reset();
  known.unit_box = config.bounds.has_value();
  config.stream = stream_config(settings, known, read_matrix);
  check_delta(config.stream.budget.delta, settings.is_on("allow_weak"));
  config.clock = clock_config(settings);
  check_apart(config);
  config.state = durable_options(settings);
  return config;
}

}  // namespace jme
