#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/check.hpp>
#include <jme/pipeline/run_fields.hpp>

namespace jme {
namespace {

using testing::HasSubstr;

const SourceTraits memory{.has_first_records = false};
const SourceTraits file{.name = "a file", .is_read = true, .has_header = true};
const SourceTraits pipe{.name = "a file", .is_read = true, .is_live = true};
const SourceTraits topic{.name = "a Kafka topic",
                         .is_read = true,
                         .is_shared = true,
                         .has_first_records = false,
                         .has_messages = true};
const SourceTraits bodies{.name = "a stream that many write to",
                          .front = Field::served,
                          .has_first_records = false,
                          .has_bodies = true};
const SourceTraits frame{.name = "a DataFrame",
                         .front = Field::batches,
                         .has_first_records = false,
                         .tells_persons = false,
                         .gives_sums = true};
const SourceTraits plan{.front = Field::plans};
const SourceTraits search{.front = Field::searches};

SourceTraits block_of_frame() {
  SourceTraits block = frame;
  block.is_one_block = true;
  return block;
}

SourceTraits sink(bool batches_are_public = false) {
  return {.name = "a sink",
          .front = Field::served,
          .is_shared = true,
          .has_first_records = false,
          .tells_persons = false,
          .gives_sums = true,
          .batches_are_public = batches_are_public};
}

/// "FIELD: what is said", or "none".
std::string refusal(const std::string& json, const SourceTraits& source) {
  try {
    check(RunSettings::from_json(json, "a test"), source);
  } catch (const InvalidParameter& error) {
    return error.field() + "| " + error.what();
  }
  return "none";
}

struct Case {
  const char* json;
  SourceTraits source;
  const char* field;
  const char* says;
};

void expect_refused(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    const std::string said = refusal(one.json, one.source);
    EXPECT_THAT(said, testing::StartsWith(std::string(one.field) + "| ")) << one.json;
    EXPECT_THAT(said, HasSubstr(one.says)) << one.json;
  }
}

TEST(Check, LetsWhatFitsPass) {
  const std::string rows = R"({"epsilon": 1, "delta": 1e-6, "bounds": {"x": [0, 1]}, "rows": 100)";
  for (const SourceTraits& source : {memory, file, pipe, topic, bodies, plan, search, sink(true)}) {
    EXPECT_EQ(refusal(rows + "}", source), "none") << source.name;
  }
  EXPECT_EQ(refusal(rows + R"(, "every": 1e2})", frame), "none");
  const std::string live = R"({"bounds": {"x": [0, 1]}, "every": "1h", "steps": 24)";
  for (const SourceTraits& source : {memory, pipe, bodies, sink()}) {
    EXPECT_EQ(refusal(live + "}", source), "none") << source.name;
  }
  EXPECT_EQ(refusal(live + R"(, "follow": true})", file), "none");
  EXPECT_EQ(refusal(live + R"(, "follow": true})", topic), "none");
  const std::string day =
      R"({"bounds": {"x": [0, 1]}, "every": "1h", "time": "at", "from": "2026-01-01", "until": "2026-01-02"})";
  for (const SourceTraits& source : {memory, file, topic, frame}) {
    EXPECT_EQ(refusal(day, source), "none") << source.name;
  }
}

TEST(Check, RefusesSettingsThatContradictEachOtherWhereverRowsComeFrom) {
  const std::vector<Case> cases{
      {R"({"time": "at"})", {}, "time", "every must be a length of time"},
      {R"({"time": "at", "every": 10})", {}, "every", "every = 10: must be a length of time"},
      {R"({"every": "1h", "steps": 2, "rows": 5})", {}, "rows", "must be left out"},
      {R"({"every": "1h", "steps": 2, "separation": 5})", {}, "separation", "must be left out"},
      {R"({"every": "1h", "steps": 2, "time_unit": "ms"})", {}, "time_unit", "together with time"},
      {R"({"every": "1h", "until": "2026-01-02", "time": "at"})", {}, "from", "must be given with until"},
      {R"({"every": "1h", "until": "2026-01-02", "from": "2026-01-01"})", {}, "time", "must be given"},
      {R"({"every": "1h", "until": "2026-01-02", "from": "2026-01-01", "time": "at", "steps": 3})",
       {},
       "steps",
       "not both"},
      {R"({"every": "1h", "until": "2026-01-02", "from": "2026-01-01", "time": "at", "late": "drop"})",
       {},
       "late",
       "live input"},
      {R"({"every": "1h"})", {}, "until", "or steps for live input"},
      {R"({"balance": 2, "lambda": 1})", {}, "balance", "not both"},
      {R"({"balance": 2, "method": "cs"})", {}, "balance", "balance = 2: must be left out"},
      {R"({"bounds": "auto", "same_rows": true})", {}, "same_rows", "@FILE"},
      {R"({"bounds": {"x": [0, 1]}, "same_rows": true})", {}, "same_rows", "@FILE"},
      {R"({"bounds": {"x": [0, 1]}, "first": 10})", {}, "first", "bounds auto"},
      {R"({"person": "who"})", {}, "rows_per_person", "must be given with person"},
      {R"({"rows_per_person": 2})", {}, "person", "must be given with rows-per-person"},
      {R"({"rows_per_person": 2, "person": ""})", {}, "person", "empty"},
      {R"({"rows_per_person": 2, "person": "who", "participations": 3})", {}, "participations", "enforced"},
      {R"({"rows_per_person": 2, "person": "who", "separation": 3})", {}, "separation", "how far apart"},
      {R"({"source": "a"})", {}, "source", "give state as well"},
      {R"({"leave_open": true})", {}, "leave_open", "give state as well"},
      {R"({"state": ""})", {}, "state", "empty"},
      {R"({"state": "a", "source": ""})", {}, "source", "empty"}};
  expect_refused(cases);
  EXPECT_EQ(refusal(R"({"rows_per_person": 2})", plan), "none");  // nobody's rows come
  EXPECT_EQ(refusal(R"({"first": 10, "columns": "a"})", search), "none");
  EXPECT_EQ(refusal(R"({"rows_per_person": 2, "person": "who", "participations": 1})", {}), "none");
}

TEST(Check, RefusesWhatASourceCannotDo) {
  const std::vector<Case> cases{
      {R"({"width": 3})", file, "width", "without a header"},
      {R"({"follow": true, "every": "1h", "time": "t", "from": "2026-01-01", "until": "2026-01-02"})", file,
       "follow", "slots by arrival"},
      {R"({"every": "1h", "steps": 3, "columns": "a"})", file, "follow", "must be given"},
      {R"({"every": "1h", "steps": 3})", pipe, "columns", "before the first line"},
      {R"({"every": "1h", "steps": 3, "bounds": "@found.json"})", pipe, "bounds", "same-rows"},
      {R"({"bounds": "auto"})", memory, "bounds", "search a sample"},
      {R"({"bounds": "@found.json"})", topic, "bounds", "a Kafka topic"},
      {R"({"format": "npy"})", topic, "format", "ndjson or csv"},
      {R"({"records": "quoted"})", topic, "records", "one row"},
      {R"({"compression": "xz"})", topic, "compression", "left out"},
      {R"({"on_bad_row": "fail"})", topic, "on_bad_row", "would end the run for all others"},
      {R"({"missing": "mean, x=fail"})", topic, "missing", "would end the run for all others"},
      {R"({"dimension": 2, "state": "elsewhere"})", bodies, "state",
       "is not for a stream that many write to"},
      {R"({"dimension": 2, "until": "2026-01-01"})", bodies, "until", "is not for"},
      {R"({"rows": 5})", bodies, "columns", "must be given"},
      {R"({"dimension": 2, "method": "pp"})", bodies, "method", "cannot be kept as sums"},
      {R"({"dimension": 2, "workload2": "decay:0.9", "every": 2})", bodies, "every", "must be 1 with decay"},
      {R"({"columns": "a", "person": "who", "rows_per_person": 1, "no_header": true})", bodies, "no_header",
       "must not be set with person"},
      {R"({"columns": "a", "width": 2, "no_header": true})", bodies, "width", "no other cells"},
      {R"({"bounds": "auto"})", bodies, "bounds", "search a sample"}};
  expect_refused(cases);
  EXPECT_EQ(refusal(R"({"bounds": "@found.json", "same_rows": true})", topic), "none");
  EXPECT_EQ(refusal(R"({"columns": "a", "missing": "mean", "on_bad_row": "fail"})", bodies), "none");
}

TEST(Check, RefusesWhatSumsThatOthersMakeCannotDo) {
  const std::string bounds = R"({"bounds": {"x": [0, 1]}, )";
  const std::vector<Case> cases{
      {R"({"norm_bound": 1, "rows": 5, "every": 5})", frame, "bounds", "names choose them"},
      {R"({"columns": "a", "person": "who", "rows": 5, "every": 5})", frame, "person", "in one place"},
      {R"({"columns": "a", "rows": 5, "every": 5, "missing": "x=0,mean"})", frame, "missing",
       "do not know the last release"},
      {R"({"columns": "a", "rows": 5, "every": 5, "missing": "fail"})", frame, "missing", "for all others"},
      {R"({"columns": "a", "rows": 5, "every": 5, "follow": true})", frame, "follow",
       "is not for a DataFrame"},
      {R"({"columns": "a", "rows": 10, "every": 5})", frame, "every", "have no order"},
      {R"({"columns": "a", "rows": 10, "every": "1h"})", frame, "every", "have no order"},
      {R"({"columns": "a", "steps": 10})", frame, "rows", "must be given"},
      {R"({"columns": "a", "rows": "unbounded"})", frame, "rows", "must be a number"},
      {R"({"columns": "a", "time": "at", "every": "1h", "steps": 3})", frame, "until", "must be given"},
      {R"({"columns": "a", "time": "at"})", block_of_frame(), "time", "use moments"},
      {R"({"columns": "a", "rows": 10})", sink(), "every", "would tell of single rows"},
      {R"({"columns": "a", "every": "1h", "steps": 2})", sink(true), "public_batches", "batches private"},
      {R"({"columns": "a", "rows": 5, "adjacency": "add-remove"})", sink(true), "adjacency", "replace-one"},
      {R"({"columns": "a", "rows": 5, "missing": "observed"})", sink(true), "public_batches", "in private"},
      {R"({"columns": "a", "rows": 5, "private_count": true})", sink(true), "public_batches", "in private"},
      {R"({"columns": "a", "rows": 5, "time": "at"})", sink(true), "time", "is not for a sink"},
      {R"({"columns": "a", "rows": 5, "on_bad_row": "fail"})", sink(true), "on_bad_row", "one bad row"}};
  expect_refused(cases);
}

// A complete list of settings, such as --print-config prints, says no more than what it was made from.
TEST(Check, TakesTheDefaultsThatACompleteListHas) {
  RunSettings settings = RunSettings::from_json(
      R"({"epsilon": 1, "delta": 1e-6, "bounds": {"x": [0, 1]}, "rows": 100, "person": "who", "rows_per_person": 2})",
      "a test");
  settings = RunSettings::from_json(settings.to_json(), "a test");
  for (const SourceTraits& source : {memory, pipe, topic, bodies}) EXPECT_NO_THROW(check(settings, source));
}

}  // namespace
}  // namespace jme
