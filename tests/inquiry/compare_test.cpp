#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/inquiry/compare_answer.hpp>
#include <jme/inquiry/state_releases.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/configure.hpp>

#include "temporary_folder.hpp"

namespace jme {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr const char* common =
    R"("epsilon": 1, "delta": 1e-6, "bounds": {"temp": [-20, 45], "rain": [0, 8]})";
constexpr const char* day =
    R"("time": "when", "every": "1h", "from": "2026-01-01", "until": "2026-01-02", "on_bad_row": "zero")";
constexpr const char* blocks = R"("rows": 1200, "every": 100)";

/// Every kind of stream that there is.
std::vector<std::string> settings() {
  const auto rows = [](const std::string& more) {
    return std::string("{") + common + "," + blocks + (more.empty() ? "" : "," + more) + "}";
  };
  const auto slots = [](const std::string& more) {
    return std::string("{") + common + "," + day + (more.empty() ? "" : "," + more) + "}";
  };
  return {
      rows(""),
      rows(R"("second": "none", "emit": ["mean"])"),
      rows(R"("second": "diagonal")"),
      rows(R"("geometry": "ball")"),
      rows(R"("geometry": "ball-trace")"),
      R"({"epsilon": 1, "delta": 1e-6, "rows": 1200, "every": 100, "norm_bound": 60, "columns": ["a", "b"]})",
      rows(R"("workload": "prefix", "shape": "sqrt")"),
      rows(R"("workload": "decay:0.9", "shape": "blt:4")"),
      rows(R"("workload": "window:300", "shape": "banded:4")"),
      rows(R"("shape": "scaled-blt:3")"),
      rows(R"("workload": "prefix", "shape": "banded-inverse:4")"),
      rows(R"("shape": "dense")"),
      rows(R"("shape": "sqrt", "shape2": "identity")"),
      rows(R"("method": "lambda-jme", "lambda": 0.1)"),
      rows(R"("method": "ime", "alpha": 0.4)"),
      rows(R"("method": "cs")"),
      rows(R"("method": "pp")"),
      std::string("{") + common + R"(, "rows": "unbounded", "every": 50})",
      R"({"sigma": 0.5, "bounds": {"a": [-20, 45], "b": [0, 9]}, "rows": 1200, "every": 100})",
      rows(R"("adjacency": "add-remove")"),
      rows(R"("private_count": true, "on_bad_row": "zero")"),
      rows(R"("participations": 3, "separation": 300)"),
      rows(R"("missing": "mean,rain=0")"),
      rows(R"("missing": "observed", "on_bad_row": "zero")"),
      rows(R"("person": "who", "rows_per_person": 2, "on_bad_row": "zero")"),
      slots(""),
      slots(R"("workload": "decay:half=6h")"),
      slots(R"("workload": "window:6h")"),
      slots(R"("adjacency": "replace-one")"),
      slots(R"("missing": "observed")"),
      slots(R"("person": "who", "rows_per_person": "3/day")"),
      slots(R"("person": "who", "rows_per_person": "2/day:4")")};
}

PreparedRun run_of(const std::string& settings) {
  return PreparedRun(run_config(RunSettings::from_json(settings, "test")));
}

TEST(RunOfMetadata, HasTheNoiseAndTheShapeOfTheRunThatWroteIt) {
  for (const std::string& text : settings()) {
    const PreparedRun written = run_of(text);
    const Json line = metadata(written.description(), written.columns());
    const std::unique_ptr<PreparedRun> read = run_of_metadata(Json::parse(line.dump()));
    const Mechanism &expected = written.mechanism(), &made = read->mechanism();
    EXPECT_EQ(made.calibration().std_first, expected.calibration().std_first) << text;
    EXPECT_EQ(made.calibration().std_count, expected.calibration().std_count) << text;
    EXPECT_EQ(made.calibration().std_rows, expected.calibration().std_rows) << text;
    EXPECT_EQ(made.shape_first().name(), expected.shape_first().name()) << text;
    EXPECT_EQ(made.workload_first().name(), expected.workload_first().name()) << text;
    EXPECT_EQ(made.horizon().steps(), expected.horizon().steps()) << text;
    EXPECT_EQ(ReleaseLayout::of(made), ReleaseLayout::of(expected)) << text;
    EXPECT_EQ(read->columns(), written.columns()) << text;
    EXPECT_EQ(read->bounds().text(), written.bounds().text()) << text;
  }
}

TEST(RunOfMetadata, RefusesWhatIsNoneAndNoiseOfAnotherVersion) {
  for (const char* text : {"{}", R"({"t": 1, "mean": [1]})", R"({"configuration": 3, "privacy": {}})"}) {
    EXPECT_THROW(static_cast<void>(run_of_metadata(Json::parse(text))), InvalidParameter) << text;
  }
  const PreparedRun run = run_of(settings().front());
  Json line = metadata(run.description(), run.columns());
  line["configuration"]["std_first"] = line["configuration"]["std_first"].get<double>() * 1.001;
  EXPECT_THROW(static_cast<void>(run_of_metadata(line)), StateError);
}

struct Written {
  std::string text;
  std::vector<Release> releases;
};

/// What a run writes of rows that rise in their second half; slots are left out: their rows have times.
Written written(const std::string& settings, const std::string& emit) {
  RunConfig config = run_config(RunSettings::from_json(settings, "test"));
  config.insecure_seed = 3;
  config.emit.values = parse_emit(emit);
  PreparedRun run(config);
  ReleaseWriter writer(units_of(run.bounds()), run.emit(), run.columns(),
                       counts_of(run.mechanism().workload_first()));
  Written result{.text = metadata_line(run.description(), run.columns()), .releases = {}};
  RowFeed feed = run.feed([&](const Release& release) {
    result.text += writer.line(release);
    result.releases.push_back(release);
  });
  for (int t = 0; t < 1200; ++t) feed.push(std::vector<double>{t < 600 ? 5.0 : 25.0, 1 + t % 3 * 0.5});
  feed.end_input();
  return result;
}

// From the printed numbers and from the releases themselves; what is printed reads back exactly, and the way
// through natural units rounds a few times.
TEST(ReleasedRun, ReadsLinesAsTheReleasesThatTheyWereWrittenFrom) {
  for (const std::string& text : settings()) {
    const PreparedRun about = run_of(text);
    if (about.clock() || !about.mechanism().config().unit_box) continue;
    if (about.mechanism().config().persons_are_limited) continue;
    for (const char* emit : {"mean", "first"}) {
      Written made = written(text, emit);
      std::istringstream lines(made.text);
      const ReleasedRun read = read_released_run(lines, "lines");
      ReleasedRun direct(run_of_metadata(Json::parse(made.text.substr(0, made.text.find('\n')))));
      for (const Release& release : made.releases) direct.add(release);
      const StepRange half{3, direct.sums().last_step() + 1};
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(read.sums().sum(i, half), direct.sums().sum(i, half), 1e-7) << emit << " " << text;
      }
    }
  }
}

TEST(CompareJson, TellsAChangeInTheUnitsOfTheColumns) {
  Written made = written(settings().front(), "mean,covariance");
  std::istringstream lines(made.text);
  const ReleasedRun releases = read_released_run(lines, "lines");
  const Json answer = compare_json(releases, {.from = "600", .to = "1200"});
  EXPECT_EQ(answer["columns"], Json({"temp", "rain"}));
  EXPECT_EQ(answer["from"]["t"], 600);
  EXPECT_EQ(answer["to"]["after_t"], 600);
  EXPECT_EQ(answer["to"]["t"], 1200);
  EXPECT_LT(answer["interval"]["change"]["low"][0], 20.0);
  EXPECT_GT(answer["interval"]["change"]["high"][0], 20.0);
  EXPECT_EQ(answer["changed"][0], true);
  EXPECT_EQ(answer["changed"][1], false);
  EXPECT_EQ(answer["correction"], "holm");
  EXPECT_THAT(answer["statement"].get<std::string>(), HasSubstr("2 columns"));
  // The same windows by A..B, and the last release by default.
  EXPECT_EQ(compare_json(releases, {.from = "0..600", .to = "600..1200"})["mean"], answer["mean"]);
  EXPECT_EQ(compare_json(releases, {.from = "600"})["mean"], answer["mean"]);
}

std::string complaint(const ReleasedRun& releases, const CompareQuestion& question) {
  try {
    static_cast<void>(compare_json(releases, question));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(CompareJson, NamesTheMomentsThatThereAre) {
  Written made = written(settings().front(), "mean");
  std::istringstream lines(made.text);
  const ReleasedRun releases = read_released_run(lines, "lines");
  EXPECT_THAT(complaint(releases, {.from = "650"}), HasSubstr("from 100 to 1200"));
  EXPECT_THAT(complaint(releases, {.from = "yesterday"}), HasSubstr("from"));
  EXPECT_THAT(complaint(releases, {.from = "600", .to = "500"}), HasSubstr("to"));
  EXPECT_THAT(complaint(releases, {.from = "1200"}), HasSubstr("before the last release"));
  EXPECT_THAT(complaint(releases, {.from = "100..600", .to = "500..900"}), HasSubstr("overlap"));
}

TEST(ReleasedRun, RefusesDamagedLines) {
  const Written made = written(settings().front(), "mean");
  for (const char* bad :
       {"nonsense\n", "{\"t\":1300}\n", "{\"t\":100,\"mean\":[1,2]}\n", "{\"t\":1300,\"mean\":[1]}\n"}) {
    std::istringstream lines(made.text + bad);
    EXPECT_THROW(static_cast<void>(read_released_run(lines, "lines")), InvalidParameter) << bad;
  }
  std::istringstream empty("");
  EXPECT_THROW(static_cast<void>(read_released_run(empty, "lines")), InvalidParameter);
}

TEST(ReleasedByState, IsWhatTheRunReleased) {
  for (const std::string& text : settings()) {
    const PreparedRun about = run_of(text);
    if (about.clock() || about.mechanism().config().persons_are_limited) continue;
    const test::TemporaryFolder folder;
    RunConfig config = run_config(RunSettings::from_json(text, "test"));
    config.state = DurableOptions{.directory = folder.path() / "state"};
    ReleasedSums expected(about.mechanism());
    {
      PreparedRun run(config);
      RowFeed feed = run.feed([&](const Release& release) { expected.add(release); });
      for (int t = 0; t < 400; ++t) feed.push(std::vector<double>(run.columns().size(), t % 8));
      feed.stream().flush();
    }
    const ReleasedRun read = released_by_state(folder.path() / "state", "default", "");
    ASSERT_EQ(read.sums().last_step(), expected.last_step()) << text;
    EXPECT_EQ(read.sums().sum(0, {0, 3}), expected.sum(0, {0, 3})) << text;
  }
}

}  // namespace
}  // namespace jme
