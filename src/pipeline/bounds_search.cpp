#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/columns/column_names.hpp>
#include <jme/mechanism/weak_budget.hpp>
#include <jme/pipeline/bounds_search.hpp>
#include <jme/pipeline/check.hpp>
#include <jme/pipeline/clock_config.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/rows_per_person.hpp>
#include <jme/random/key.hpp>
#include <jme/store/durable_search.hpp>
#include <jme/store/stream_settings.hpp>

namespace jme {

namespace {

using Text = std::optional<std::string>;

constexpr double no_cell = RowBatch::missing;

ApproxDp search_budget(const RunSettings& settings) {
  const Text &epsilon = settings["epsilon"], &delta = settings["delta"];
  if (!epsilon) throw InvalidParameter("epsilon", "must be given: what the search may spend");
  if (!delta) throw InvalidParameter("delta", "must be given: what the search may spend");
  const ApproxDp budget{.epsilon = parse_real("epsilon", *epsilon), .delta = parse_real("delta", *delta)};
  check_delta(double{budget.delta}, settings.is_on("allow_weak"));
  return budget;
}

/// As the stream of a run has them.
Settings terms_of(const BoundsOrigin& origin) {
  Settings settings;
  add_setting(settings, "epsilon", double{origin.budget.epsilon});
  add_setting(settings, "delta", double{origin.budget.delta});
  add_setting(settings, "adjacency", std::string(name(origin.adjacency)));
  add_setting(settings, "participations", origin.participations);
  add_setting(settings, "rows", origin.first);
  return settings;
}

DurableSearch::Numbers numbers_of(const FoundRange& range) {
  return {static_cast<double>(range.kind), range.low, range.high, range.outside, range.outside_std};
}

FoundRange range_of(const DurableSearch::Numbers& numbers) {
  if (numbers.size() != 5) throw StateError("the state is damaged: a search has other numbers");
  return {.kind = static_cast<FoundRange::Kind>(static_cast<int>(numbers[0])),
          .low = numbers[1],
          .high = numbers[2],
          .outside = numbers[3],
          .outside_std = numbers[4]};
}

}  // namespace

void check_terms(const BoundsOrigin& origin, const Settings& kept) {
  Settings said = terms_of(origin);
  add_setting(said, "rows_per_person",
              origin.per_person ? FieldValue(origin.participations) : FieldValue(std::monostate()));
  for (const char* const name :
       {"epsilon", "delta", "adjacency", "participations", "rows", "rows-per-person"}) {
    const std::string_view now = value_of(said, name), then = value_of(kept, name);
    if (now == then) continue;
    throw InvalidParameter(
        "bounds",
        fmt::format("the file says that its search had {} = {}, but the ledger says {}. Use the file as jme "
                    "bounds wrote it; only its bounds may be edited",
                    name == std::string_view("rows") ? "first" : name, now.empty() ? "none" : now,
                    then.empty() ? "none" : then));
  }
  if (!origin.insecure && !value_of(kept, "insecure-test-seed").empty()) {
    throw InvalidParameter("bounds",
                           "were found with a test seed, and the file does not say so. Use it as jme bounds "
                           "wrote it");
  }
}

BoundsSearchConfig bounds_search_config(const RunSettings& settings) {
  check(settings, {.front = Field::searches});
  const Text &columns = settings["columns"], &first = settings["first"], &adjacency = settings["adjacency"],
             &participations = settings["participations"], &on_bad_row = settings["on_bad_row"],
             &seed = settings["insecure_test_seed"];
  if (!columns) {
    throw InvalidParameter(
        "columns", "must be given: the search divides its budget among them before it reads anything");
  }
  if (!first) {
    throw InvalidParameter("first",
                           "must be given: how many records are searched, the first of the input; choose it "
                           "without looking at the data");
  }
  BoundsSearchConfig config{.search = {.budget = search_budget(settings), .columns = 0, .records = 0},
                            .columns = parse_list("columns", *columns)};
  config.search.columns = config.columns.size();
  config.search.records = parse_count("first", *first);
  // With slots of time, a row more or less moves one record in and one out of those that are searched.
  if (adjacency && !has_clock(settings)) config.search.adjacency = parse_adjacency(*adjacency);
  const Text &person = settings["person"], &limit = settings["rows_per_person"];
  if (person) {
    config.person = *person;
    const RowsPerPerson rows = RowsPerPerson::parse(*limit);
    if (rows.window && !has_clock(settings)) {
      throw InvalidParameter("rows-per-person", *limit,
                             "a whole number for a search, which has no windows of time");
    }
    // Among the records that are searched it is a limit in all, which protects the rows of a window too.
    config.search.records_per_person = rows.rows;
  }
  if (participations) config.search.records_per_person = parse_count("participations", *participations);
  if (on_bad_row) config.on_bad_row = parse_on_bad_row(*on_bad_row);
  config.state = durable_options(settings);
  if (config.state && config.state->stream.empty()) config.state->stream = "bounds";
  if (seed) config.insecure_seed = parse_count("insecure-test-seed", *seed, 0);
  return config;
}

BoundsOrigin BoundsSearchConfig::origin() const {
  BoundsOrigin origin = BoundsOrigin::of(search, insecure_seed.has_value());
  origin.per_person = !person.empty();
  if (state) {
    origin.source = state->source;
    origin.stream = state->stream;
  }
  return origin;
}

BoundsSearch::BoundsSearch(BoundsSearchConfig config) : config_(std::move(config)), search_(config_.search) {
  check_column_names(config_.columns, "columns");
  search_.check_records();
  // The search is made in one go: its records are read again if it is made again.
  if (!config_.person.empty()) limit_.emplace(config_.search.records_per_person, Key::from_system());
}

std::vector<OnMissing> BoundsSearch::rules() const {
  return std::vector<OnMissing>(config_.columns.size(), OnMissing::fill);
}

void BoundsSearch::add(const RowBatch& batch) {
  cells_.insert(cells_.end(), batch.cells().begin(), batch.cells().end());
  const std::span<double> added = std::span(cells_).last(batch.cells().size());
  for (std::size_t i = 0; i < batch.rows(); ++i) {
    if (needs_records()) records_read_.add(*batch.record(i));
    // A bad one uses up the limit of its person like any other.
    const bool counts = !limit_ || limit_->admit(batch.person(i));
    if (!counts || batch.is_bad(i))
      std::ranges::fill(added.subspan(i * batch.columns(), batch.columns()), no_cell);
  }
}

void BoundsSearch::take_all(RowSource& source) {
  RowBatch batch;
  const auto left = [&] { return config_.search.records - records(); };
  while (!is_full() && source.next(batch, std::min<std::uint64_t>(left(), RowBatch::most_rows))) add(batch);
}

void BoundsSearch::end_with_absent() {
  cells_.resize(config_.search.records * config_.columns.size(), no_cell);
}

FoundBounds BoundsSearch::find() const {
  if (!is_full()) {
    throw DataError(fmt::format("the input has {} records, and {} are to be searched: nothing was spent",
                                records(), config_.search.records));
  }
  return {.origin = config_.origin(),
          .columns = config_.columns,
          .ranges = config_.state ? search_once() : search_anew()};
}

std::vector<FoundRange> BoundsSearch::search_anew() const {
  // A key of its own for each time: no noise meets two sets of records.
  const Key key = config_.insecure_seed ? InsecureTestSeed{*config_.insecure_seed}.key() : Key::from_system();
  return search_.find(MatrixView::of_rows(cells_, config_.columns.size()), key);
}

std::vector<FoundRange> BoundsSearch::search_once() const {
  DurableOptions options = *config_.state;
  if (config_.insecure_seed) options.insecure_seed = InsecureTestSeed{*config_.insecure_seed};
  options.details = terms_of(config_.origin());
  if (limit_) {
    add_setting(options.details, "person", config_.person);
    add_setting(options.details, "rows_per_person", config_.search.records_per_person);
  }
  DurableSearch kept(options, search_.mu(), config_.columns);
  const auto numbers = kept.release(
      MatrixView::of_rows(cells_, config_.columns.size()),
      [&] {
        std::vector<DurableSearch::Numbers> found;
        for (const FoundRange& range : search_anew()) found.push_back(numbers_of(range));
        return found;
      },
      records_read_);
  std::vector<FoundRange> ranges;
  ranges.reserve(numbers.size());
  for (const DurableSearch::Numbers& column : numbers) ranges.push_back(range_of(column));
  return ranges;
}

}  // namespace jme
