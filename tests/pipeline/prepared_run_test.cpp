#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/run_fields.hpp>

#include "temporary_folder.hpp"

namespace jme {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> columns{"a", "b"};

RunConfig hundred_rows() {
  RunConfig config;
  config.stream.budget = {.epsilon = 1, .delta = 1e-6};
  config.stream.rows = 100;
  config.stream.every = 10;
  config.columns = columns;
  config.bounds = ColumnBounds::parse("a=0:10,b=-2:2", columns);
  config.insecure_seed = 5;
  return config;
}

std::string complaint(const std::function<void(RunConfig&)>& change) {
  RunConfig config = hundred_rows();
  change(config);
  try {
    const PreparedRun run(config);
  } catch (const InvalidParameter& error) {
    return error.field() + " / " + error.what();
  }
  return "none";
}

/// Pushes rows (a, b) = (t mod 10, missing every third time) and returns what was published.
std::vector<std::string> releases(const RunConfig& config, int rows) {
  const PreparedRun run(config);
  std::vector<std::string> lines;
  ReleaseWriter writer(units_of(run.bounds()), run.emit(), run.columns());
  RowFeed feed = run.feed([&](const Release& release) { lines.push_back(writer.line(release)); });
  for (int t = 0; t < rows; ++t) {
    feed.push(std::vector{static_cast<double>(t % 10),
                          t % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : 0.25 * (t % 7)});
  }
  feed.end_input();
  return lines;
}

TEST(PreparedRun, TakesDimensionAndNormBoundFromBoundedColumns) {
  const PreparedRun run(hundred_rows());
  EXPECT_TRUE(run.dimension_is_known());
  EXPECT_EQ(run.mechanism().config().dimension, 2U);
  EXPECT_EQ(run.mechanism().config().norm_bound, std::sqrt(2.0));
  EXPECT_EQ(run.columns(), columns);
  EXPECT_EQ(run.emit().values.size(), 2U);
}

TEST(PreparedRun, NamesTheFieldThatIsWrongBeforeAnythingIsOpened) {
  EXPECT_EQ(complaint([](RunConfig&) {}), "none");
  EXPECT_THAT(complaint([](RunConfig& c) { c.stream.rows = 0; }), HasSubstr("rows / "));
  EXPECT_EQ(complaint([](RunConfig& c) { c.stream.dimension = 3; }),
            "dimension / dimension = 3: must be 2, the number of columns");
  EXPECT_EQ(complaint([](RunConfig& c) { c.bounds.reset(); }),
            "norm_bound / norm-bound = 0: must be a finite number above 0");
  EXPECT_THAT(complaint([](RunConfig& c) { c.columns.pop_back(); }), HasSubstr("bounds / "));
  EXPECT_THAT(complaint([](RunConfig& c) { c.emit.values = parse_emit("pca:3"); }), HasSubstr("emit / "));
  EXPECT_THAT(complaint([](RunConfig& c) { c.missing = MissingRules::parse("z=1"); }),
              HasSubstr("missing / "));
  EXPECT_EQ(complaint([](RunConfig& c) {
              c.missing = MissingRules::parse("model");
              c.stream.second = SecondMoment::diagonal;
            }),
            "missing / missing = model: must be used where second is full, with one workload, no matrix, for "
            "both moments");
  EXPECT_THAT(complaint([](RunConfig& c) { c.stream.budget = {.sigma = 1e10}; }),
              HasSubstr("sigma: its noise could reach 2^50 lattice units"));
}

TEST(PreparedRun, LearnsItsColumnsFromTheInputWhereTheConfigurationLeftThemOpen) {
  RunConfig config = hundred_rows();
  config.columns.clear();
  config.bounds.reset();
  config.stream.norm_bound = 1;
  config.emit.values = parse_emit("mean,regression:c");
  PreparedRun run(config);
  EXPECT_FALSE(run.dimension_is_known());
  EXPECT_THROW(run.adopt_columns({"a", "b"}), InvalidParameter);
  PreparedRun other(config);
  other.adopt_columns({"a", "b", "c"});
  EXPECT_EQ(other.mechanism().config().dimension, 3U);
  EXPECT_EQ(other.emit().values[1].target, 2U);
  EXPECT_TRUE(other.bounds().is_none());
  config.stream.dimension = 2;
  config.emit.values.clear();
  PreparedRun known(config);
  EXPECT_THROW(known.adopt_columns({"a", "b", "c"}), InvalidParameter);
}

TEST(PreparedRun, RunsTheSameInMemoryAndInAStateFolder) {
  const test::TemporaryFolder folder;
  RunConfig config = hundred_rows();
  config.missing = MissingRules::parse("mean");
  config.emit.values = parse_emit("mean,covariance,pca:1");
  const std::vector<std::string> plain = releases(config, 95);
  EXPECT_EQ(plain.size(), 10U);
  config.state = DurableOptions{.directory = folder.path() / "state"};
  EXPECT_EQ(releases(config, 95), plain);
  EXPECT_EQ(releases(config, 95), plain);  // the same input again: what was stored
}

TEST(PreparedRun, KeepsBoundsMissingCellsAndColumnsInTheStatesIdentity) {
  const test::TemporaryFolder folder;
  RunConfig config = hundred_rows();
  config.missing = MissingRules::parse("mean");
  config.state = DurableOptions{.directory = folder.path() / "state"};
  EXPECT_EQ(releases(config, 20).size(), 2U);
  RunConfig other = config;
  other.missing = MissingRules::parse("centre");
  EXPECT_THROW(static_cast<void>(releases(other, 20)), StateError);
  other = config;
  other.bounds = ColumnBounds::parse("a=0:11,b=-2:2", columns);
  EXPECT_THROW(static_cast<void>(releases(other, 20)), StateError);
  other = config;
  other.columns = {"b", "a"};
  other.bounds = ColumnBounds::parse("a=0:10,b=-2:2", other.columns);
  EXPECT_THROW(static_cast<void>(releases(other, 20)), StateError);
}

TEST(PreparedRun, GoesOnUnderTheSameBoundsInOtherDigits) {
  const test::TemporaryFolder folder;
  RunConfig config = hundred_rows();
  config.missing = MissingRules::parse("mean");
  config.state = DurableOptions{.directory = folder.path() / "state"};
  config.leave_open = true;
  EXPECT_EQ(releases(config, 20).size(), 2U);
  config.bounds = ColumnBounds::parse(" b=-2.0:2e0, a=0:10.00", columns);
  EXPECT_EQ(releases(config, 40).size(), 4U);
}

// Metadata, statement of identity and settings files cannot forget a field: they are made from the table.
TEST(PreparedRun, DescribesEveryFieldThatIsInForce) {
  const PreparedRun run(hundred_rows());
  const auto object = nlohmann::json::parse(metadata_line(run.description(), run.columns()));
  std::size_t described = 0;
  for (const RunField& field : run_fields()) {
    if (!field.in_force) continue;
    const FieldValue value = field.in_force(run.description());
    const bool is_in_force = !std::holds_alternative<std::monostate>(value);
    const bool is_said =
        object["configuration"].contains(field.name) || object["privacy"].contains(field.name);
    if (field.name == "sigma") continue;  // what is used, whether it was given or not
    EXPECT_EQ(is_said, is_in_force) << field.name;
    described += is_in_force ? 1 : 0;
  }
  EXPECT_GE(described, 18U);
}

TEST(PreparedRun, LeavesAPartialBlockOpenWhereAsked) {
  const test::TemporaryFolder folder;
  RunConfig config = hundred_rows();
  config.missing = MissingRules::parse("centre");
  const std::vector<std::string> whole = releases(config, 40);
  config.state = DurableOptions{.directory = folder.path() / "state"};
  config.leave_open = true;
  EXPECT_EQ(releases(config, 25).size(), 2U);
  EXPECT_EQ(releases(config, 40), whole);
}

TEST(PreparedRun, ReturnsOptionsThatChangeNothing) {
  RunConfig config = hundred_rows();
  config.emit = {.values = parse_emit("mean"), .bias = Bias::kept, .psd = true};
  EXPECT_THAT(PreparedRun(config).unused_emit_options(),
              ElementsAre(UnusedEmitOption::psd, UnusedEmitOption::bias));
}

/// Bytes of address space that this process has.
rlim_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

// A stream of 20,000 columns keeps vectors of 200 million numbers, 1.6 GB each. The limit holds for whatever
// way memory is asked for. (Sanitizers reserve their address space beforehand, so that there the test only
// shows that the run is prepared.)
TEST(PreparedRun, Of20000ColumnsNeedsNoMemoryOfAStream) {
  const auto prepare = [] {
    const rlim_t most = address_space() + (rlim_t{64} << 20);
    const rlimit limit{.rlim_cur = most, .rlim_max = most};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(2);
    try {
      RunConfig config;
      config.stream.budget = {.epsilon = 1, .delta = 1e-6};
      config.stream.rows = 1000;
      config.stream.dimension = 20'000;
      config.stream.norm_bound = 1;
      const PreparedRun run(config);
    } catch (const std::exception& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(1);
    }
    std::_Exit(0);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the test program may have threads
  EXPECT_EXIT(prepare(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace jme
