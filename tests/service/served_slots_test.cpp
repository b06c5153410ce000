#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/slot_sums.hpp>
#include <jme/store/ledger.hpp>

#include "one_row.hpp"
#include "service/served.hpp"

namespace jme {
namespace {

using test::all_lines;
using test::block_of;
using test::csv_rows;
using test::numbered;
using test::rows;
using testing::HasSubstr;
using testing::Not;

constexpr Seconds noon = 1'800'014'400;  // 2027-01-15T12:00:00Z
constexpr const char* hours =
    R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"every":"1h","steps":2000)";
constexpr const char* seeded = R"(,"insecure_test_seed":5})";

class ServedSlots : public test::ServiceTest {
 protected:
  ServedSlots() { set_time(noon + 600.0); }
  void create_hours(const std::string& more = seeded) { create(more, hours); }
  [[nodiscard]] BlockSum sums(std::size_t count, std::size_t from = 0) const {
    const PreparedRun& run = stream().run();
    RowRules rules = run.rules();
    BlockSum result(run.row_map());
    for (std::size_t i = from; i < from + count; ++i) {
      const std::vector<double> row{static_cast<double>(i % 40), static_cast<double>((7 * i) % 100)};
      result.add(test::take_row(rules, row));
    }
    return result;
  }
};

/// The lines of a stream in memory whose slots have these sums.
std::string expected_lines(const ServedStream& stream, const std::vector<BlockSum>& slots,
                           const std::string& more = seeded) {
  std::string settings = hours;
  settings.replace(settings.find(R"("name":"air",)"), 13, "");
  PreparedRun run(run_config(RunSettings::from_json(settings + more, "test")));
  run.begin_at(noon);
  EXPECT_EQ(stream.run().schedule().start, noon);
  ReleaseWriter writer(units_of(run.bounds()), run.emit(), run.columns(),
                       counts_of(run.mechanism().workload_first()), run.schedule());
  std::string lines;
  const auto memory = run.open([&](const Release& release) { lines += writer.line(release); });
  for (std::size_t i = 0; i < slots.size(); ++i) {
    memory->push_block(slot_id(run.schedule(), i), slots[i]);
  }
  return lines;
}

TEST_F(ServedSlots, HaveTheRowsThatArriveInThemHoweverTheyAreDivided) {
  create_hours();
  static_cast<void>(stream().take(rows(csv_rows(5))));
  restart();
  static_cast<void>(stream().take(block_of("a", sums(4, 5))));
  static_cast<void>(stream().take(rows(csv_rows(3, 9), "key")));
  restart();
  set_time(noon + 3599.9);
  EXPECT_EQ(stream().lines().size(), 0U);
  set_time(noon + 3600);
  EXPECT_EQ(stream().lines().size(), 1U);
  time_ = noon + 2 * 3600 + 1;
  // The clock is looked at before the rows are taken, whether somebody ticks or not.
  static_cast<void>(stream().take(rows(csv_rows(2, 12))));
  EXPECT_EQ(stream().lines().size(), 2U);
  restart();
  set_time(noon + 3 * 3600);
  EXPECT_EQ(all_lines(stream()), expected_lines(stream(), {sums(12), sums(0), sums(2, 12)}));
}

TEST_F(ServedSlots, AreReleasedOnTimeWithoutAnyRowAndWhereNoProcessRan) {
  create_hours();
  set_time(noon + 3600);
  EXPECT_EQ(stream().lines().size(), 1U);
  EXPECT_EQ(stream().standing().slot_end, noon + 2 * 3600);
  static_cast<void>(stream().take(rows(csv_rows(7))));
  service_.reset();
  time_ = noon + 600 * 3600.0;
  restart();
  EXPECT_EQ(stream().lines().size(), 1U);
  service_->tick();
  std::vector<BlockSum> slots(600, sums(0));
  slots[1] = sums(7);
  EXPECT_EQ(all_lines(stream()), expected_lines(stream(), slots));
}

TEST_F(ServedSlots, BeginOnTheLedgerWhenTheyAreCreatedAndEndWithTheirLast) {
  EXPECT_EQ(service_->create(std::string(hours) + "}", true).outcome, CreatedStream::Outcome::dry_run);
  EXPECT_TRUE(Ledger::read(state()).entries().empty());
  create(
      R"(,"from":"2027-01-15T14:00"})",
      R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"every":"1h","steps":2)");
  ASSERT_EQ(Ledger::read(state()).entries().size(), 1U);
  EXPECT_TRUE(stream().standing().begun);
  EXPECT_THROW(stream().take(rows(csv_rows(1))), Conflict);
  set_time(noon + 2 * 3600);
  const WriteAnswer answer = stream().take(rows(csv_rows(1), "a"));
  EXPECT_EQ(answer.slot_end, noon + 3 * 3600);
  set_time(noon + 9 * 3600);
  EXPECT_EQ(stream().lines().size(), 2U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(stream().standing().finished);
    EXPECT_FALSE(stream().standing().slot_end);
    EXPECT_THROW(stream().take(rows(csv_rows(1))), BudgetExhausted);
    const WriteAnswer again = stream().take(rows(csv_rows(1), "a"));
    EXPECT_TRUE(again.repeated);
    EXPECT_EQ(again.slot_end, answer.slot_end);
    restart();
    service_->tick();
  }
}

TEST_F(ServedSlots, AreTheSameStreamForTheSameSettingsWheneverTheyAreGiven) {
  create_hours();
  time_ = noon + 5 * 3600.0;
  EXPECT_EQ(service_->create(std::string(hours) + seeded, false).outcome, CreatedStream::Outcome::was_there);
  restart();
  EXPECT_EQ(service_->create(std::string(hours) + seeded, false).outcome, CreatedStream::Outcome::was_there);
  EXPECT_EQ(stream().run().schedule().start, noon);
  const auto refused = [&](const char* more) -> std::string {
    std::string settings = hours;
    settings.replace(settings.find("air"), 3, "b");
    try {
      static_cast<void>(service_->create(settings + more, false));
    } catch (const InvalidParameter& error) {
      return error.field();
    }
    return "none";
  };
  EXPECT_EQ(refused(R"(,"from":"2027-01-15T12:00"})"), "from");
  EXPECT_EQ(refused(R"(,"time":"at"})"), "time");
  EXPECT_EQ(refused(R"(,"late":"drop"})"), "late");
  EXPECT_EQ(service_->find("b"), nullptr);
}

TEST_F(ServedSlots, TellNobodyHowManyRowsTheyHave) {
  create_hours();
  const WriteAnswer first = stream().take(rows(csv_rows(5) + "word,1\n"));
  EXPECT_EQ(first.rows, 6U);
  EXPECT_EQ(first.unread, 1U);
  const WriteAnswer second = stream().take(rows(csv_rows(1), "", "other"));
  EXPECT_FALSE(second.first_row);
  EXPECT_FALSE(stream().standing().counts);
  EXPECT_THROW(stream().take(numbered(csv_rows(2), 0, 1)), InvalidParameter);
  set_time(noon + 3600);
  const Ledger ledger = Ledger::read(state());
  for (const LedgerEntry& entry : ledger.entries()) EXPECT_EQ(entry.rows, 1U);  // slots
}

TEST_F(ServedSlots, TakeABlockOnceUnderItsIdHoweverLateItComesAgain) {
  create_hours();
  const WriteAnswer taken = stream().take(block_of("query:7", sums(4)));
  EXPECT_EQ(taken.rows, 4U);
  EXPECT_EQ(taken.slot_end, noon + 3600);
  EXPECT_EQ(stream().take(block_of("query:8", sums(0))).rows, 0U);  // a batch without rows is one too
  for (const double later : {0.0, 1.0, 30.0}) {
    set_time(noon + 3600 + later * 24 * 3600);
    restart();
    const WriteAnswer again = stream().take(block_of("query:7", sums(4)));
    EXPECT_TRUE(again.repeated);
    EXPECT_EQ(again.slot_end, taken.slot_end);
    EXPECT_TRUE(stream().take(block_of("query:8", sums(0))).repeated);
    EXPECT_THROW(stream().take(block_of("query:7", sums(5))), Conflict);
    EXPECT_THROW(stream().take(block_of("query:7", sums(4), "other")), NotYours);
  }
  std::vector<BlockSum> slots(stream().lines().size(), sums(0));
  slots[0] = sums(4);
  EXPECT_EQ(all_lines(stream()), expected_lines(stream(), slots));
  BlockSum foreign = sums(1);
  create("}", R"({"name":"b","epsilon":1,"delta":1e-6,"bounds":{"x":[0,1]},"every":"1h","steps":9)");
  EXPECT_THROW(stream("b").take(block_of("c", foreign)), Error);
}

// A query that has lost its checkpoint begins anew, under another name, with rows that were counted before.
TEST_F(ServedSlots, TakeTheBlocksOfOneJobAlone) {
  create_hours();
  const auto of_job = [&](const std::string& id, std::size_t rows, const std::string& job) {
    WriteRequest request = block_of(id, sums(rows));
    request.origin = job;
    return request;
  };
  EXPECT_FALSE(stream().take(of_job("a:0", 4, "a")).repeated);
  for (const bool is_new_process : {false, true}) {
    if (is_new_process) restart();
    EXPECT_THROW(stream().take(of_job("b:0", 4, "b")), Conflict);
    EXPECT_TRUE(stream().take(of_job("a:0", 4, "a")).repeated);
    EXPECT_THROW(stream().take(of_job("a:0", 5, "a")), OtherBody);
  }
  EXPECT_FALSE(stream().take(of_job("a:1", 3, "a")).repeated);
  EXPECT_FALSE(stream().take(block_of("by hand", sums(2))).repeated);
  set_time(noon + 3600);
  BlockSum all = sums(4);
  all.merge(sums(3));
  all.merge(sums(2));
  EXPECT_EQ(all_lines(stream()), expected_lines(stream(), {all}));
}

// A refusal that depended on others' rows would count them: zeros of a power of two rows fit or do not. Forty
// senders together have more rows than a block may.
TEST_F(ServedSlots, RefuseASenderForItsOwnRowsAlone) {
  create_hours();
  BlockSum many(stream().run().row_map());
  many.add(std::vector<double>(2, NAN));
  for (int doubled = 0; doubled < 27; ++doubled) many.merge(BlockSum(many));
  ASSERT_EQ(many.rows(), std::uint64_t{1} << 27);
  for (const int others : {0, 7, 40}) {
    for (int other = 0; other < others; ++other) {
      const std::string token = fmt::format("{}", other);
      for (const char* block : {"first", "second"}) {
        static_cast<void>(
            stream().take(block_of(block + token + fmt::format(" of {}", others), many, token)));
      }
    }
    restart();
    set_time(*time_);
    const std::string mine = fmt::format("mine {}", others);
    EXPECT_EQ(stream().take(block_of(mine + "1", many, mine)).rows, many.rows());
    EXPECT_EQ(stream().take(block_of(mine + "2", many, mine)).rows, many.rows());
    EXPECT_THROW(stream().take(rows(csv_rows(1), "", mine)), Conflict);
    set_time(*time_ + 3600);
    EXPECT_EQ(stream().take(rows(csv_rows(1), "", mine)).rows, 1U);
    set_time(*time_ + 3600);
  }
}

TEST_F(ServedSlots, LimitRowsOfAPersonInEveryWindow) {
  const std::string people = R"(,"person":"who","rows_per_person":"2/2h","insecure_test_seed":5})";
  create_hours(people);
  const auto row_of_a = rows("temp,co,who\n10,20,a\n");
  const BlockSum none(stream().run().row_map());
  std::vector<double> row{10, 20};
  const PreparedRun& run = stream().run();
  RowRules unlimited(run.bounds(), run.missing(), OnBadRow::zero, run.mechanism().config().norm_bound, true);
  row = test::take_row(unlimited, row);
  BlockSum counted(none), absent(none);
  counted.add(row);
  absent.add(std::vector<double>(2, NAN));
  // noon until two is one window; the third row of a in it counts in no slot, whatever process takes it.
  std::vector<BlockSum> expected{none, none, none};
  for (const auto& [slot, is_counted] : {std::pair{0, true}, {0, true}, {0, false}, {1, false}, {2, true}}) {
    set_time(static_cast<double>(noon) + 3600 * slot + 600);
    restart();
    static_cast<void>(stream().take(row_of_a));
    expected[static_cast<std::size_t>(slot)].merge(is_counted ? counted : absent);
  }
  set_time(static_cast<double>(noon) + 3 * 3600 + 1);
  EXPECT_EQ(all_lines(stream()), expected_lines(stream(), expected, people));
}

TEST_F(ServedSlots, StayOpenWhereTheClockIsSetBack) {
  create_hours();
  set_time(noon + 3600);
  static_cast<void>(stream().take(rows(csv_rows(3))));
  set_time(noon - 7200);
  static_cast<void>(stream().take(rows(csv_rows(2, 3))));
  EXPECT_EQ(stream().lines().size(), 1U);
  restart();
  static_cast<void>(stream().take(rows(csv_rows(1, 5))));
  EXPECT_EQ(stream().standing().slot_end, noon + 2 * 3600);
  set_time(noon + 2 * 3600);
  EXPECT_EQ(all_lines(stream()), expected_lines(stream(), {sums(0), sums(6)}));
}

TEST_F(ServedSlots, KeepTheirRowsSealedUntilTheyEnd) {
  create_hours();
  static_cast<void>(stream().take(block_of("sensitive-id", sums(4))));
  const std::vector<std::byte> bytes = sums(4).bytes();
  const std::string middle(reinterpret_cast<const char*>(bytes.data()) + 60, 40);
  for (const auto& entry : std::filesystem::directory_iterator(state())) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(content, Not(HasSubstr("sensitive-id"))) << entry.path();
    EXPECT_THAT(content, Not(HasSubstr(middle))) << entry.path();
  }
}

}  // namespace
}  // namespace jme
