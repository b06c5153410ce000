// Old copies of a state: what can be noticed is refused, what cannot draws other noise.
#include <cmath>

#include <gtest/gtest.h>

#include "store/database.hpp"
#include "store/state_folder.hpp"

namespace jme {
namespace {

using test::Numbers;
using test::Row;
using test::run;
using test::run_and_die;
using test::run_in_memory;
using test::sample_rows;
namespace fs = std::filesystem;

class Rollback : public test::StateFolder {
 protected:
  static StreamConfig config() {
    return {.budget = {.epsilon = 1, .delta = 1e-6},
            .rows = 12,
            .dimension = 2,
            .norm_bound = 1.0,
            .workload = prefix(),
            .shape = Shape::identity()};
  }

  /// The first `count` rows, pushed by a process that then ends.
  void advance(const std::string& name, std::size_t count) {
    run_and_die(mechanism_, options(name), std::span(rows_).first(count));
  }
  void expect_refused(const std::string& name, const std::string& text) {
    test::expect_refused([&] { run(mechanism_, options(name), rows_); }, text);
  }

  const Mechanism mechanism_{config()};
  const std::vector<Row> rows_ = sample_rows(12);
};

TEST_F(Rollback, OfTheDatabaseAloneIsRefused) {
  advance("state", 4);
  copy_state("state", "old");
  for (const std::size_t further : {5U, 8U, 12U}) {
    advance("state", further);
    copy_state("state", "now");
    restore(".db", "old", "now");
    expect_refused("now", "is an old copy");
  }
}

TEST_F(Rollback, OfTheDatabaseInsideARunIsRefused) {
  DurableStream stream(mechanism_, options());
  for (std::size_t t = 0; t < 5; ++t) stream.push(rows_[t]);
  copy_state("state", "old");  // its write-ahead log included
  for (std::size_t t = 5; t < 9; ++t) stream.push(rows_[t]);
  copy_state("state", "now");
  for (const auto& entry : fs::directory_iterator(path("old"))) {
    if (entry.path().extension() == ".key") continue;
    fs::copy_file(entry.path(), path("now") / entry.path().filename(), fs::copy_options::overwrite_existing);
  }
  expect_refused("now", "is an old copy");
}

TEST_F(Rollback, OfTheKeyFileAloneIsRefused) {
  advance("state", 4);
  copy_state("state", "old");
  advance("state", 8);
  restore(".key", "old", "state");
  expect_refused("state", "is an old copy");
}

TEST_F(Rollback, ADatabaseOrKeyFileThatIsGoneIsMissed) {
  advance("state", 4);
  copy_state("state", "no database");
  copy_state("state", "no key");
  fs::remove(file(".db", "no database"));
  fs::remove(file(".key", "no key"));
  expect_refused("no database", "is gone");
  expect_refused("no key", "is missing");
  // An empty database in its place is no better.
  overwrite(path("no database") / file(".db", "state").filename(), "");
  expect_refused("no database", "is gone");
}

TEST_F(Rollback, AnotherStreamsKeyOrDatabaseIsRefused) {
  advance("state", 4);
  advance("other", 4);
  copy_state("state", "mixed");
  restore(".key", "other", "mixed");
  expect_refused("mixed", "belongs to another stream");
}

// The process ended after the database's commit and before the key file's: this does not count as an old
// copy, and what was committed was not released yet.
TEST_F(Rollback, AKeyFileOneBehindIsACrashAndGoesOn) {
  DurableOptions seeded_options = seeded();
  Numbers expected = run_in_memory(mechanism_, {11}, rows_);
  DurableStream stream(mechanism_, seeded_options);
  for (std::size_t t = 0; t < 5; ++t) stream.push(rows_[t]);
  const std::string key_before = content(file(".key"));
  stream.push(rows_[5]);
  copy_state("state", "crashed");
  overwrite(file(".key", "crashed"), key_before);
  seeded_options.directory = path("crashed");
  EXPECT_EQ(run(mechanism_, seeded_options, rows_), expected);
}

// docs/theory/safety.md#durable-streams, I2. If both files are set back, nobody can know, but the noise of
// the second continuation is not that of the first. With C = I and prefix sums, the difference of two
// releases is a row and its noise alone.
TEST_F(Rollback, OfBothFilesDrawsNoiseIndependentOfWhatWasDrawnBefore) {
  constexpr std::size_t fork = 6;
  advance("state", fork);
  copy_state("state", "copy");
  std::vector<Row> other = rows_;
  for (std::size_t t = fork; t < other.size(); ++t) other[t] = {-0.25, 0.5};  // on the lattice
  std::vector<Row> first = rows_;
  for (std::size_t t = fork; t < first.size(); ++t) first[t] = {0.125, 0.0625};
  const Numbers a = run(mechanism_, options("state"), first), b = run(mechanism_, options("copy"), other);
  constexpr std::size_t value = 6;  // after the noise levels, weights and flags
  for (std::size_t t = 0; t < fork; ++t) EXPECT_EQ(a[t], b[t]);
  for (std::size_t t = fork; t < rows_.size(); ++t) {
    double difference = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const double noise_a = a[t][value + i] - a[t - 1][value + i] - first[t][i];
      const double noise_b = b[t][value + i] - b[t - 1][value + i] - other[t][i];
      difference = std::max(difference, std::abs(noise_a - noise_b));
    }
    // Equal noise would leave rounding, below 1e-12. Independent noise of standard deviation 8 is closer than
    // 1e-6 in both coordinates with probability 1e-15.
    EXPECT_GT(difference, 1e-6) << t;
  }
}

TEST_F(Rollback, AStateOfANewerVersionIsRefused) {
  advance("state", 4);
  { store::Database(file(".db"), store::Database::Access::write).run("PRAGMA user_version = 6"); }
  expect_refused("state", "newer version");
}

TEST_F(Rollback, ADatabaseThatIsNotOursIsRefused) {
  advance("state", 4);
  copy_state("state", "changed");
  { store::Database(file(".db", "changed"), store::Database::Access::write).run("CREATE TABLE more (a)"); }
  expect_refused("changed", "its tables are not ours");
  fs::remove(file(".db", "changed"));
  {
    store::Database(path("changed") / file(".db").filename(), store::Database::Access::create)
        .run("CREATE TABLE a (b)");
  }
  expect_refused("changed", "not a state of jme");
  overwrite(file(".db", "changed"), std::string(8192, 'x'));
  expect_refused("changed", "damaged");
}

// A change that SQLite has no reason to doubt.
TEST_F(Rollback, AReleaseOrCountThatWasEditedIsRefused) {
  advance("state", 6);
  for (const char* edit :
       {"UPDATE release SET numbers = (SELECT numbers FROM release WHERE step = 2) WHERE step = 3",
        "UPDATE release SET rows = 4 WHERE step = 3",
        "DELETE FROM release WHERE step = 6",
        "DELETE FROM release WHERE step = 1",
        "INSERT INTO release SELECT 7, 7, numbers, digest, block_id, chain "
        "FROM release WHERE step = 6",
        "UPDATE release SET digest = (SELECT digest FROM release WHERE step = 2) WHERE step = 3",
        "UPDATE release SET block_id = zeroblob(16) WHERE step = 3",
        "UPDATE release SET chain = x'00' WHERE step = 3",
        "UPDATE head SET rows = 5, steps = 5",
        "UPDATE head SET counter = counter + 1",
        "UPDATE head SET finished = 1",
        "UPDATE head SET updated = updated + 1",
        "UPDATE head SET rows = -1",
        "UPDATE head SET nonces = x''",
        "UPDATE head SET sealed = x''",
        "UPDATE head SET sums = x''",
        "UPDATE head SET journals = randomblob(length(journals))",
        "DELETE FROM head",
        "DELETE FROM about",
        "UPDATE about SET facts = x''",
        "UPDATE about SET created = 0",
        "UPDATE about SET settings = x'ffffffffffffffff'"}) {
    copy_state("state", "changed");
    { store::Database(file(".db", "changed"), store::Database::Access::write).run(edit); }
    EXPECT_THROW(run(mechanism_, options("changed"), rows_), StateError) << edit;
  }
  EXPECT_EQ(run(mechanism_, options(), rows_).size(), 12U);
}

}  // namespace
}  // namespace jme
