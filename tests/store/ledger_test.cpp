#include <cmath>
#include <limits>
#include <tuple>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/clock/time.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/store/ledger.hpp>

#include "store/database.hpp"
#include "store/state_folder.hpp"

namespace jme {
namespace {

using test::Row;
using test::run;
using test::sample_rows;

LedgerEntry gaussian(double mu, double bad_past = 0) {
  LedgerEntry entry{.file = "x.db", .source = "s", .stream = ""};
  entry.mu = mu;
  entry.bad_past = bad_past;
  return entry;
}

/// A stream of jme 0.1.0, whose sampler was at most this far from a Gaussian.
LedgerEntry old_gaussian(double mu, double sampler_epsilon, double sampler_delta) {
  LedgerEntry entry = gaussian(mu, sampler_delta);
  entry.is_old = true;
  entry.old_sampler_epsilon = sampler_epsilon;
  return entry;
}

/// delta of the mu-Gaussian mechanism at epsilon, from its definition (Dong, Roth & Su 2019, Corollary 2.13).
double delta_of(double mu, double epsilon) {
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  return phi(-epsilon / mu + mu / 2) - std::exp(epsilon) * phi(-epsilon / mu - mu / 2);
}

TEST(ComposedEpsilon, IsThatOfOneGaussianWithTheSumOfSquares) {
  const std::vector<LedgerEntry> streams{gaussian(0.3), gaussian(0.4), gaussian(1.2)};
  for (const double delta : {1e-3, 1e-6}) {
    const double epsilon = composed_epsilon(streams, delta);
    // By the definition: nothing smaller would do. The difference of two tails loses 1e-9 here.
    EXPECT_NEAR(delta_of(1.3, epsilon) / delta, 1, 1e-6);
    EXPECT_NEAR(epsilon, gaussian_epsilon(1 / 1.3, delta), 1e-9);
  }
  EXPECT_EQ(composed_epsilon({}, 1e-6), 0.0);
}

TEST(ComposedEpsilon, CountsBadPastsWithTheFactorOnePlusEToTheEpsilon) {
  const std::vector<LedgerEntry> streams{gaussian(0.3, 1e-9), gaussian(0.4, 2e-9)};
  const double delta = 1e-6, epsilon = composed_epsilon(streams, delta);
  const double taken = (1 + std::exp(epsilon)) * 3e-9 + delta_of(0.5, epsilon);
  EXPECT_LE(taken, delta);
  EXPECT_GT(taken, 0.9999 * delta);
  EXPECT_TRUE(std::isinf(composed_epsilon({gaussian(0.3, 1e-6)}, delta))) << "delta is used up";
}

TEST(ComposedEpsilon, CountsTheSamplersOfOldStreamsOnTop) {
  const std::vector<LedgerEntry> ideal{gaussian(0.3), gaussian(0.4)};
  const std::vector<LedgerEntry> real{old_gaussian(0.3, 0.01, 1e-9), old_gaussian(0.4, 0.02, 2e-9)};
  const double delta = 1e-6, epsilon = composed_epsilon(real, delta);
  // e = 0.03, d = 3e-9. What the samplers take and what the Gaussians take is delta, and not much less.
  const double of_gaussians = epsilon - 0.03;
  const double taken =
      (1 + std::exp(0.015 + of_gaussians)) * 3e-9 + std::exp(0.015) * delta_of(0.5, of_gaussians);
  EXPECT_LE(taken, delta);
  EXPECT_GT(taken, 0.999 * delta);
  EXPECT_GT(epsilon, composed_epsilon(ideal, delta) + 0.03);
  EXPECT_TRUE(
      std::isinf(composed_epsilon({old_gaussian(0.3, std::numeric_limits<double>::infinity(), 1)}, delta)));
}

TEST(ComposedEpsilon, NeverExceedsWhatTheStreamsPromiseByThemselves) {
  LedgerEntry entry = gaussian(0.2366, 1e-12);
  entry.epsilon = 1;
  entry.delta = 1e-6;
  EXPECT_LE(composed_epsilon({entry}, 1e-6), 1);
  EXPECT_LE(composed_epsilon({entry, entry}, 2e-6), 2);
}

// jme 0.1.0 stated the epsilon that was asked for even where its budget did not cover its sampler's distance.
TEST(ComposedEpsilon, DoesNotBelieveWhatAnOldStreamPromised) {
  LedgerEntry entry = old_gaussian(1 / 17241.0, 0.27, 1e-12);
  entry.epsilon = 1e-4;
  entry.delta = 1e-6;
  EXPECT_GT(composed_epsilon({entry}, 1e-6), 0.27);
}

TEST(ComposedEpsilon, RefusesADeltaOutOfRange) {
  EXPECT_THROW(static_cast<void>(composed_epsilon({gaussian(1)}, 0)), InvalidParameter);
  EXPECT_THROW(static_cast<void>(composed_epsilon({gaussian(1)}, 1)), InvalidParameter);
}

class LedgerTest : public test::StateFolder {
 protected:
  static StreamConfig config() {
    return {.budget = {.epsilon = 1, .delta = 1e-6},
            .rows = 20,
            .every = 4,
            .dimension = 2,
            .norm_bound = 1.0,
            .shape = Shape::identity()};
  }
  void start(const std::string& source, const std::string& stream, const StreamConfig& with,
             std::size_t count = 9) {
    DurableOptions named = options();
    named.source = source;
    named.stream = stream;
    run(Mechanism(with), named, std::span(rows_).first(count), DurableStream::PartialBlock::leave);
  }
  const std::vector<Row> rows_ = sample_rows(20);
};

TEST_F(LedgerTest, ShowsEveryStreamWithItsBudgetAndRows) {
  start("a", "", config());
  StreamConfig by_sigma = config();
  by_sigma.budget = {.sigma = 5};
  start("a", "again", by_sigma, 20);
  start("b", "", config(), 3);
  const Ledger ledger = Ledger::read(path("state"));
  ASSERT_EQ(ledger.entries().size(), 3U);
  for (const LedgerEntry& entry : ledger.entries()) {
    EXPECT_EQ(entry.problem, "");
    EXPECT_FALSE(entry.in_use);
    EXPECT_FALSE(entry.insecure);
    EXPECT_EQ(entry.horizon, 20U);
    EXPECT_GT(entry.created, 1'700'000'000);
    EXPECT_GE(entry.updated, entry.created);
  }
  const auto find = [&](const std::string& source, const std::string& stream) {
    return *std::find_if(ledger.entries().begin(), ledger.entries().end(), [&](const LedgerEntry& entry) {
      return entry.source == source && entry.stream == stream;
    });
  };
  EXPECT_EQ(find("a", "").rows, 8U);
  EXPECT_EQ(find("a", "").releases, 2U);
  EXPECT_FALSE(find("a", "").finished);
  EXPECT_EQ(find("a", "").epsilon, 1.0);
  EXPECT_EQ(find("a", "").delta, 1e-6);
  EXPECT_NEAR(find("a", "").mu, 1 / Mechanism(config()).sigma(), 1e-12);
  EXPECT_EQ(find("a", "again").rows, 20U);
  EXPECT_TRUE(find("a", "again").finished);
  EXPECT_EQ(find("a", "again").epsilon, std::nullopt);
  EXPECT_EQ(find("a", "again").mu, 0.2);
  EXPECT_EQ(find("b", "").rows, 0U) << "started and charged, nothing released yet";
}

TEST_F(LedgerTest, AddsUpWhatWasSpentOnASource) {
  start("a", "1", config());
  start("a", "2", config());
  start("b", "", config());
  const auto totals = Ledger::read(path("state")).totals();
  ASSERT_EQ(totals.size(), 2U);
  const double mu = 1 / Mechanism(config()).sigma();
  EXPECT_EQ(totals[0].source, "a");
  EXPECT_EQ(totals[0].streams, 2U);
  EXPECT_NEAR(totals[0].mu, std::sqrt(2.0) * mu, 1e-12);
  EXPECT_EQ(totals[0].delta, 1e-6);
  EXPECT_GE(totals[0].epsilon, gaussian_epsilon(1 / totals[0].mu, 1e-6));
  EXPECT_LT(totals[0].epsilon, 1.5) << "less than twice the epsilon of one";
  EXPECT_EQ(totals[1].source, "b");
  EXPECT_LE(totals[1].epsilon, 1.0);
  EXPECT_GT(totals[1].epsilon, 0.999);
  EXPECT_NEAR(Ledger::read(path("state")).mu_of("a"), totals[0].mu, 1e-12);
  EXPECT_EQ(Ledger::read(path("state")).mu_of("nobody"), 0.0);
  EXPECT_EQ(Ledger::read(path("state")).totals(1e-9)[0].delta, 1e-9);
}

TEST_F(LedgerTest, KeepsPrivacyUnitsApartAndGivesTheirCommonOne) {
  start("a", "replace", config());
  StreamConfig other = config();
  other.adjacency = Adjacency::add_remove;
  other.lambda = 1;
  start("a", "remove", other);
  StreamConfig twice = config();
  twice.participation = {.rows = 2, .separation = 8};
  start("a", "twice", twice);
  const auto totals = Ledger::read(path("state")).totals();
  ASSERT_EQ(totals.size(), 4U);
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(totals[i].streams, 1U);
    EXPECT_FALSE(totals[i].across_units);
    squares += totals[i].mu * totals[i].mu;
  }
  EXPECT_TRUE(totals[3].across_units);
  EXPECT_EQ(totals[3].unit, (PrivacyUnit{.adjacency = "add-remove", .participations = 1, .separation = 1}));
  EXPECT_NEAR(totals[3].mu, std::sqrt(squares), 1e-12);
}

// A person is protected by each stream whatever its limit is, and by all of them together.
TEST_F(LedgerTest, HasATotalPerPersonWhereLimitsDiffer) {
  const auto start_limited = [&](const std::string& stream, std::size_t rows, Adjacency adjacency) {
    StreamConfig with = config();
    with.unit_box = with.private_count = with.persons_are_limited = true;
    with.geometry = Geometry::box;
    with.norm_bound = std::sqrt(static_cast<double>(with.dimension));
    with.adjacency = adjacency;
    with.participation.rows = rows;
    DurableOptions named = options();
    named.source = "a";
    named.stream = stream;
    DurableStream(Mechanism(with), named).begin();
  };
  start_limited("three", 3, Adjacency::add_remove);
  start_limited("three more", 3, Adjacency::add_remove);
  const auto per_person = [&] {
    std::vector<SourceTotal> found;
    for (const SourceTotal& total : Ledger::read(path("state")).totals()) {
      if (total.across_limits) found.push_back(total);
    }
    return found;
  };
  EXPECT_TRUE(per_person().empty()) << "one unit has one total";
  start_limited("five", 5, Adjacency::replace_one);
  ASSERT_EQ(per_person().size(), 1U);
  const SourceTotal total = per_person()[0];
  double squares = 0;
  for (const LedgerEntry& entry : Ledger::read(path("state")).entries()) squares += entry.mu * entry.mu;
  EXPECT_NEAR(total.mu, std::sqrt(squares), 1e-12);
  EXPECT_EQ(total.streams, 3U);
  EXPECT_EQ(total.unit,
            (PrivacyUnit{.adjacency = "add-remove, absent", .participations = 5, .per_person = true}));
  start("a", "anybody", config());
  EXPECT_TRUE(per_person().empty()) << "this stream promises nothing about a person with many rows";
}

// What happened on one day and what arrived on one day are not the same rows.
TEST_F(LedgerTest, KeepsWindowsByTimeAndByArrivalApartAndKnowsALengthByAnyName) {
  const auto start_windows = [&](const std::string& stream, Seconds slot, Seconds window, bool by_time) {
    StreamConfig with = config();
    with.rows.reset();
    with.every = 1;
    with.steps = 48;
    with.slot_seconds = static_cast<std::uint64_t>(slot);
    with.unit_box = true;
    with.adjacency = Adjacency::add_remove;
    with.private_count = with.persons_are_limited = true;
    with.participation = {
        .rows = 3,
        .windows = RowWindows{
            .rows = 3, .steps = static_cast<std::size_t>(window / slot), .count = 2, .are_units = true}};
    DurableOptions named = options();
    named.stream = stream;
    if (by_time) named.details = {{.name = "until", .value = "2026-01-03T00:00:00Z"}};
    const Mechanism mechanism(with);
    DurableStream durable(mechanism, named);
    durable.begin();
  };
  start_windows("hours of days", 3600, 86'400, true);
  start_windows("half hours of days", 1800, 86'400, true);
  start_windows("live days", 3600, 86'400, false);
  start_windows("live hours", 3600, 3600, false);
  start_windows("live hours again", 1800, 3600, false);
  std::vector<std::tuple<std::string, bool, std::size_t>> found;
  for (const SourceTotal& total : Ledger::read(path("state")).totals()) {
    if (!total.across_units) found.emplace_back(total.unit.window, total.unit.by_arrival, total.streams);
  }
  EXPECT_THAT(found, testing::UnorderedElementsAre(std::tuple("1d", false, 2U), std::tuple("1d", true, 1U),
                                                   std::tuple("1h", true, 2U)));
}

TEST_F(LedgerTest, PromisesNothingWhereATestSeedWasUsed) {
  run(Mechanism(config()), seeded(), rows_);
  const Ledger ledger = Ledger::read(path("state"));
  EXPECT_TRUE(ledger.entries()[0].insecure);
  EXPECT_TRUE(ledger.totals()[0].insecure);
  EXPECT_TRUE(std::isinf(ledger.totals()[0].epsilon));
}

TEST_F(LedgerTest, ReadsAStreamThatIsRunning) {
  const Mechanism mechanism(config());
  DurableStream stream(mechanism, options());
  for (std::size_t t = 0; t < 9; ++t) {
    stream.push(rows_[t]);
    const Ledger ledger = Ledger::read(path("state"));
    ASSERT_EQ(ledger.entries().size(), 1U);
    EXPECT_TRUE(ledger.entries()[0].in_use);
    EXPECT_EQ(ledger.entries()[0].problem, "");
    EXPECT_EQ(ledger.entries()[0].rows, (t + 1) / 4 * 4);
  }
}

TEST_F(LedgerTest, TellsWhatIsWrongWithAStream) {
  start("a", "", config());
  copy_state("state", "old");
  start("a", "", config(), 20);
  const auto problem = [&](const std::string& name) {
    return Ledger::read(path(name)).entries().at(0).problem;
  };
  EXPECT_EQ(problem("state"), "");

  copy_state("state", "rolled back");
  restore(".db", "old", "rolled back");
  EXPECT_NE(problem("rolled back").find("old copy"), std::string::npos) << problem("rolled back");

  copy_state("state", "no key");
  std::filesystem::remove(file(".key", "no key"));
  EXPECT_NE(problem("no key").find("key file is missing"), std::string::npos);

  copy_state("state", "no database");
  std::filesystem::remove(file(".db", "no database"));
  EXPECT_NE(problem("no database").find("is gone"), std::string::npos);

  // As a copy of the database alone is while a stream is open: the newest commits are in another file.
  copy_state("state", "emptied");
  overwrite(file(".db", "emptied"), "");
  EXPECT_NE(problem("emptied").find("database is empty, but its key file says"), std::string::npos);
  EXPECT_THROW(static_cast<void>(Ledger::read(path("emptied")).mu_of("a")), StateError);
  std::filesystem::remove(file(".key", "emptied"));
  EXPECT_NE(problem("emptied").find("-wal"), std::string::npos);

  copy_state("state", "damaged");
  overwrite(file(".db", "damaged"), std::string(4096, 'x'));
  EXPECT_NE(problem("damaged").find("damaged"), std::string::npos) << problem("damaged");
  EXPECT_THROW(static_cast<void>(Ledger::read(path("damaged")).mu_of("a")), StateError);
}

// The head is as it was, and so are the lengths: only what was released is another.
TEST_F(LedgerTest, TellsThatReleasesWereChangedWhereItReadsThem) {
  start("a", "", config(), 20);
  const auto problem = [&](LedgerCheck check) {
    return Ledger::read(path("state"), check).entries().at(0).problem;
  };
  EXPECT_EQ(problem(LedgerCheck::everything), "");
  store::Database(file(".db"), store::Database::Access::write)
      .run("UPDATE release SET numbers = zeroblob(length(numbers)) WHERE step = 2");
  EXPECT_EQ(problem(LedgerCheck::heads), "");
  EXPECT_NE(problem(LedgerCheck::everything).find("damaged"), std::string::npos)
      << problem(LedgerCheck::everything);
}

TEST_F(LedgerTest, HasWhatADamagedStreamSpentOrSaysThatItsTotalIsIncomplete) {
  start("a", "", config());
  start("a", "second", config());
  const auto total = [&](const std::string& name) { return Ledger::read(path(name)).totals().at(0); };
  EXPECT_FALSE(total("state").incomplete);
  EXPECT_EQ(Ledger::read(path("state")).unknown(), 0U);

  // Its configuration can be read, and so its whole budget is known.
  copy_state("state", "no keys");
  for (const auto& entry : std::filesystem::directory_iterator(path("no keys"))) {
    if (entry.path().extension() == ".key") std::filesystem::remove(entry.path());
  }
  EXPECT_NE(Ledger::read(path("no keys")).entries().at(0).problem, "");
  EXPECT_EQ(total("no keys").mu, total("state").mu);
  EXPECT_FALSE(total("no keys").incomplete);

  // Nothing of it can be read, not even its source.
  copy_state("state", "damaged");
  overwrite(file(".db", "damaged"), std::string(4096, 'x'));
  EXPECT_LT(total("damaged").mu, total("state").mu);
  EXPECT_TRUE(total("damaged").incomplete);
  EXPECT_EQ(Ledger::read(path("damaged")).unknown(), 1U);
}

TEST_F(LedgerTest, OfAnEmptyFolderIsEmptyAndOfNoneAnError) {
  std::filesystem::create_directories(path("empty"));
  EXPECT_TRUE(Ledger::read(path("empty")).entries().empty());
  EXPECT_TRUE(Ledger::read(path("empty")).totals().empty());
  EXPECT_THROW(Ledger::read(path("none")), StateError);
}

}  // namespace
}  // namespace jme
