// Whoever has the files of a state folder without its key sees how long everything in them is. That must not
// show what the releases hide: which records count, or how many rows a slot has.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/person_limit.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/slot_feed.hpp>

#include "one_row.hpp"
#include "store/disk_sizes.hpp"
#include "temporary_folder.hpp"

namespace jme::sizes_on_disk_tests {
namespace {

using test::sizes_in;
using Sizes = std::vector<std::string>;  // after every commit

constexpr double bad = std::numeric_limits<double>::infinity();

RunSettings settings_of(const std::filesystem::path& state,
                        const std::vector<std::pair<std::string, std::string>>& more) {
  RunSettings settings;
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{{"bounds", "a=-1:1,b=0:1"},
                                                                                   {"epsilon", "1"},
                                                                                   {"delta", "1e-6"},
                                                                                   {"state", state.string()},
                                                                                   {"commit_interval", "0"},
                                                                                   {"on_bad_row", "zero"}}) {
    settings.set(name, text);
  }
  for (const auto& [name, text] : more) settings.set(name, text);
  return settings;
}

/// Somebody's record; nobody's where the name is empty.
struct Visit {
  std::string who;
  double a = 0.5;
};

PersonId person_of(const Visit& visit) {
  return visit.who.empty() ? PersonId() : PersonId(visit.who);
}

RowBatch row_of(const Visit& visit) {
  return test::one_row(std::vector{visit.a, 0.5}, person_of(visit));
}

/// Forty records through a run whose releases come after seven records each.
Sizes sizes_of_run(const std::function<Visit(int)>& visits) {
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  const PreparedRun run(run_config(settings_of(
      folder.path() / "s", {{"rows", "40"}, {"every", "7"}, {"person", "who"}, {"rows_per_person", "2"}})));
  Sizes sizes;
  for (const int until : {18, 40}) {  // the second process reads all records again
    RowFeed feed = run.feed([](const Release&) {});
    for (int i = 0; i < until; ++i) {
      const Visit visit = visits(i);
      feed.take_rows(std::isinf(visit.a) ? test::bad_row(2, person_of(visit)) : row_of(visit));
      sizes.push_back(sizes_in(folder.path() / "s"));
    }
    feed.stream().flush();
    sizes.push_back(sizes_in(folder.path() / "s"));
  }
  return sizes;
}

TEST(SizesOnDisk, OfARunWithPeopleAreTheSameWhicheverRecordsCount) {
  const Sizes all_count = sizes_of_run([](int i) { return Visit{.who = fmt::format("p{}", i)}; });
  EXPECT_EQ(sizes_of_run([](int) { return Visit{.who = "often"}; }), all_count) << "two count";
  EXPECT_EQ(sizes_of_run([](int) { return Visit{.who = ""}; }), all_count) << "none counts";
  EXPECT_EQ(
      sizes_of_run([](int i) { return Visit{.who = i % 3 == 0 ? "often" : fmt::format("p{}", i % 7)}; }),
      all_count);
  EXPECT_EQ(sizes_of_run([](int i) {
              return Visit{.who = fmt::format("p{}", i), .a = i % 2 == 0 ? bad : std::nan("")};
            }),
            all_count);
  EXPECT_NE(all_count.front(), all_count.back()) << "what is compared does grow";
}

/// Live slots of ten seconds; `rows` says how many arrive in each of them.
class Live {
 public:
  Live(const std::vector<std::pair<std::string, std::string>>& more, std::optional<KeptLengths> lengths = {})
      : run_(run_config(settings_of(folder_.path() / "s", with_slots(more)))), rules_(run_.rules()) {
    if (lengths) {
      const PersonRows rows = rules_.person_limit()->rows();
      rules_.limit(PersonLimit(rows, InsecureTestSeed{7}.key(), *lengths), true);
    }
    run_.begin_at(0);
    stream_ = run_.open([](const Release&) {});
    rules_.keep_people(*stream_->durable(), true);
    feed_.emplace(run_.row_map(), run_.schedule(), *stream_, SlotClock([this] { return time_; }),
                  SlotFeed::Options{.keep_interval = std::chrono::hours(1),
                                    .people = rules_.person_limit(),
                                    .slots_of_window = run_.slots_of_window()});
    feed_->tick();
  }
  void row(const Visit& visit) { feed_->add(test::take(rules_, row_of(visit)).row, std::nullopt); }
  /// What is kept at a public time.
  void keep() { feed_->keep(); }
  void end_slot() {
    time_ += 10;
    feed_->tick();
  }
  [[nodiscard]] std::string sizes() const { return sizes_in(folder_.path() / "s"); }
  [[nodiscard]] std::vector<std::int64_t> journal() const {
    return test::journal_lengths_in(folder_.path() / "s");
  }

 private:
  static std::vector<std::pair<std::string, std::string>> with_slots(
      std::vector<std::pair<std::string, std::string>> more) {
    more.insert(more.begin(), {{"every", "10s"}, {"steps", "4"}});
    return more;
  }
  test::TemporaryFolder folder_{test::TemporaryFolder::Where::in_memory};
  double time_ = 0;
  PreparedRun run_;
  RowRules rules_;
  std::unique_ptr<RunningStream> stream_;
  std::optional<SlotFeed> feed_;
};

Sizes sizes_of_slots(const std::vector<int>& rows_of_slot) {
  Live live({});
  Sizes sizes;
  for (const int rows : rows_of_slot) {
    for (int i = 0; i < rows; ++i) live.row({.who = "", .a = 0.01 * (i % 50)});
    live.keep();
    sizes.push_back(live.sizes());
    live.end_slot();
    sizes.push_back(live.sizes());
  }
  return sizes;
}

TEST(SizesOnDisk, OfLiveSlotsAreTheSameHoweverManyRowsThereAre) {
  const Sizes none = sizes_of_slots({0, 0, 0, 0});
  EXPECT_EQ(sizes_of_slots({1, 0, 0, 0}), none);
  EXPECT_EQ(sizes_of_slots({20'000, 3, 0, 5000}), none);
}

const std::vector<std::pair<std::string, std::string>> three_in_all{{"person", "who"},
                                                                    {"rows_per_person", "3"}};

/// Lengths of what is kept of people, one piece for each commit, with this noise.
std::vector<std::int64_t> journal_of(const std::vector<std::pair<std::string, std::string>>& settings,
                                     const KeptLengths& noise, const std::function<int(int)>& records) {
  Live live(settings, noise);
  for (int i = 0; i < 12; ++i) {
    for (int k = 0; k < 5; ++k) live.row({.who = fmt::format("p{}", 5 * i + k)});
    for (int k = 0; k < records(i); ++k) live.row({.who = "often", .a = k % 2 == 0 ? bad : 0.1});
    i % 3 == 2 ? live.end_slot() : live.keep();
  }
  return live.journal();
}

constexpr std::int64_t bytes_of_entry = 13;

// With equal noise, so that nothing but the person moves the lengths.
TEST(SizesOnDisk, OfLiveSlotsMoveByNoMoreThanThePersonsRowsBeneathTheNoise) {
  const KeptLengths noise{.deviation = 30, .key = InsecureTestSeed{3}.key()};
  for (const auto& [limit, in_all, in_window, entries] :
       {std::tuple("3", 3, 3, 1), std::tuple("2/slot", 8, 2, 1), std::tuple("2/slot:5", 5, 2, 2)}) {
    const std::vector<std::pair<std::string, std::string>> settings{{"person", "who"},
                                                                    {"rows_per_person", limit}};
    const auto absent = journal_of(settings, noise, [](int) { return 0; });
    const auto often = journal_of(settings, noise, [](int i) { return i < 2 ? 1 : 100; });
    ASSERT_EQ(often.size(), absent.size());
    ASSERT_GE(absent.size(), 12U);
    std::int64_t moved = 0, largest = 0;
    for (std::size_t i = 0; i < absent.size(); ++i) {
      const std::int64_t by = often[i] - absent[i];
      EXPECT_EQ(by % (bytes_of_entry * entries), 0);
      moved += std::abs(by) / (bytes_of_entry * entries);
      largest = std::max(largest, std::abs(by) / (bytes_of_entry * entries));
    }
    EXPECT_EQ(moved, in_all) << limit;
    EXPECT_LE(largest, in_window) << limit;
  }
}

TEST(SizesOnDisk, OfRunsWithSlotsHaveTheNoiseOfTheirBudget) {
  const PreparedRun run(run_config(
      settings_of("unused", {{"every", "1h"}, {"steps", "9"}, {"person", "who"}, {"rows_per_person", "3"}})));
  RowRules rules = run.rules();
  const KeptLengths& lengths = rules.person_limit()->lengths();
  EXPECT_DOUBLE_EQ(3 / lengths.deviation, 0.2 * run.mechanism().mu());
  EXPECT_FALSE(lengths.key) << "a new one for every process";
}

/// Entries of a piece, without the one that ends it.
double entries_of(const std::vector<std::byte>& piece) {
  return static_cast<double>(piece.size() / bytes_of_entry) - 1;
}

// A sample deviation of n normal numbers has a relative deviation of 1/sqrt(2n); rounding adds 1/12 to 400.
TEST(KeptLengths, HaveNormalNoiseThatIsNewInEveryPieceAndEveryProcess) {
  constexpr int pieces = 4000;
  std::vector<std::vector<double>> lengths;
  for (const bool same_key : {false, false, true, true}) {
    KeptLengths noise{.deviation = 20};
    if (same_key) noise.key = InsecureTestSeed{1}.key();
    PersonLimit limit({.in_all = 3}, InsecureTestSeed{5}.key(), noise);
    limit.keep_records();
    static_cast<void>(limit.take_records());  // which has the key
    auto& of_process = lengths.emplace_back();
    for (int i = 0; i < pieces; ++i) of_process.push_back(entries_of(limit.take_records()));
  }
  EXPECT_EQ(lengths[2], lengths[3]);
  for (int process = 0; process < 3; ++process) {
    const auto& of_process = lengths[static_cast<std::size_t>(process)];
    const double mean = std::accumulate(of_process.begin(), of_process.end(), 0.0) / pieces;
    double squares = 0, neighbours = 0;
    for (std::size_t i = 0; i < pieces; ++i) {
      squares += (of_process[i] - mean) * (of_process[i] - mean);
      if (i > 0) neighbours += (of_process[i] - mean) * (of_process[i - 1] - mean);
    }
    EXPECT_NEAR(mean, 180, 5 * 20 / std::sqrt(pieces));
    EXPECT_NEAR(std::sqrt(squares / pieces), 20, 5 * 20 / std::sqrt(2.0 * pieces));
    EXPECT_NEAR(neighbours / squares, 0, 5 / std::sqrt(pieces));
  }
  double together = 0;
  for (std::size_t i = 0; i < pieces; ++i) together += (lengths[0][i] - 180) * (lengths[1][i] - 180);
  EXPECT_NEAR(together / pieces / 400, 0, 5 / std::sqrt(pieces));
}

/// Somebody's records, one piece after another, rewritten when that is due; what lies on disk at the end.
struct Kept {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> lengths;
  int rewritten = 0;
};
Kept keep(PersonLimit& limit, int pieces, const std::function<void(int)>& records) {
  Kept kept;
  for (int i = 0; i < pieces; ++i) {
    records(i);
    const bool anew = limit.must_be_rewritten();
    const std::vector<std::byte> piece = anew ? limit.take_all_records() : limit.take_records();
    if (anew) kept.bytes.clear();
    kept.rewritten += anew ? 1 : 0;
    kept.bytes.insert(kept.bytes.end(), piece.begin(), piece.end());
    kept.lengths.push_back(piece.size());
  }
  return kept;
}

TEST(KeptLengths, AreRewrittenWithoutForgettingAnybodyAndStayShort) {
  constexpr int pieces = 3000;
  const KeptLengths noise{.deviation = 20};
  for (const PersonRows rows :
       {PersonRows{.in_all = 2}, PersonRows{.in_window = 2}, PersonRows{.in_all = 3, .in_window = 2}}) {
    PersonLimit limit(rows, InsecureTestSeed{5}.key(), noise);
    limit.keep_records();
    const Kept kept = keep(limit, pieces, [&](int i) {
      if (rows.in_window > 0) limit.begin_window(i / 1000);
      for (int k = 0; k < 3; ++k) limit.admit(fmt::format("p{}", (7 * i + k) % 2000));
    });
    EXPECT_GE(kept.rewritten, 2);
    const double noise_alone =
        pieces * 9.0 * 20 * bytes_of_entry * (rows.in_all > 0 && rows.in_window > 0 ? 2 : 1);
    EXPECT_LT(static_cast<double>(kept.bytes.size()), noise_alone / 2);
    PersonLimit after = PersonLimit::restored(rows, kept.bytes, noise);
    EXPECT_EQ(after.people(), limit.people());
    if (rows.in_window > 0) after.begin_window(2);
    for (int i = 0; i < 2100; ++i) {
      const std::string id = fmt::format("p{}", i);
      ASSERT_EQ(after.admit(id), limit.admit(id)) << id;
      ASSERT_EQ(after.admit(id), limit.admit(id)) << id;
    }
  }
}

// What decides about rewriting, and how long it is, is a function of the lengths that were seen.
TEST(KeptLengths, OfARewrittenPieceAreAFunctionOfThoseBeforeIt) {
  const auto lengths_with = [](int often) {
    const KeptLengths noise{.deviation = 20, .key = InsecureTestSeed{2}.key()};
    PersonLimit limit({.in_all = 10'000}, InsecureTestSeed{5}.key(), noise);
    limit.keep_records();
    const Kept kept = keep(limit, 2000, [&](int i) {
      // As many records that count, of other people.
      for (int k = 0; k < 4; ++k) limit.admit(k < often ? "often" : fmt::format("p{} {}", i, k));
    });
    EXPECT_GE(kept.rewritten, 2);
    return kept.lengths;
  };
  EXPECT_EQ(lengths_with(0), lengths_with(4));
  // What a new piece would be long by itself, and what takes the place of all.
  PersonLimit limit({.in_all = 1}, InsecureTestSeed{5}.key(), {.deviation = 20});
  limit.keep_records();
  double entries = entries_of(limit.take_records()) - 32 / bytes_of_entry;
  int pieces = 1, rewritten = 0;
  for (; pieces < 3000; ++pieces) {
    if (pieces < 50) limit.admit(fmt::format("p{}", pieces));
    const bool anew = limit.must_be_rewritten();
    entries += entries_of(PersonLimit(limit).take_records());
    const std::vector<std::byte> piece = anew ? limit.take_all_records() : limit.take_records();
    if (!anew) continue;
    ++rewritten;
    const double k = pieces + 1, most = entries - 180 * k + 180 * std::sqrt(k) + k / 2;
    EXPECT_EQ((piece.size() - 32) / bytes_of_entry, static_cast<std::size_t>(std::ceil(most)) + 2)
        << "and two sums";
  }
  EXPECT_GE(rewritten, 3);
}

}  // namespace
}  // namespace jme::sizes_on_disk_tests
