#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/columns/column_names.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/run_fields.hpp>
#include <jme/random/key.hpp>

#include "mechanism/stream_limits.hpp"
#include "store/hmac.hpp"

namespace jme {

namespace {

// Filters, noise levels and limits hardly depend on the dimension, so a mechanism with this dimension finds
// every wrong parameter before the data tell the real dimension.
constexpr std::size_t stand_in_dimension = 2;

InvalidParameter other_dimension(std::size_t given, std::size_t columns) {
  return {"dimension", static_cast<double>(given), fmt::format("{}, the number of columns", columns)};
}

/// Filling by the model needs releases with a mean and a covariance. Where counts are private, so are the
/// means of early releases.
void check_missing(const MissingRules& missing, const StreamConfig& config) {
  if (missing.uses_releases() && (config.observed || config.private_count)) {
    throw InvalidParameter("missing", "must be observed, centre, fail or values where the count is private");
  }
  if (!missing.uses_model()) return;
  const bool same_workload =
      !config.workload_second || config.workload_second->name() == config.workload.name();
  if (config.second != SecondMoment::full || !same_workload ||
      config.workload.kind() == Workload::Kind::custom) {
    throw InvalidParameter("missing", "model",
                           "used where second is full, with one workload, no matrix, for both moments");
  }
}

/// The search must have protected whom the run protects.
void check_origin(const BoundsOrigin& origin, const StreamConfig& stream) {
  if (stream.slot_seconds) {
    // A row more or less moves one record in and one out of those that were searched.
    if (origin.adjacency != Adjacency::replace_one) {
      throw InvalidParameter("bounds",
                             "must come from a search with the adjacency replace-one where steps are "
                             "slots of time");
    }
  } else if (origin.adjacency != stream.adjacency) {
    throw InvalidParameter("adjacency", name(stream.adjacency),
                           fmt::format("{}, as in the search for these bounds", name(origin.adjacency)));
  }
  if (origin.per_person != stream.persons_are_limited) {
    throw InvalidParameter("person", origin.per_person
                                         ? "must be given, as in the search for these bounds"
                                         : "was not given in the search for these bounds: search with it");
  }
  // A limit in all, in the search, protects the rows of each window too.
  if (origin.per_person && stream.participation.windows) return;
  if (origin.participations != stream.participation.rows) {
    throw InvalidParameter(origin.per_person ? "rows-per-person" : "participations",
                           static_cast<double>(stream.participation.rows),
                           fmt::format("{}, as in the search for these bounds", origin.participations));
  }
}

/// The ledger of a durable run must have what its bounds cost, on these terms; a run that searches itself may
/// not have done so yet.
void check_ledger(const BoundsOrigin& origin, const DurableOptions& state, bool is_sought) {
  if (origin.source.empty()) {
    throw InvalidParameter("bounds",
                           "come from a search that no ledger has: for a durable run, search with the same "
                           "state and source");
  }
  if (origin.source != state.source) {
    throw InvalidParameter("source", state.source,
                           fmt::format("{}, as in the search for these bounds", origin.source));
  }
  // Where there is no such search, opening the stream says so.
  if (is_sought || !SearchedRecords::are_in(state.directory, origin.source, origin.stream)) return;
  check_terms(origin, SearchedRecords(state.directory, origin.source, origin.stream).settings());
}

/// What ids must limit.
PersonRows person_rows(const Participation& participation) {
  if (!participation.windows) return {.in_all = participation.rows};
  const RowWindows& windows = *participation.windows;
  // The windows of the run may have so many rows together in any case.
  const bool is_limited_in_all = !windows.are_units && participation.rows / windows.rows < windows.count;
  return {.in_all = is_limited_in_all ? participation.rows : 0, .in_window = windows.rows};
}

/// The slots of the stream must be those of the clock.
void check_clock(const RunConfig& config) {
  const std::optional<ClockConfig>& clock = config.clock;
  const std::optional<std::uint64_t>& slot = config.stream.slot_seconds;
  if (slot.has_value() != clock.has_value() ||
      (clock && *slot != static_cast<std::uint64_t>(clock->length))) {
    throw InvalidParameter("every",
                           "a stream whose steps are slots of time needs a clock with the same slots");
  }
  if (clock && clock->is_by_arrival() && config.search) {
    throw InvalidParameter(
        "bounds",
        "auto is not for rows that count when they arrive: how long it takes until enough "
        "records came for a search depends on everybody's rows, and slots would begin then; "
        "search a sample first, or give bounds");
  }
  if (clock && clock->until && !(clock->from && !clock->time_column.empty())) {
    throw InvalidParameter("from", "must be given with until, and so must time");
  }
}

}  // namespace

PreparedRun::PreparedRun(RunConfig config)
    : config_(std::move(config)),
      dimension_is_known_(config_.stream.dimension != 0 || !config_.columns.empty()),
      stream_(checked_stream()),
      mechanism_(stream_),
      bounds_(ColumnBounds::none(stream_.dimension)),
      missing_(stream_.dimension) {
  check_stream_limits(mechanism_);
  if (!config_.columns.empty()) adopt_columns(config_.columns);
}

StreamConfig PreparedRun::checked_stream() {
  StreamConfig stream = config_.stream;
  const std::size_t columns = config_.columns.size();
  if (stream.dimension == 0) stream.dimension = columns != 0 ? columns : stand_in_dimension;
  if (columns != 0 && stream.dimension != columns) throw other_dimension(stream.dimension, columns);
  if (config_.bounds && !config_.bounds->is_none()) {
    if (config_.bounds->centre().size() != columns) {
      throw InvalidParameter("bounds", fmt::format("are for {} columns, and {} are named",
                                                   config_.bounds->centre().size(), columns));
    }
    stream.unit_box = true;
  }
  if (stream.persons_are_limited == config_.person.empty()) {
    throw InvalidParameter("person", stream.persons_are_limited
                                         ? "must be named where rows per person are limited"
                                         : "is named, and rows per person are not limited");
  }
  if (config_.bounds_origin) {
    config_.bounds_origin->rows_move = stream.slot_seconds.has_value();
    check_origin(*config_.bounds_origin, stream);
    if (config_.state) check_ledger(*config_.bounds_origin, *config_.state, config_.search.has_value());
  }
  if (config_.search) static_cast<void>(BoundsSearch(*config_.search));
  check_clock(config_);
  stream.unit_box = stream.unit_box || stream.geometry == Geometry::box;
  stream.observed = stream.observed || config_.missing.leaves_absent();
  norm_bound_is_default_ = stream.norm_bound == 0 && stream.unit_box;
  if (norm_bound_is_default_) stream.norm_bound = std::sqrt(static_cast<double>(stream.dimension));
  if (config_.emit.values.empty()) config_.emit.values = default_emit(stream.second);
  unused_ = check_emit(config_.emit, stream, config_.bounds && !config_.bounds->is_none());
  check_missing(config_.missing, stream);
  check_column_names(config_.columns, "columns");
  check_column_names(std::span(&config_.person, 1), "person");
  if (config_.clock) check_column_names(std::span(&config_.clock->time_column, 1), "time");
  if (columns != 0) find_columns(config_.emit, config_.columns);
  return stream;
}

void PreparedRun::adopt_dimension(std::size_t dimension) {
  if (dimension == stream_.dimension) return;
  if (dimension_is_known_) throw other_dimension(stream_.dimension, dimension);
  stream_.dimension = dimension;
  if (norm_bound_is_default_) stream_.norm_bound = std::sqrt(static_cast<double>(dimension));
  stream_.shape = mechanism_.shape_first();
  if (mechanism_.has_second()) stream_.shape_second = mechanism_.shape_second();
  mechanism_ = Mechanism(stream_);
  check_stream_limits(mechanism_);
}

void PreparedRun::adopt_columns(std::vector<std::string> names) {
  check_column_names(names, "columns");
  adopt_dimension(names.size());
  if (config_.bounds && names != config_.columns) {
    throw InvalidParameter("bounds", "are for other columns than the input has");
  }
  config_.columns = std::move(names);
  find_columns(config_.emit, config_.columns);
  bounds_ = config_.bounds.value_or(ColumnBounds::none(config_.columns.size()));
  missing_ = config_.missing.of(config_.columns, bounds_);
}

RunDescription PreparedRun::description() const {
  RunDescription result{.mechanism = mechanism_,
                        .bounds = bounds_,
                        .emit = config_.emit,
                        .insecure_seed = config_.insecure_seed,
                        .missing = config_.missing.text(),
                        .on_bad_row = config_.on_bad_row,
                        .person = config_.person,
                        .persons_in_one_partition = config_.persons_in_one_partition,
                        .records = config_.records,
                        .bounds_origin = config_.bounds_origin,
                        .bounds_are_sought = config_.search.has_value()};
  if (config_.clock) {
    result.clock = ClockDescription{.schedule = schedule(),
                                    .has_begun = start_ || config_.clock->from,
                                    .from = config_.clock->from,
                                    .until = config_.clock->until,
                                    .time_column = config_.clock->time_column,
                                    .time_unit = config_.clock->time_unit,
                                    .drops_late = config_.clock->late == LateRows::drop};
  }
  for (const RunField& field : run_fields()) {
    if (!field.in_force || field.is_of_stream) continue;
    result.settings.push_back({.name = field.name, .value = field.in_force(result)});
  }
  return result;
}

SlotSchedule PreparedRun::schedule() const {
  const Horizon& horizon = mechanism_.horizon();
  return {.start = start_.value_or(config_.clock->from.value_or(0)),
          .length = config_.clock->length,
          .count = horizon.steps()};
}

TimedRows PreparedRun::timed_rows() const {
  return {row_map(), schedule(), config_.clock->time_unit};
}

std::size_t PreparedRun::slots_of_window() const {
  const std::optional<RowWindows>& windows = stream_.participation.windows;
  return windows ? windows->steps : 1;
}

LeftOutRecords PreparedRun::left_out() const {
  const std::optional<BoundsOrigin>& origin = config_.bounds_origin;
  if (!origin) return {0, std::nullopt};
  std::optional<SearchedRecords> searched;
  if (config_.state) {
    searched.emplace(config_.state->directory, origin->source, origin->stream);
  }
  if (origin->same_rows) return {0, std::nullopt};
  return {origin->first, std::move(searched)};
}

RowRules PreparedRun::rules() const {
  RowRules rules(bounds_, missing_, config_.on_bad_row, stream_.norm_bound,
                 stream_.observed || stream_.private_count);
  // A key of this process: a source that gives its rows again gives their ids again.
  if (stream_.persons_are_limited) {
    // With slots of time the number of records is private, and so are lengths that depend on it.
    const KeptLengths lengths =
        config_.clock ? KeptLengths::noisy(mechanism_.mu(), stream_.participation.rows) : KeptLengths{};
    rules.limit(PersonLimit(person_rows(stream_.participation), Key::from_system(), lengths),
                config_.state.has_value());
    if (has_times()) rules.take_windows_of_times(schedule(), slots_of_window());
  }
  return rules;
}

// The same numbers under other column names are other data.
Settings PreparedRun::settings_of_rows() const {
  Settings settings;
  for (std::size_t i = 0; i < config_.columns.size(); ++i) {
    settings.push_back({.name = fmt::format("column {}", i + 1), .value = config_.columns[i]});
  }
  const RunDescription about = description();
  for (const RunField& field : run_fields()) {
    if (field.decides_rows) add_setting(settings, field.name, field.in_force(about));
  }
  if (config_.bounds_origin && !config_.bounds_origin->same_rows) {
    // The ledger takes search and run for disjoint by this setting.
    if (!config_.bounds_origin->rows_move) {
      settings.push_back({.name = std::string(left_out_setting), .value = config_.bounds_origin->stream});
    }
    add_setting(settings, "left-out-records", config_.bounds_origin->first);
  }
  return settings;
}

RowMap PreparedRun::row_map() const {
  store::Hmac digest(Key(std::array<std::uint8_t, 32>{}));  // nothing here is secret
  const auto add = [&](const std::string& text) {
    const std::uint64_t length = text.size();
    digest.add(std::as_bytes(std::span(&length, 1)));
    digest.add(std::as_bytes(std::span(text)));
  };
  for (const Setting& setting : settings_of_rows()) {
    add(setting.name);
    add(setting.value);
  }
  return RowMap::of(mechanism_, digest.digest());
}

RowFeed PreparedRun::feed(RunningStream::Publish publish) const {
  if (config_.search) {
    throw InvalidParameter("bounds",
                           "auto is for files: search rows in memory first, and give what was found");
  }
  if (left_out().count() > 0) {
    throw InvalidParameter("bounds", "leave out the first records of a file: these rows come from none");
  }
  return feed(open(std::move(publish)));
}

RowFeed PreparedRun::feed(std::unique_ptr<RunningStream> stream, bool resumes) const {
  return {rules(),
          mechanism_.horizon(),
          row_map(),
          std::move(stream),
          has_times() ? std::optional(timed_rows()) : std::nullopt,
          resumes};
}

std::unique_ptr<RunningStream> PreparedRun::open(RunningStream::Publish publish) const {
  if (!config_.state) {
    return std::make_unique<RunningStream>(
        config_.insecure_seed ? MomentStream(mechanism_, InsecureTestSeed{*config_.insecure_seed})
                              : MomentStream(mechanism_),
        std::move(publish));
  }
  DurableStream stream = open_durable();
  // Slots are known by their places or ids, and need not come again.
  if (mechanism_.horizon().has_slots()) stream.resume_at(stream.rows_before());
  return std::make_unique<RunningStream>(std::move(stream), config_.leave_open, std::move(publish));
}

DurableStream PreparedRun::open_durable() const {
  if (!config_.state) throw InvalidParameter("state", "must be given for a durable stream");
  return {mechanism_, durable_options()};
}

void PreparedRun::check_budget() const {
  if (config_.state) DurableStream::check_budget(mechanism_, durable_options());
}

DurableOptions PreparedRun::durable_options() const {
  DurableOptions options = *config_.state;
  if (config_.insecure_seed) options.insecure_seed = InsecureTestSeed{*config_.insecure_seed};
  options.details = settings_of_rows();
  if (stream_.persons_are_limited) options.beside_row = RowRules::numbers_of_person;
  return options;
}

}  // namespace jme
