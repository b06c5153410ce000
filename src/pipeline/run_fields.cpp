#include <algorithm>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/base/spelling.hpp>
#include <jme/mechanism/stream_fields.hpp>
#include <jme/output/emit.hpp>
#include <jme/pipeline/run_config.hpp>
#include <jme/pipeline/run_fields.hpp>

#include "pipeline/input_fields.hpp"

namespace jme {

namespace {

using enum Field::Type;

std::string parse_name(std::string_view field, const std::string& text) {
  if (text.empty()) throw InvalidParameter(field, "the name is empty");
  return text;
}

std::vector<RunField> person_fields() {
  return {{{.name = "person",
            .takes = Field::Takes::column,
            .group = "Privacy",
            .value = "COLUMN",
            .help = "The column that says whose row it is: with rows-per-person, only so many rows of a "
                    "person count, the first ones, and the number of rows is private; an id is text or a "
                    "number and is never published",
            .more = "A name or a number; no data column. A row without an id counts nowhere. In CSV it "
                    "should be the first column. Not for .npy files.",
            .fronts = Field::rows | Field::searches},
           [](const RunDescription& run) -> FieldValue {
             return run.person.empty() ? FieldValue() : FieldValue(run.person);
           },
           [](RunConfig& c, const std::string& t) { c.person = parse_name("person", t); },
           true}};
}

std::vector<RunField> fields_of_streams() {
  std::vector<RunField> fields;
  for (const StreamField& field : stream_fields()) {
    fields.push_back(
        {field,
         [in_force = field.in_force](const RunDescription& run) { return in_force(run.mechanism); },
         {},
         false,
         true});
  }
  return fields;
}

std::vector<RunField> durable_fields() {
  return {
      {{.name = "state",
        .rule = "the name of a folder",
        .value = "DIR",
        .help = "Keep the stream there: after a crash the same command goes on where it was",
        .more = "The same command reads the input from its start, recognises the rows it has taken, and "
                "prints all releases again byte for byte. Nothing is printed before it is on disk. The "
                "folder is made where it is missing; a folder that exists must belong to the user who runs "
                "jme, and nobody else may write in it (chmod go-w).",
        .fronts = Field::runs | Field::batches | Field::searches}},
      {{.name = "source",
        .value = "NAME",
        .help = "Whose data these are (default: default); jme ledger adds up what was spent on each source",
        .fronts = Field::rows | Field::searches}},
      {{.name = "stream",
        .value = "NAME",
        .help = "Name of the stream, where a source has several",
        .more = "Each of them spends its own budget.",
        .fronts = Field::runs | Field::batches | Field::searches}},
      {{.name = "commit_interval",
        .type = count,
        .rule = "a whole number of milliseconds",
        .value = "MS",
        .help = "Releases within this many milliseconds share a commit (default 50; 0: one commit each)",
        .fronts = Field::runs | Field::batches}},
      {{.name = "leave_open",
        .type = flag,
        .fallback = "false",
        .help =
            "At the end of input leave a partial block open for a longer input, instead of ending the stream",
        .fronts = Field::runs | Field::batches},
       {},
       [](RunConfig& c, const std::string& t) { c.leave_open = t == "true"; }},
      {{.name = "max_mu",
        .type = real,
        .value = "MU",
        .help = "Refuse to start a stream that brings the source's total above this mu",
        .fronts = Field::rows | Field::searches}}};
}

std::vector<RunField> output_fields() {
  return {
      {{.name = "emit",
        .type = list,
        .words = {"first", "second", "mean", "covariance", "correlation", "precision",
                  "pca:", "regression:", "density"},
        .value = "LIST",
        .help = std::string(emit_help) + " (default mean,covariance)",
        .more = "With `second` diagonal the covariance is the vector of variances, and the models after it "
                "are not available."},
       [](const RunDescription& run) -> FieldValue {
         std::vector<std::string> items;
         for (const EmitItem& item : run.emit.values) items.push_back(item.text());
         return items;
       },
       [](RunConfig& c, const std::string& t) { c.emit.values = parse_emit(t); }},
      {{.name = "raw",
        .type = flag,
        .fallback = "false",
        .help = "Keep the covariance's bias instead of removing it",
        .more = "What is computed from it keeps the bias too."},
       {},
       [](RunConfig& c, const std::string& t) { c.emit.bias = t == "true" ? Bias::kept : Bias::removed; }},
      {{.name = "psd",
        .type = flag,
        .fallback = "false",
        .help = "Project covariances to the nearest positive semidefinite matrix",
        .more = "In the units in which columns are [-1, 1]."},
       [](const RunDescription& run) -> FieldValue { return run.emit.psd; },
       [](RunConfig& c, const std::string& t) { c.emit.psd = t == "true"; }},
      // Without a default: settings that were stored before it was there are the same settings.
      {{.name = "allow_weak",
        .type = flag,
        .group = "Privacy",
        .help = "Accept a delta of 0.1 or more, which protects almost nothing",
        .more = "With probability delta the guarantee may fail completely. A note says where delta is above "
                "1 over the number of rows, or epsilon above 10.",
        .fronts = Field::rows | Field::searches}},
      {{.name = "insecure_test_seed",
        .type = count,
        .rule = "a whole number",
        .value = "N",
        .help = "Reproducible noise that protects NOBODY; for tests",
        .fronts = Field::rows | Field::searches},
       {},
       [](RunConfig& c, const std::string& t) {
         c.insecure_seed = parse_count("insecure-test-seed", t, 0);
       }}};
}

}  // namespace

const std::vector<RunField>& run_fields() {
  static const std::vector<RunField> fields = [] {
    std::vector<RunField> all;
    add_group(all, "Input", pipeline::input_fields());
    add_group(all, "Input", pipeline::clock_fields());
    add_group(all, "Search for bounds", pipeline::search_fields());
    add_group(all, "Privacy", person_fields());
    add_group(all, "", fields_of_streams());
    add_group(all, "Durable runs", durable_fields());
    add_group(all, "Output", output_fields());
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
