#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/moments/moment_stream.hpp>
#include <jme/pipeline/row_intake.hpp>
#include <jme/pipeline/row_rules.hpp>

namespace jme {
namespace {

constexpr std::size_t width = 3;
const std::vector<std::string> of_three{"a", "b", "c"};

/// Everything public that decides about rows.
struct Rules {
  std::string missing;
  OnBadRow on_bad_row;
  bool is_bounded, may_be_absent;
  std::optional<PersonRows> limit{};
  std::optional<SlotSchedule> slots{};
};

template <class Made>
Made made(const Rules& rules) {
  const ColumnBounds bounds =
      rules.is_bounded ? ColumnBounds::parse("a=0:10,b=-2:2,c=1:3", of_three) : ColumnBounds::none(width);
  const MissingCells missing =
      rules.missing.empty() ? MissingCells(width) : MissingRules::parse(rules.missing).of(of_three, bounds);
  Made result(bounds, missing, rules.on_bad_row, std::sqrt(3.0), rules.may_be_absent);
  if (rules.limit) result.limit(PersonLimit(*rules.limit, InsecureTestSeed{3}.key()), true);
  return result;
}

/// Good and bad records, missing cells, cells outside of bounds; of four people and of nobody.
RowBatch random_rows(std::mt19937& random, const Rules& rules, std::size_t rows) {
  RowBatch batch(width);
  const bool infinities = rules.on_bad_row == OnBadRow::zero;
  const bool holes = !rules.missing.empty() || infinities;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span row = batch.add_row();
    for (double& cell : row) {
      cell = std::normal_distribution<double>(1, 3)(random);
      if (holes && random() % 9 == 0) cell = RowBatch::missing;
      if (infinities && random() % 20 == 0) cell = std::numeric_limits<double>::infinity();
    }
    if (infinities && random() % 9 == 0) batch.set_bad(r);
    if (rules.limit && random() % 9 != 0) batch.set_person(r, std::string(1, "abcd"[random() % 4]));
    if (rules.slots && random() % 9 != 0) batch.set_time(r, static_cast<Seconds>(random() % 200));
  }
  return batch;
}

const Release& some_release() {
  static MomentStream stream = [] {
    StreamConfig config;
    config.budget.sigma = 0.1;
    config.rows = 100;
    config.every = 50;
    config.dimension = width;
    config.norm_bound = std::sqrt(3.0);
    MomentStream result(Mechanism(config), InsecureTestSeed{1});
    for (int t = 0; t < 50; ++t) {
      const double a = 0.8 * std::sin(t);
      result.push(std::vector{a, 0.5 * a + 0.25, -a});
    }
    return result;
  }();
  return stream.release();
}

void add_bits(std::vector<std::uint64_t>& bits, std::span<const double> numbers) {
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
}

void add_bits(std::vector<std::uint64_t>& bits, const RowRules::Taken& taken) {
  for (std::size_t r = 0; r < taken.rows.rows; ++r) {
    for (const MatrixView& view : {taken.rows, taken.as_read}) {
      for (std::size_t j = 0; j < view.columns; ++j)
        bits.push_back(std::bit_cast<std::uint64_t>(view.at(r, j)));
    }
  }
}

template <class Judge>
void add_counts(std::vector<std::uint64_t>& bits, const Judge& judge) {
  for (const Note& note : judge.notes()) {
    bits.insert(bits.end(),
                {static_cast<std::uint64_t>(note.kind), note.count, note.rows, note.column.value_or(99)});
  }
  bits.insert(bits.end(), {judge.rows(), judge.unusable_rows()});
}

/// What becomes of the rows, and what is counted; a release comes after row 40.
std::vector<std::uint64_t> in_batches(const Rules& rules, const RowBatch& rows, std::size_t longest,
                                      std::mt19937& random) {
  auto judge = made<RowRules>(rules);
  if (rules.slots) judge.take_windows_of_times(*rules.slots, 2);
  std::vector<std::uint64_t> bits;
  for (std::size_t done = 0; done < rows.rows();) {
    if (done == 40) judge.learn(some_release());
    const std::size_t end = std::min(done + 1 + random() % longest, done < 40 ? 40 : rows.rows());
    add_bits(bits, judge.take(rows, done, end));
    done = end;
  }
  add_counts(bits, judge);
  return bits;
}

/// The same row by row, as readers of files told one row after another.
std::vector<std::uint64_t> row_by_row(const Rules& rules, const RowBatch& rows) {
  auto judge = made<RowIntake>(rules);
  std::vector<std::uint64_t> bits;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    if (r == 40) judge.learn(some_release());
    std::vector<double> row(rows.row(r).begin(), rows.row(r).end());
    if (rules.slots && judge.person_limit()->has_windows()) {
      const auto time = rows.time(r);
      judge.person_limit()->enter_window(time ? std::optional(rules.slots->window_of(*time, 2))
                                              : std::nullopt);
    }
    if (rules.limit) {
      rows.is_bad(r) ? judge.take_bad(row, rows.person(r)) : judge.take(row, rows.person(r));
    } else {
      rows.is_bad(r) ? judge.take_bad(row) : judge.take(row);
    }
    add_bits(bits, row);
    add_bits(bits, judge.as_read());
  }
  add_counts(bits, judge);
  return bits;
}

std::vector<Rules> all_rules() {
  std::vector<Rules> all;
  for (const char* missing : {"", "centre", "mean", "model", "mean,b=1", "a=3,b=1", "observed"}) {
    for (const OnBadRow on_bad_row : {OnBadRow::fail, OnBadRow::zero}) {
      for (const bool is_bounded : {false, true}) {
        const bool is_observed = std::string(missing) == "observed";
        const bool fills_all = std::string(missing) != "a=3,b=1";
        if (!fills_all && on_bad_row == OnBadRow::fail) continue;
        if (!is_observed) all.push_back({missing, on_bad_row, is_bounded, false});
        all.push_back({missing, on_bad_row, is_bounded, true});
        all.push_back({missing, on_bad_row, is_bounded, true, PersonRows{.in_all = 5}});
        all.push_back({missing, on_bad_row, is_bounded, true, PersonRows{.in_all = 9, .in_window = 2},
                       SlotSchedule{.start = 0, .length = 10, .count = 15}});
      }
    }
  }
  return all;
}

TEST(RowRules, JudgeARowByItselfSettingsReleasesAndEarlierIdsHoweverRowsAreBatched) {
  std::mt19937 random(1);
  std::size_t cases = 0;
  for (const Rules& rules : all_rules()) {
    SCOPED_TRACE(rules.missing + (rules.limit ? ", limited" : ""));
    const RowBatch rows = random_rows(random, rules, 300);
    const std::vector<std::uint64_t> expected = row_by_row(rules, rows);
    for (const std::size_t longest : {1, 7, 300}) {
      EXPECT_EQ(in_batches(rules, rows, longest, random), expected);
      ++cases;
    }
  }
  EXPECT_GT(cases, 200U);
}

}  // namespace
}  // namespace jme
