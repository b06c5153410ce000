#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/moments/moment_stream.hpp>
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

ColumnBounds bounds_of(const Rules& rules) {
  return rules.is_bounded ? ColumnBounds::parse("a=0:10,b=-2:2,c=1:3", of_three) : ColumnBounds::none(width);
}

MissingCells missing_of(const Rules& rules) {
  if (rules.missing.empty()) return MissingCells(width);
  return MissingRules::parse(rules.missing).of(of_three, bounds_of(rules));
}

constexpr std::size_t slots_of_window = 2;
const double norm_bound = std::sqrt(3.0);

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
    config.norm_bound = norm_bound;
    MomentStream result(Mechanism(config), InsecureTestSeed{1});
    for (int t = 0; t < 50; ++t) {
      const double a = 0.8 * std::sin(t);
      result.push(std::vector{a, 0.5 * a + 0.25, -a});
    }
    return result;
  }();
  return stream.release();
}

void add_numbers(std::vector<std::uint64_t>& bits, std::span<const double> numbers) {
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
}

/// Row by row, without what is told of persons.
void add_bits(std::vector<std::uint64_t>& bits, const RowRules::Taken& taken) {
  for (std::size_t r = 0; r < taken.rows.rows; ++r) {
    for (const MatrixView& view : {taken.rows, taken.as_read}) {
      add_numbers(bits, {view.part(r, 1).data, width});
    }
  }
}

/// What becomes of the rows; a release comes after row 40.
std::vector<std::uint64_t> in_batches(const Rules& rules, const RowBatch& rows, std::size_t longest,
                                      std::mt19937& random, std::vector<std::size_t>& counts) {
  RowRules judge(bounds_of(rules), missing_of(rules), rules.on_bad_row, norm_bound, rules.may_be_absent);
  if (rules.limit) judge.limit(PersonLimit(*rules.limit, InsecureTestSeed{3}.key()), true);
  if (rules.slots) judge.take_windows_of_times(*rules.slots, slots_of_window);
  std::vector<std::uint64_t> bits;
  for (std::size_t done = 0; done < rows.rows();) {
    if (done == 40) judge.learn(some_release());
    const std::size_t end = std::min(done + 1 + random() % longest, done < 40 ? 40 : rows.rows());
    add_bits(bits, judge.take(rows, done, end));
    done = end;
  }
  counts = {judge.rows(), judge.unusable_rows()};
  for (const auto& cells : {judge.clamped().cells, judge.clamped().below, judge.clamped().above}) {
    counts.insert(counts.end(), cells.begin(), cells.end());
  }
  return bits;
}

/// The same by the definition: of one row, without any that came before it but for ids and the release.
class ByDefinition {
 public:
  explicit ByDefinition(const Rules& rules)
      : rules_(rules), bounds_(bounds_of(rules)), filler_(missing_of(rules), norm_bound, rules.is_bounded) {
    if (rules.limit) limit_.emplace(*rules.limit, InsecureTestSeed{3}.key());
  }
  void learn(const Release& release) { filler_.learn(release); }
  void add(const RowBatch& rows, std::size_t r, std::vector<std::uint64_t>& bits) {
    const bool counts = !limit_ || admits(rows, r);
    std::vector<double> row(rows.row(r).begin(), rows.row(r).end());
    std::vector<std::size_t> missing;
    bool is_good = !rows.is_bad(r);
    for (std::size_t j = 0; j < width; ++j) {
      if (std::isnan(row[j])) missing.push_back(j);
      is_good = is_good && (std::isfinite(row[j]) ||
                            (std::isnan(row[j]) && filler_.cells().rules()[j] == OnMissing::fill));
    }
    ++count_[0];
    count_[1] += !rows.person(r) && limit_ ? 1U : counts && !is_good ? 1U : 0U;
    std::vector<double> read(width, rules_.may_be_absent ? RowBatch::missing : 0.0);
    if (is_good) {
      count_cells(row);
      bounds_.to_unit(row);
      for (const std::size_t j : missing) row[j] = RowBatch::missing;
    }
    if (counts && is_good) {
      read = row;
      if (!missing.empty()) filler_.fill(row, missing);
    } else {
      row = read;
    }
    add_numbers(bits, row);
    add_numbers(bits, read);
  }
  [[nodiscard]] const std::vector<std::size_t>& counts() const { return count_; }

 private:
  bool admits(const RowBatch& rows, std::size_t r) {
    if (limit_->has_windows()) {
      const auto time = rows.time(r);
      limit_->enter_window(time ? std::optional(rules_.slots->window_of(*time, slots_of_window))
                                : std::nullopt);
    }
    return limit_->admit(rows.person(r));
  }
  void count_cells(const std::vector<double>& row) {
    for (std::size_t j = 0; j < width && rules_.is_bounded; ++j) {
      if (std::isnan(row[j])) continue;
      ++count_[2 + j];
      count_[2 + width + j] += row[j] < bounds_.low()[j] ? 1U : 0U;
      count_[2 + 2 * width + j] += row[j] > bounds_.high()[j] ? 1U : 0U;
    }
  }
  Rules rules_;
  ColumnBounds bounds_;
  CellFiller filler_;
  std::optional<PersonLimit> limit_{};
  std::vector<std::size_t> count_ = std::vector<std::size_t>(2 + 3 * width);
};

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
    ByDefinition definition(rules);
    std::vector<std::uint64_t> expected;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      if (r == 40) definition.learn(some_release());
      definition.add(rows, r, expected);
    }
    for (const std::size_t longest : {1, 7, 300}) {
      std::vector<std::size_t> counts;
      EXPECT_EQ(in_batches(rules, rows, longest, random, counts), expected);
      EXPECT_EQ(counts, definition.counts());
      ++cases;
    }
  }
  EXPECT_GT(cases, 200U);
}

}  // namespace
}  // namespace jme
