#include "pipeline/input_fields.hpp"

#include <jme/base/parse.hpp>
#include <jme/clock/time.hpp>
#include <jme/pipeline/run_config.hpp>

namespace jme {

namespace {

using enum Field::Type;

FieldValue text_or_nothing(const std::string& words_of_it) {
  return words_of_it.empty() ? FieldValue() : FieldValue(words_of_it);
}

std::string date_text(const std::optional<Seconds>& time) {
  return time ? iso_text(*time) : "";
}

}  // namespace

std::vector<RunField> pipeline::input_fields() {
  return {
      {{.name = "format",
        .fallback = "auto",
        .words = {"auto", "csv", "ndjson", "npy"},
        .value = "F",
        .help = "csv, ndjson or npy (default: by the file's extension; stdin is csv)",
        .more = "It is never guessed from the content, whose first bytes may belong to a row. Records of a "
                "Kafka topic are ndjson by default, or csv.",
        .fronts = Field::runs | Field::batches | Field::searches}},
      {{.name = "compression",
        .fallback = "auto",
        .words = {"auto", "none", "gzip", "xz"},
        .value = "C",
        .help = "none, gzip or xz (default: by the file's extension, .gz or .xz; stdin is plain)",
        .fronts = Field::runs | Field::batches | Field::searches}},
      {{.name = "columns",
        .type = list,
        .value = "A,B,..",
        .help =
            "Columns to use, in this order, by name or number (default: the bounded ones, else all of the "
            "header's; without a header they must be given here, by bounds or, as 1 to D, by dimension)",
        .more = "No row decides which columns there are. For NDJSON they are keys of objects; if all of them "
                "are numbers, they are places in arrays as well. Further cells and keys do not matter.",
        .fronts = Field::rows | Field::searches},
       {},
       [](RunConfig& c, const std::string& t) { c.columns = parse_list("columns", t); }},
      {{.name = "bounds",
        .type = ranges,
        .value = "A=LO:HI,..",
        .help = "PUBLIC range of every column; values are clamped to it and results come back in these "
                "units; or @FILE: ranges that jme bounds found, on records that the run leaves out; or auto: "
                "the run finds them itself from its first records, which it then leaves out",
        .more = "Values are mapped to [-1, 1]. A search by the run itself takes `first` records and is paid "
                "from its own budget."},
       [](const RunDescription& run) {
         return run.bounds_are_sought ? FieldValue(std::string("auto")) : text_or_nothing(run.bounds.text());
       },
       {},
       true},
      {{.name = "same_rows",
        .type = flag,
        .fallback = "false",
        .help = "With bounds @FILE: take the records that were searched for bounds too; both spend privacy "
                "on them",
        .more = "The statement says what they cost together.",
        .fronts = Field::runs},
       [](const RunDescription& run) {
         return run.bounds_origin ? FieldValue(run.bounds_origin->same_rows) : FieldValue();
       },
       {},
       true},
      {{.name = "no_header",
        .type = flag,
        .fallback = "false",
        .help = "The first CSV line is a row, not names; columns are 1, 2, ..",
        .more = "A header is public by definition.",
        .fronts = Field::rows | Field::searches}},
      {{.name = "width",
        .type = count,
        .value = "N",
        .help = "Cells of every record that has no header and no keys (default: the largest column number "
                "that columns, bounds, person or time name); records of another width are bad rows",
        .more = "Arrays of JSON and CSV with `no_header` have neither. A record of another width is "
                "nobody's, unless the id is its first cell.",
        .fronts = Field::rows | Field::searches}},
      {{.name = "records",
        .fallback = "lines",
        .words = {"lines", "quoted"},
        .value = "R",
        .help =
            "What a CSV record is: lines (default), one line whatever quotes it holds, safe where people "
            "control bytes; or quoted, cells with line breaks (RFC 4180), for files that a CSV writer made",
        .more = "In lines no cell can add rows or swallow others. With quoted, an open quote makes the lines "
                "after it part of its record, and a file that ends inside a quoted cell ends the run.",
        .fronts = Field::rows | Field::searches},
       [](const RunDescription& run) { return text_or_nothing(run.records); },
       {},
       true},
      {{.name = "delimiter",
        .fallback = ",",
        .rule = "one character, or tab, semicolon or pipe",
        .words = {"tab", "semicolon", "pipe"},
        .value = "C",
        .help = "Between CSV fields (default ,): one character, or tab, semicolon or pipe",
        .more = "The error about a file with another delimiter names it.",
        .fronts = Field::rows | Field::searches}},
      {{.name = "decimal",
        .fallback = "point",
        .words = {"point", "comma"},
        .value = "D",
        .help = "Decimal sign of CSV numbers: point (default), or comma for 1,5; then a point is no part of "
                "a number",
        .more = "With a comma, a point could separate thousands.",
        .fronts = Field::rows | Field::searches}},
      {{.name = "on_bad_row",
        .words = {"fail", "zero"},
        .value = "DO",
        .help = "fail: the run ends there; or zero: it counts as the zero row or, where counts are private, "
                "nowhere (default: zero with private-count, person, missing observed or slots of time, else "
                "fail)",
        .more = "Readers of the releases see where a run ended. The zero row is the middle of the bounds. "
                "Bad rows are those with text, infinity, the wrong number of cells or a missing cell that "
                "`missing` does not fill, and records that are not JSON, not text (a NUL byte), blank or "
                "longer than 64 MiB. Each of them is one row. A stream that is served has zero by default.",
        .fronts = Field::rows | Field::searches},
       [](const RunDescription& run) -> FieldValue {
         return std::string(run.on_bad_row == OnBadRow::zero ? "zero" : "fail");
       }},
      {{.name = "missing",
        .rule = "centre, mean, model, observed, fail or COLUMN=VALUE",
        .words = {"observed", "model", "mean", "centre", "fail"},
        .value = "DO",
        .help = "Missing cells become: centre (of the bounds), mean (as last released), model (predicted "
                "from the last release and the row's other cells), PUBLIC values, such as mean,RAIN=0; or "
                "nothing (observed: results are over the cells that are there, which are counted privately; "
                "needs bounds); or fail (default: the row is bad)",
        .more = "Missing cells are blank cells, NA, NaN, null, and all cells of a blank line. The choice is "
                "public. model clamps what it predicts to the bounds, or shortens it to the norm bound. With "
                "observed, means are over the cells that are there and second moments over the pairs that "
                "are there; releases have count and pair_count, with noise_std, and a number is null until "
                "its count is ten of its standard deviations. It needs the method jme or lambda-jme. fail "
                "stops at a missing cell in any case.",
        .fronts = Field::rows},
       [](const RunDescription& run) { return text_or_nothing(run.missing); },
       [](RunConfig& c, const std::string& t) { c.missing = MissingRules::parse(t); },
       true}};
}

std::vector<RunField> pipeline::clock_fields() {
  const std::string date = "a time in ISO 8601 (UTC) or in seconds since 1970";
  return {
      {{.name = "time",
        .takes = Field::Takes::column,
        .value = "COLUMN",
        .help = "When a row happened: ISO 8601 (UTC where it has no offset) or seconds since 1970. With "
                "every, from and until every row counts in the slot of its own time",
        .more = "The whole input is read before the first release then, and rows outside the schedule are "
                "ignored. What other rows say does not matter.",
        .fronts = Field::runs | Field::batches},
       [](const RunDescription& run) { return text_or_nothing(run.clock ? run.clock->time_column : ""); },
       {},
       true},
      {{.name = "time_unit",
        .words = {"s", "ms", "us", "minute", "hour", "day"},
        .value = "UNIT",
        .help =
            "What numbers in the column of times count since 1970: s (default), ms, us, minute, hour or day",
        .more = "ISO 8601 is read as before. `from` and `until` are then given in ISO 8601. A run whose rows "
                "are mostly outside of the schedule or in one slot warns its owner.",
        .fronts = Field::runs | Field::batches},
       [](const RunDescription& run) {
         const bool is_used = run.clock && run.clock->time_unit != TimeUnit::second;
         return is_used ? FieldValue(std::string(name(run.clock->time_unit))) : FieldValue();
       },
       {},
       true},
      {{.name = "from",
        .takes = Field::Takes::date,
        .rule = date,
        .value = "DATE",
        .help = "When the first slot of time begins (live input: by default with the slot in which the run "
                "starts)"},
       [](const RunDescription& run) { return text_or_nothing(run.clock ? date_text(run.clock->from) : ""); },
       {},
       true},
      {{.name = "until",
        .takes = Field::Takes::date,
        .rule = date,
        .value = "DATE",
        .help = "When the last slot of time ends, exclusive; left out for live input, which has steps",
        .more = "Without it slots end by the machine's clock and a row counts in the slot in which it "
                "arrives. Slots are released on time, also without rows. The input is then standard input or "
                "a file with `follow`.",
        .fronts = Field::runs | Field::batches},
       [](const RunDescription& run) {
         return text_or_nothing(run.clock ? date_text(run.clock->until) : "");
       },
       {},
       true},
      {{.name = "late",
        .words = {"current", "drop"},
        .value = "DO",
        .help = "Live input with time: a row whose own time is before the open slot counts in it (current, "
                "default) or nowhere (drop)",
        .fronts = Field::runs | Field::batches},
       [](const RunDescription& run) {
         const bool is_used = run.clock && !run.clock->until && !run.clock->time_column.empty();
         return is_used ? FieldValue(std::string(run.clock->drops_late ? "drop" : "current")) : FieldValue();
       },
       {},
       true},
      {{.name = "follow",
        .type = flag,
        .fallback = "false",
        .help = "Wait for more at the end of a file that grows; it may be rotated by renaming",
        .more = "A file that takes its place is read from its beginning, without its header. Where it is "
                "truncated or rewritten in place, the run ends with exit code 3. With slots of time, what is "
                "in it when the run starts is left out. Without slots of time the run ends after the last "
                "row of the horizon. A Kafka topic is read on in the same way; without this setting it is "
                "read up to what is committed at the start.",
        .fronts = Field::runs}}};
}

std::vector<RunField> pipeline::search_fields() {
  return {
      {{.name = "first",
        .type = count,
        .value = "N",
        .help =
            "Records to search for bounds, the first of the input, readable or not; the run leaves them out",
        .more =
            "The whole budget of a search is spent at once. Where the noise would hide every range it "
            "refuses before it reads anything, and says how many records it needs. With `state` the search "
            "is charged on the ledger before it looks; a durable run takes only bounds whose search is in "
            "its folder under its source, and refuses an input that begins with other records.",
        .fronts = Field::runs | Field::searches}}};
}

}  // namespace jme
