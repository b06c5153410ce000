#include <cmath>

#include <gtest/gtest.h>

#include <jme/audit/pair_distance.hpp>
#include <jme/base/errors.hpp>
#include <jme/mechanism/moved_rows.hpp>
#include <jme/pipeline/configure.hpp>

namespace jme {
namespace {

constexpr int count = 240;

/// Rows of a file that is in memory: some of several people, in slots of a day, all within the bounds.
class Rows final : public RowSource {
 public:
  struct Change {
    int row = -1;
    std::vector<double> cells{};
    std::string person{};
  };
  Rows(const PreparedRun& run, Change change)
      : run_(run), columns_(run.columns().size()), change_(std::move(change)) {}

  bool next(RowBatch& batch, std::size_t /*most_rows*/) override {
    if (row_ == count) return false;
    batch.clear(columns_);
    const std::span<double> cells = batch.add_row();
    for (std::size_t i = 0; i < columns_; ++i)
      cells[i] = 40 * std::sin(row_ * (3.1 + static_cast<double>(i)));
    std::string person = std::to_string(row_ % 60);
    if (row_ == change_.row) {
      std::copy(change_.cells.begin(), change_.cells.end(), cells.begin());
      if (!change_.person.empty()) person = change_.person;
    }
    if (run_.mechanism().config().persons_are_limited) batch.set_person(0, person);
    if (run_.clock()) batch.set_time(0, 1767225600 + row_ * 360);
    ++row_;
    return true;
  }

 private:
  const PreparedRun& run_;
  std::size_t columns_;
  Change change_;
  int row_ = 0;
};

std::unique_ptr<PreparedRun> run_of(const std::string& settings) {
  RunConfig config = run_config(RunSettings::from_json(settings, "test"));
  config.insecure_seed = 7;
  return std::make_unique<PreparedRun>(config);
}

AuditedRun taken(const PreparedRun& run, const Rows::Change& change = {}) {
  Rows rows(run, change);
  return audited_run(run, rows);
}

const std::string three = R"("bounds": {"a": [-40, 40], "b": [-40, 40], "c": [-40, 40]})";

std::string with(const std::string& more, const std::string& rows = R"("rows": 240, "every": 24)") {
  return R"({"epsilon": 1, "delta": 1e-6, )" + three + ", " + rows + (more.empty() ? "}" : ", " + more + "}");
}

const std::string day = R"("time": "when", "every": "2h", "from": "2026-01-01", "until": "2026-01-02")";

/// Geometries, shapes, methods, blocks, workloads, counts, slots and people.
std::vector<std::string> configurations() {
  return {with(""),
          with(R"("geometry": "ball")"),
          with(R"("geometry": "ball-trace")"),
          with(R"("shape": "sqrt", "shape2": "identity")"),
          with(R"("shape": "dense", "workload": "prefix")"),
          with(R"("shape": "banded:4", "workload": "window:72")"),
          with(R"("workload": "decay:0.97", "shape": "blt:3")"),
          with(R"("method": "ime")"),
          with(R"("method": "cs")"),
          with(R"("method": "lambda-jme")"),
          with("", R"("rows": 240, "every": 1)"),
          with("", R"("rows": 250, "every": 100)"),
          with("", R"("rows": "unbounded", "every": 24)"),
          with(R"("second": "diagonal")"),
          with(R"("second": "none", "emit": ["mean"])"),
          with(R"("adjacency": "add-remove", "private_count": true)"),
          with(R"("missing": "observed", "on_bad_row": "zero")"),
          with(R"("norm_bound": 1.2)"),
          with(R"("person": "who", "rows_per_person": 3)"),
          with("", day),
          with(R"("missing": "observed")", day),
          R"({"sigma": 2, "rows": 240, "every": 24, "norm_bound": 50, "columns": ["a", "b", "c"]})"};
}

// Both ways add the same numbers in another order, so they agree to parts in 1e12.
TEST(PairDistance, ThatIsFoundIsThatOfTheoryInEveryConfiguration) {
  for (const std::string& settings : configurations()) {
    const auto run = run_of(settings);
    const AuditedRun before = taken(*run);
    for (const std::vector<double>& cells :
         {std::vector<double>{40, -40, 40}, {-40, -40, -40}, {1.5, 2.25, -3}}) {
      const PairDistance distance =
          pair_distance(run->mechanism(), before, taken(*run, {.row = 16, .cells = cells, .person = {}}));
      EXPECT_NEAR(distance.found, distance.theory, 1e-9 * std::max(1.0, distance.theory)) << settings;
      EXPECT_EQ(distance.changed_blocks, 1U) << settings;
      EXPECT_GT(distance.found, 0) << settings;
      const double limit = run->mechanism().config().adjacency == Adjacency::replace_one ? 1 : 2;
      EXPECT_LE(distance.found, limit * run->mechanism().mu() * (1 + 1e-9)) << settings;
    }
  }
}

TEST(PairDistance, OfTheSameDataIsZero) {
  const auto run = run_of(with(""));
  const PairDistance distance = pair_distance(run->mechanism(), taken(*run), taken(*run));
  EXPECT_EQ(distance.found, 0);
  EXPECT_EQ(distance.theory, 0);
  EXPECT_EQ(distance.changed_blocks, 0U);
}

// Opposite corners: all of the budget but what rounding sets aside.
TEST(PairDistance, OfOppositeCornersIsTheStatedMu) {
  const auto run = run_of(with(""));
  const AuditedRun low = taken(*run, {.row = 30, .cells = {-40, -40, -40}, .person = {}});
  const AuditedRun high = taken(*run, {.row = 30, .cells = {40, 40, 40}, .person = {}});
  const PairDistance distance = pair_distance(run->mechanism(), low, high);
  EXPECT_LE(distance.found, run->mechanism().mu());
  EXPECT_GT(distance.found, 0.9999 * run->mechanism().mu());
}

TEST(PairDistance, OfAPersonIsThatOfAllBlocksItTouches) {
  const auto run = run_of(with(R"("person": "who", "rows_per_person": 3)"));
  const AuditedRun before = taken(*run);
  // A row becomes another person's, whose later rows are then one too many.
  const AuditedRun after = taken(*run, {.row = 5, .cells = {1, 2, 3}, .person = "59"});
  const PairDistance distance = pair_distance(run->mechanism(), before, after);
  EXPECT_GT(distance.changed_blocks, 1U);
  EXPECT_NEAR(distance.found, distance.theory, 1e-9);
  EXPECT_LE(distance.found, 2 * run->mechanism().mu());
}

TEST(LargestKnownDistance, IsNeverAboveTheStatedMuAndAttainsIt) {
  for (const std::string& settings : configurations()) {
    const auto run = run_of(settings);
    EXPECT_LE(largest_known_distance(run->mechanism()), run->mechanism().mu() * (1 + 1e-9)) << settings;
  }
  for (const char* geometry : {"box", "ball"}) {
    const auto run = run_of(with(std::string(R"("geometry": ")") + geometry + "\""));
    EXPECT_GT(largest_known_distance(run->mechanism()), 0.999 * run->mechanism().mu()) << geometry;
  }
}

TEST(NoiseSize, IsAsStatedInEveryConfiguration) {
  for (const std::string& settings : configurations()) {
    const auto run = run_of(settings);
    const NoiseSize size = noise_size(run->mechanism(), taken(*run));
    EXPECT_TRUE(size.is_as_stated()) << settings << " " << size.relative << " of " << size.draws;
  }
}

// A run whose noise was made for a sensitivity a tenth too small, held against what it should be.
TEST(NoiseSize, FindsNoiseATenthTooSmall) {
  // 90 numbers in each of 240 releases, so that a tenth is far beyond chance.
  std::string bounds;
  for (int i = 0; i < 12; ++i) bounds += (i == 0 ? "\"" : ", \"") + std::to_string(i) + "\": [-40, 40]";
  const auto with_sigma = [&](const char* sigma) {
    return run_of(std::string(R"({"sigma": )") + sigma + R"(, "bounds": {)" + bounds +
                  R"(}, "rows": 240, "every": 1})");
  };
  const auto stated = with_sigma("4"), smaller = with_sigma("3.6");
  const AuditedRun made = taken(*smaller);
  EXPECT_TRUE(noise_size(smaller->mechanism(), made).is_as_stated());
  const NoiseSize size = noise_size(stated->mechanism(), made);
  EXPECT_FALSE(size.is_as_stated());
  EXPECT_NEAR(size.relative, 0.9, 0.05);
}

// Noise of another seed does not cancel: the distance that is found then has nothing to do with the data.
TEST(PairDistance, OfRunsWithOtherNoiseIsNotThatOfTheory) {
  const auto run = run_of(with(""));
  RunConfig config = run_config(RunSettings::from_json(with(""), "test"));
  config.insecure_seed = 8;
  const PreparedRun other(config);
  const PairDistance distance = pair_distance(run->mechanism(), taken(*run), taken(other));
  EXPECT_EQ(distance.theory, 0);
  EXPECT_GT(distance.found, 1);
}

TEST(PairDistance, RefusesSquaredNoisyRows) {
  const auto squared = run_of(with(R"("method": "pp")"));
  const AuditedRun made = taken(*squared);
  EXPECT_THROW(static_cast<void>(pair_distance(squared->mechanism(), made, made)), InvalidParameter);
}

}  // namespace
}  // namespace jme
