#include <algorithm>

#include <jme/base/spelling.hpp>
#include <jme/clock/time.hpp>
#include <jme/mechanism/stream_fields.hpp>
#include <jme/output/emit.hpp>
#include <jme/pipeline/run_fields.hpp>

#include "base/field_rules.hpp"

namespace jme {

namespace {

using enum Field::Type;
using field_rules::above_0;
using field_rules::words;

const char* const yes_or_no = "true or false";
const char* const names = "a list of names";

FieldValue text_or_nothing(const std::string& words_of_it) {
  return words_of_it.empty() ? FieldValue() : FieldValue(words_of_it);
}

std::vector<RunField> input_fields() {
  const std::string group = "Input";
  return {
      {{"format", text, "auto", "auto, csv, ndjson or npy", group, "F",
        "csv, ndjson or npy (default: by the file's extension; stdin is csv)"}},
      {{"compression", text, "auto", "auto, none, gzip or xz", group, "C",
        "none, gzip or xz (default: by the file's extension, .gz or .xz; stdin is plain)"}},
      {{"columns", list, "", names, group, "A,B,..",
        "Columns to use, in this order, by name or number (default: the bounded ones, else all of the "
        "header's; without a header they must be given here, by bounds or, as 1 to D, by dimension)"}},
      {{"bounds", ranges, "", "an object of [low, high] by column", group, "A=LO:HI,..",
        "PUBLIC range of every column; values are clamped to it and results come back in these units; or "
        "@FILE: "
        "ranges that jme bounds found, on records that the run leaves out; or auto: the run finds them "
        "itself "
        "from its first records, which it then leaves out"},
       [](const RunDescription& run) {
         return run.bounds_are_sought ? FieldValue(std::string("auto")) : text_or_nothing(run.bounds.text());
       },
       true},
      {{"same_rows", flag, "false", yes_or_no, group, "",
        "With bounds @FILE: take the records that were searched for bounds too; both spend privacy on them"},
       [](const RunDescription& run) {
         return run.bounds_origin ? FieldValue(run.bounds_origin->same_rows) : FieldValue();
       },
       true},
      {{"no_header", flag, "false", yes_or_no, group, "",
        "The first CSV line is a row, not names; columns are 1, 2, .."}},
      {{"width", count, "", "a whole number of at least 1", group, "N",
        "Cells of every record that has no header and no keys (default: the largest column number that "
        "columns, bounds, person or time name); records of another width are bad rows"}},
      {{"records", text, "lines", "lines or quoted", group, "R",
        "What a CSV record is: lines (default), one line whatever quotes it holds, safe where people control "
        "bytes; or quoted, cells with line breaks (RFC 4180), for files that a CSV writer made"},
       [](const RunDescription& run) { return text_or_nothing(run.records); },
       true},
      {{"delimiter", text, ",", "one character, or tab, semicolon or pipe", group, "C",
        "Between CSV fields (default ,): one character, or tab, semicolon or pipe"}},
      {{"decimal", text, "point", "point or comma", group, "D",
        "Decimal sign of CSV numbers: point (default), or comma for 1,5; then a point is no part of a "
        "number"}},
      {{"on_bad_row", text, "", "fail or zero", group, "DO",
        "fail: the run ends there; or zero: it counts as the zero row or, where counts are private, nowhere "
        "(default: zero with private-count, person, missing observed or slots of time, else fail)"},
       [](const RunDescription& run) -> FieldValue {
         return std::string(run.on_bad_row == OnBadRow::zero ? "zero" : "fail");
       }},
      {{"missing", text, "", "centre, mean, model, observed, fail or COLUMN=VALUE", group, "DO",
        "Missing cells become: centre (of the bounds), mean (as last released), model (predicted from the "
        "last "
        "release and the row's other cells), PUBLIC values, such as mean,RAIN=0; or nothing (observed: "
        "results "
        "are over the cells that are there, which are counted privately; needs bounds); or fail (default: "
        "the "
        "row is bad)"},
       [](const RunDescription& run) { return text_or_nothing(run.missing); },
       true}};
}

std::vector<RunField> person_fields() {
  return {
      {{"person", text, "", words, "Privacy", "COLUMN",
        "The column that says whose row it is: with rows-per-person, only so many rows of a person count, "
        "the "
        "first ones, and the number of rows is private; an id is text or a number and is never published"},
       [](const RunDescription& run) { return text_or_nothing(run.person); },
       true}};
}

std::string date_text(const std::optional<Seconds>& time) {
  return time ? iso_text(*time) : "";
}

std::vector<RunField> clock_fields() {
  const std::string group = "Input", date = "a time in ISO 8601 (UTC) or in seconds since 1970";
  return {
      {{"time", text, "", words, group, "COLUMN",
        "When a row happened: ISO 8601 (UTC where it has no offset) or seconds since 1970. With every, from "
        "and "
        "until every row counts in the slot of its own time"},
       [](const RunDescription& run) { return text_or_nothing(run.clock ? run.clock->time_column : ""); },
       true},
      {{"time_unit", text, "", "s, ms, us, minute, hour or day", group, "UNIT",
        "What numbers in the column of times count since 1970: s (default), ms, us, minute, hour or day"},
       [](const RunDescription& run) {
         const bool is_used = run.clock && run.clock->time_unit != TimeUnit::second;
         return is_used ? FieldValue(std::string(name(run.clock->time_unit))) : FieldValue();
       },
       true},
      {{"from", text, "", date, group, "DATE",
        "When the first slot of time begins (live input: by default with the slot in which the run starts)"},
       [](const RunDescription& run) { return text_or_nothing(run.clock ? date_text(run.clock->from) : ""); },
       true},
      {{"until", text, "", date, group, "DATE",
        "When the last slot of time ends, exclusive; left out for live input, which has steps"},
       [](const RunDescription& run) {
         return text_or_nothing(run.clock ? date_text(run.clock->until) : "");
       },
       true},
      {{"late", text, "", "current or drop", group, "DO",
        "Live input with time: a row whose own time is before the open slot counts in it (current, default) "
        "or "
        "nowhere (drop)"},
       [](const RunDescription& run) {
         const bool is_used = run.clock && !run.clock->until && !run.clock->time_column.empty();
         return is_used ? FieldValue(std::string(run.clock->drops_late ? "drop" : "current")) : FieldValue();
       },
       true},
      {{"follow", flag, "false", yes_or_no, group, "",
        "Wait for more at the end of a file that grows; it may be rotated by renaming"}}};
}

std::vector<RunField> search_fields() {
  return {
      {{"first", count, "", "a whole number of at least 1", "Search for bounds", "N",
        "Records to search for bounds, the first of the input, readable or not; the run leaves them out"}}};
}

std::vector<RunField> fields_of_streams() {
  std::vector<RunField> fields;
  for (const StreamField& field : stream_fields()) {
    fields.push_back(
        {field, [in_force = field.in_force](const RunDescription& run) { return in_force(run.mechanism); },
         false, true});
  }
  return fields;
}

std::vector<RunField> output_fields() {
  const std::string durable = "Durable runs", output = "Output";
  return {
      {{"state", text, "", "the name of a folder", durable, "DIR",
        "Keep the stream there: after a crash the same command goes on where it was"}},
      {{"source", text, "", words, durable, "NAME",
        "Whose data these are (default: default); jme ledger adds up what was spent on each source"}},
      {{"stream", text, "", words, durable, "NAME", "Name of the stream, where a source has several"}},
      {{"commit_interval", count, "", "a whole number of milliseconds", durable, "MS",
        "Releases within this many milliseconds share a commit (default 50; 0: one commit each)"}},
      {{"leave_open", flag, "false", yes_or_no, durable, "",
        "At the end of input leave a partial block open for a longer input, instead of ending the stream"}},
      {{"max_mu", real, "", above_0, durable, "MU",
        "Refuse to start a stream that brings the source's total above this mu"}},
      {{"emit", list, "", names, output, "LIST", std::string(emit_help) + " (default mean,covariance)"},
       [](const RunDescription& run) -> FieldValue {
         std::vector<std::string> items;
         for (const EmitItem& item : run.emit.values) items.push_back(item.text());
         return items;
       }},
      {{"raw", flag, "false", yes_or_no, output, "", "Keep the covariance's bias instead of removing it"}},
      {{"psd", flag, "false", yes_or_no, output, "",
        "Project covariances to the nearest positive semidefinite matrix"},
       [](const RunDescription& run) -> FieldValue { return run.emit.psd; }},
      // Without a default: settings that were stored before it was there are the same settings.
      {{"allow_weak", flag, "", yes_or_no, "Privacy", "",
        "Accept a delta of 0.1 or more, which protects almost nothing"}},
      {{"insecure_test_seed", count, "", "a whole number", output, "N",
        "Reproducible noise that protects NOBODY; for tests"}}};
}

}  // namespace

const std::vector<RunField>& run_fields() {
  static const std::vector<RunField> fields = [] {
    std::vector<RunField> all;
    for (const auto& part : {input_fields(), clock_fields(), search_fields(), person_fields(),
                             fields_of_streams(), output_fields()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return fields;
}

const RunField* find_run_field(std::string_view name) {
  const auto& fields = run_fields();
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const RunField& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

std::string nearest_run_field(std::string_view name) {
  std::vector<std::string> names;
  for (const RunField& field : run_fields()) names.push_back(field.name);
  return nearest_spelling(name, names);
}

}  // namespace jme
