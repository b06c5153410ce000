#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/pipeline/check.hpp>
#include <jme/pipeline/clock_config.hpp>
#include <jme/pipeline/run_fields.hpp>

namespace jme {

namespace {

/// Settings as they were given for a source.
class Given {
 public:
  Given(const RunSettings& settings, const SourceTraits& of) : source(of), settings_(settings) {}

  const SourceTraits& source;

  [[nodiscard]] bool has(std::string_view field) const { return settings_[field].has_value(); }
  [[nodiscard]] bool is_on(std::string_view field) const { return settings_.is_on(field); }
  /// Empty where it was not given.
  [[nodiscard]] std::string text(std::string_view field) const { return settings_[field].value_or(""); }
  /// Given, and other than its default: complete lists of settings have the defaults.
  [[nodiscard]] bool is_changed(std::string_view field) const {
    return has(field) && text(field) != find_run_field(field)->fallback;
  }
  [[nodiscard]] bool has_slots() const { return has_clock(settings_); }
  [[nodiscard]] bool is_by_arrival() const { return has_slots() && !has("until"); }
  [[nodiscard]] bool seeks_bounds() const { return text("bounds") == "auto"; }
  [[nodiscard]] bool has_found_bounds() const { return text("bounds").starts_with('@'); }
  [[nodiscard]] bool leaves_out_records() const { return has_found_bounds() && !is_on("same_rows"); }
  /// Whether a word stands in missing, for all columns or for one.
  [[nodiscard]] bool fills_by(std::string_view word) const;

  /// `why` may have the source's name as "{}".
  void refuse_if(bool is_wrong, std::string_view field, std::string_view why) const {
    if (is_wrong) throw InvalidParameter(field, fmt::format(fmt::runtime(why), source.name));
  }

 private:
  const RunSettings& settings_;
};

bool Given::fills_by(std::string_view word) const {
  std::string words = text("missing");
  std::erase(words, ' ');
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(',', at), words.size());
    const std::string one = words.substr(at, end - at);
    if (one.substr(one.find('=') + 1) == word) return true;
    at = end + 1;
  }
  return false;
}

void check_front(const Given& given) {
  const bool is_told = (given.source.front & (Field::served | Field::batches)) != 0;
  if (!is_told) return;  // settings that are for others change nothing
  for (const RunField& field : run_fields()) {
    given.refuse_if((field.fronts & given.source.front) == 0 && given.is_changed(field.name), field.name,
                    "is not for {}");
  }
}

void check_clock(const Given& given) {
  if (!given.has_slots()) {
    for (const char* field : {"time", "time_unit", "from", "until", "late"}) {
      if (!given.has(field)) continue;
      if (!given.has("every")) {
        given.refuse_if(true, field,
                        "is for steps that are slots of time: every must be a length of time, such as 1h");
      }
      throw InvalidParameter("every", given.text("every"),
                             fmt::format("a length of time such as 90s, 15m, 1h or 1d, as {} is given: steps "
                                         "are slots of time then",
                                         field));
    }
    return;
  }
  given.refuse_if(given.has("rows"), "rows",
                  "must be left out: slots of time have no number of rows; their number is given by from and "
                  "until, or by steps");
  given.refuse_if(given.is_changed("separation") && parse_count("separation", given.text("separation")) != 1,
                  "separation", "must be left out: it counts rows, and slots of time have no number of rows");
  given.refuse_if(given.has("time_unit") && !given.has("time"), "time-unit",
                  "is used together with time, the column whose numbers it is about");
  if (given.has("until")) {
    given.refuse_if(!given.has("from"), "from", "must be given with until: when the first slot begins");
    given.refuse_if(!given.has("time"), "time",
                    "must be given with until: the column that says when a row happened");
    given.refuse_if(given.has("steps"), "steps", "give either until or steps, not both");
    given.refuse_if(given.text("late") == "drop", "late",
                    "is for live input: with until every row goes to the slot of its own time");
  } else {
    given.refuse_if(!given.has("steps"), "until",
                    "must be given with from and time, or steps for live input: how many slots there will be "
                    "is public and chosen before the first row");
  }
}

void check_noise(const Given& given) {
  if (!given.has("balance")) return;
  given.refuse_if(given.has("lambda"), "balance", "give either balance or lambda, not both");
  const std::string method = given.text("method");
  if (!method.empty() && method != "jme" && method != "lambda-jme") {
    throw InvalidParameter("balance", given.text("balance"),
                           "left out unless the method is jme or lambda-jme");
  }
}

void check_bounds(const Given& given) {
  const bool is_sought = given.seeks_bounds(), is_search = given.source.front == Field::searches;
  given.refuse_if(given.is_on("same_rows") && is_sought, "same-rows",
                  "is for bounds @FILE: bounds auto leaves out what it searched");
  given.refuse_if(given.is_on("same_rows") && !given.has_found_bounds(), "same-rows",
                  "is for bounds that were found: bounds @FILE");
  given.refuse_if(given.has("first") && !is_sought && !is_search, "first",
                  "is for a search for bounds: bounds auto");
  given.refuse_if(
      !given.source.has_first_records && (is_sought || given.leaves_out_records()), "bounds",
      "must be known for {}, whose first records are not left out: search a sample with jme bounds, "
      "and give what it found (with same-rows, where the sample was of other records)");
}

void check_people(const Given& given) {
  const bool has_person = given.has("person"), has_limit = given.has("rows_per_person");
  given.refuse_if(
      !given.source.tells_persons && (has_person || has_limit), has_person ? "person" : "rows-per-person",
      "is not for {}: which rows of a person count must be decided in one place and one order, and "
      "sums do not say whose rows they hold; leave one row of each person in the data by a rule that "
      "looks at ids and public numbers alone, or give the rows to jme run or jme serve");
  if (has_limit) {
    given.refuse_if(given.is_changed("participations"), "participations",
                    "is not given with rows-per-person: that is the number of rows of a person, and it is "
                    "enforced instead of assumed");
    given.refuse_if(
        given.is_changed("separation"), "separation",
        "is not given with rows-per-person: ids limit how many rows a person has, not how far apart "
        "they are");
  }
  if (given.source.front == Field::plans) return;  // nobody's rows come
  given.refuse_if(has_person && given.text("person").empty(), "person", "the name is empty");
  given.refuse_if(has_person && !has_limit, "rows-per-person",
                  "must be given with person: how many rows of a person count; choose it without looking at "
                  "the data, near the number of rows that half of the people exceed");
  given.refuse_if(has_limit && !has_person, "person",
                  "must be given with rows-per-person: the column that says whose row it is");
}

/// The owner of a state folder decides what else is said of it.
void check_state(const Given& given) {
  if (given.source.front == Field::served) return;
  for (const char* field : {"source", "stream", "commit_interval", "leave_open", "max_mu"}) {
    given.refuse_if(!given.has("state") && given.is_changed(field), field,
                    "is for durable runs: give state as well");
  }
  given.refuse_if(given.has("state") && given.text("state").empty(), "state",
                  "the name of the folder is empty");
  given.refuse_if(given.has("source") && given.text("source").empty(), "source", "the name is empty");
}

/// Records that many share: one of them must not decide about the others.
void check_bad_rows(const Given& given) {
  const SourceTraits& source = given.source;
  given.refuse_if(source.is_shared && given.text("on_bad_row") == "fail", "on-bad-row",
                  "must be left out for {}: one bad row would end the run for all others");
  given.refuse_if((source.is_shared || source.gives_sums) && given.fills_by("fail"), "missing",
                  "must not be fail for {}: one missing cell would end the run for all others");
  given.refuse_if(source.gives_sums && (given.fills_by("mean") || given.fills_by("model")), "missing",
                  "must not be mean or model for {}: executors do not know the last release; observed, "
                  "centre or values can be decided anywhere");
}

/// Rows of an open block are kept as sums.
void check_sums(const Given& given) {
  if (given.source.front != Field::served) return;
  given.refuse_if(
      given.text("method").starts_with("pp"), "method",
      "must not be pp or pp-debiased for {}: rows get noise one by one then, and cannot be kept as "
      "sums");
  const bool decays =
      given.text("workload").starts_with("decay") || given.text("workload2").starts_with("decay");
  given.refuse_if(
      decays && !given.has_slots() && given.has("every") && parse_count("every", given.text("every")) > 1,
      "every",
      "must be 1 with decay for {}: rows of an open block are kept as sums, which have no weights "
      "inside");
}

/// Which columns there are must be known before the first row.
void check_columns(const Given& given) {
  const SourceTraits& source = given.source;
  const bool has_names = given.has("columns") || given.has("bounds");
  given.refuse_if(source.gives_sums && !has_names, "bounds",
                  "must be given (or columns): {} may have other columns, and names choose them");
  given.refuse_if(source.front == Field::served && !has_names && !given.has("dimension"), "columns",
                  "must be given (or bounds, or dimension): which numbers a row has");
  given.refuse_if(source.has_bodies && given.has("person") && given.is_on("no_header"), "no-header",
                  "must not be set with person for {}: the header of a body says which column that is");
  given.refuse_if(
      source.has_bodies && given.has("width") && given.is_on("no_header"), "width",
      "must not be set with no-header for {}: a record of a body has the columns of the stream and no "
      "other cells");
  given.refuse_if(source.has_header && given.has("width"), "width",
                  "is for records without a header, which says itself how many cells they have");
}

/// Records that this process reads, to an end or as they come.
void check_reading(const Given& given) {
  const SourceTraits& source = given.source;
  if (!source.is_read) return;
  const bool follows = given.is_on("follow"), by_arrival = given.is_by_arrival();
  given.refuse_if(
      follows && given.has_slots() && !by_arrival, "follow",
      "is for slots by arrival: give steps in place of until; with until all rows are read before "
      "the first release");
  if (by_arrival) {
    given.refuse_if(!follows && !source.is_live, "follow",
                    "must be given (or - for standard input) where rows count in the slot in which they "
                    "arrive; or time, from and until, for the slots of their own times");
    given.refuse_if(!given.has("columns") && !given.has("bounds"), "columns",
                    "must be given (or bounds) for live input in slots of time: releases come on time, even "
                    "before the first line");
    given.refuse_if(given.leaves_out_records(), "bounds",
                    "leave out the first records of a file, which live input does not have; give same-rows, "
                    "where the search was on other records too");
  }
}

void check_messages(const Given& given) {
  if (!given.source.has_messages) return;
  given.refuse_if(given.text("format") == "npy", "format", "must be ndjson or csv for {}");
  given.refuse_if(given.text("records") == "quoted", "records",
                  "must not be quoted for {}: every record is one row");
  const std::string compression = given.text("compression");
  given.refuse_if(!compression.empty() && compression != "auto" && compression != "none", "compression",
                  "must be left out for {}, which says itself how it is packed");
}

/// Rows that come added up and in no order: one block, the slots of their own times, or the open block or
/// slot.
void check_batches(const Given& given) {
  if (given.source.front != Field::batches) return;
  if (given.source.is_one_block) {
    given.refuse_if(given.has("time"), "time", "makes slots, and a block has one sum: use moments");
    return;
  }
  if (given.has("time")) {
    given.refuse_if(!given.has("until"), "until",
                    "must be given: without it slots end by the clock, and rows count where they arrive, "
                    "whatever their times are");
    return;
  }
  given.refuse_if(
      !given.has("rows") || given.has("steps"), "rows",
      "must be given: the most rows there may be, public; or time, from, until and every for slots "
      "of time");
  given.refuse_if(given.text("rows") == "unbounded", "rows",
                  "must be a number for {}: the most rows there may be");
  given.refuse_if(given.has_slots() || !given.has("every") ||
                      parse_count("every", given.text("every")) != parse_count("rows", given.text("rows")),
                  "every",
                  "must be left out, or as rows: the rows of {} have no order in which blocks of them could "
                  "follow each other; releases in between need slots of rows' own times");
}

void check_steps_of_sums(const Given& given) {
  const SourceTraits& source = given.source;
  if (source.front != Field::served || !source.gives_sums) return;
  given.refuse_if(given.has_slots() && source.batches_are_public, "public-batches",
                  "is for steps that are rows: here steps are slots of time, and batches private");
  if (given.has_slots()) return;
  given.refuse_if(
      !source.batches_are_public, "every",
      "must be a length of time, such as 15m: Spark begins a batch when rows come and leaves out "
      "empty ones, so that the times of releases by rows would tell of single rows; give "
      "public_batches=True only where neither the times nor the sizes of batches depend on what is in "
      "any row");
  given.refuse_if(given.has("adjacency") && given.text("adjacency") != "replace-one", "adjacency",
                  "must be replace-one where steps are rows: how many there are is public");
  given.refuse_if(given.is_on("private_count") || given.fills_by("observed"), "public-batches",
                  "tells how many rows there are, and this run counts them in private");
}

}  // namespace

void check(const RunSettings& settings, const SourceTraits& source) {
  const Given given(settings, source);
  check_front(given);
  check_batches(given);
  check_steps_of_sums(given);
  check_people(given);
  check_columns(given);
  check_bounds(given);
  check_bad_rows(given);
  check_sums(given);
  check_messages(given);
  check_clock(given);
  check_reading(given);
  check_noise(given);
  check_state(given);
}

}  // namespace jme
