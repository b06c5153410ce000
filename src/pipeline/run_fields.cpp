#include <algorithm>
#include <numeric>

#include <jme/output/emit.hpp>
#include <jme/pipeline/run_fields.hpp>

namespace jme {

namespace {

using enum RunField::Type;

const char* const yes_or_no = "true or false";
const char* const above_0 = "a finite number above 0";
const char* const whole = "a whole number of at least 1";
const char* const words = "text";
const char* const names = "a list of names";

std::vector<RunField> input_fields() {
  const std::string group = "Input";
  return {
      {"format", text, "auto", "auto, csv, ndjson or npy", group, "F",
       "csv, ndjson or npy (default: by the file's extension; stdin is csv)"},
      {"compression", text, "auto", "auto, none, gzip or xz", group, "C",
       "none, gzip or xz (default: by the file's extension, .gz or .xz; stdin is plain)"},
      {"columns", list, "", names, group, "A,B,..",
       "Columns to use, in this order, by name or number (default: the bounded ones, else all of the "
       "header's; without a header they must be given here, by bounds or, as 1 to D, by dimension)"},
      {"bounds", ranges, "", "an object of [low, high] by column", group, "A=LO:HI,..",
       "PUBLIC range of every column; values are clamped to it and results come back in these units"},
      {"no_header", flag, "false", yes_or_no, group, "",
       "The first CSV line is a row, not names; columns are 1, 2, .."},
      {"records", text, "lines", "lines or quoted", group, "R",
       "What a CSV record is: lines (default), one line whatever quotes it holds, safe where people control "
       "bytes; or quoted, cells with line breaks (RFC 4180), for files that a CSV writer made"},
      {"delimiter", text, ",", "one character, or tab", group, "C",
       "Between CSV fields (default ,); tab for tabs"},
      {"on_bad_row", text, "fail", "fail or zero", group, "DO",
       "fail (default) or zero: count it as the zero row"},
      {"missing", text, "", "centre, mean, model, fail or COLUMN=VALUE", group, "DO",
       "Missing cells become: centre (of the bounds), mean (as last released), model (predicted from the "
       "last "
       "release and the row's other cells), PUBLIC values, such as mean,RAIN=0; or fail (default: the row "
       "is bad)"}};
}

std::vector<RunField> privacy_fields() {
  const std::string privacy = "Privacy", horizon = "Horizon (public)", rows = "Rows (public)";
  return {{"epsilon", real, "", above_0, privacy, "E", "Privacy loss, with delta"},
          {"delta", real, "", "a number in (0, 1)", privacy, "D",
           "Slack of the guarantee, in (0, 1); well below 1/people"},
          {"sigma", real, "", above_0, privacy, "S", "Noise multiplier, in place of epsilon and delta"},
          {"adjacency", text, "replace-one", "replace-one or add-remove", privacy, "A",
           "replace-one (default) or add-remove"},
          {"participations", count, "1", whole, privacy, "P", "Rows one person may contribute (default 1)"},
          {"separation", count, "1", whole, privacy, "B",
           "Any two of them are at least this many rows apart (default 1)"},
          {"rows", count, "", "a whole number of at least 1, or unbounded", horizon, "N",
           "At most this many rows will ever come, or unbounded"},
          {"steps", count, "", "a whole number of at least 1, or unbounded", horizon, "N",
           "The same in releases: rows = steps * every"},
          {"every", count, "1", whole, horizon, "K",
           "Publish after every K rows (default 1); more rows per release mean less noise"},
          {"dimension", count, "", whole, rows, "D", "Numbers in a row"},
          {"norm_bound", real, "", above_0, rows, "Z",
           "Largest Euclidean length of a row; longer rows are clipped"}};
}

std::vector<RunField> noise_fields() {
  const std::string what = "What is published", how = "How the noise is made";
  return {{"workload", text, "mean", words, what, "W",
           "prefix, mean (default), decay:0.99, window:100 or @matrix.npy", "workload1"},
          {"workload2", text, "", words, what, "W", "The same for the second moment (default: as the first)"},
          {"second", text, "full", "full, diagonal or none", what, "KIND",
           "Second moment: full (default), diagonal or none"},
          {"method", text, "jme", "jme, lambda-jme, ime, cs, pp or pp-debiased", how, "M",
           "jme (default), lambda-jme, ime, cs, pp or pp-debiased"},
          {"shape", text, "auto", words, how, "S",
           "auto (default), identity, sqrt, banded:16, banded-inverse:16, blt:4, scaled-blt:4, dense or "
           "@matrix.npy",
           "shape1"},
          {"shape2", text, "", words, how, "S", "The same for the second moment (default: as the first)"},
          {"lambda", real, "", above_0, how, "L", "Weight of the second moment for jme and lambda-jme"},
          {"balance", real, "", "free, balanced or a weight above 0", how, "B",
           "free (default), balanced, or the weight of the second moment's error"},
          {"alpha", real, "", "a number in (0, 1)", how, "A",
           "ime: the first moment's share of the budget (default 0.5)"},
          {"tau", real, "", above_0, how, "T", "cs: weight of the squares (default 1/norm-bound^2)"},
          {"objective", text, "rmse", "rmse or max", how, "O", "What auto minimises: rmse (default) or max"},
          {"max_state_vectors", count, "", "a whole number", how, "N",
           "Most memory auto may use, in vectors (default 5; windows: 256 MB)"},
          {"threads", count, "", "a whole number from 1 to 1024", how, "N",
           "Threads that share large steps (default: as many as the processor has, where they help)"}};
}

std::vector<RunField> output_fields() {
  const std::string durable = "Durable runs", output = "Output";
  return {{"state", text, "", "the name of a folder", durable, "DIR",
           "Keep the stream there: after a crash the same command goes on where it was"},
          {"source", text, "", words, durable, "NAME",
           "Whose data these are (default: default); jme ledger adds up what was spent on each source"},
          {"stream", text, "", words, durable, "NAME", "Name of the stream, where a source has several"},
          {"commit_interval", count, "", "a whole number of milliseconds", durable, "MS",
           "Releases within this many milliseconds share a commit (default 50; 0: one commit each)"},
          {"leave_open", flag, "false", yes_or_no, durable, "",
           "At the end of input leave a partial block open for a longer input, instead of ending the stream"},
          {"max_mu", real, "", above_0, durable, "MU",
           "Refuse to start a stream that brings the source's total above this mu"},
          {"emit", list, "", names, output, "LIST", std::string(emit_help) + " (default mean,covariance)"},
          {"raw", flag, "false", yes_or_no, output, "", "Keep the covariance's bias instead of removing it"},
          {"psd", flag, "false", yes_or_no, output, "",
           "Project covariances to the nearest positive semidefinite matrix"},
          {"insecure_test_seed", count, "", "a whole number", output, "N",
           "Reproducible noise that protects NOBODY; for tests"}};
}

/// How many letters must be changed, added or left out.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<RunField>& run_fields() {
  static const std::vector<RunField> fields = [] {
    std::vector<RunField> all;
    for (const auto& part : {input_fields(), privacy_fields(), noise_fields(), output_fields()}) {
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

const std::string& nearest_run_field(std::string_view name) {
  const auto& fields = run_fields();
  return std::min_element(fields.begin(), fields.end(),
                          [&](const RunField& a, const RunField& b) {
                            return distance(a.name, name) < distance(b.name, name);
                          })
      ->name;
}

}  // namespace jme
