#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/store/durable_search.hpp>
#include <jme/store/ledger.hpp>

#include "temporary_folder.hpp"

namespace jme::durable_search_tests {
namespace {

using Numbers = std::vector<DurableSearch::Numbers>;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> cells{1, 2, 3, absent, 5, 6};  // three records of two columns
const Numbers released{{1, 0.5, 8}, {2, -1, 4}};
constexpr double mu = 0.25;

class DurableSearchTest : public testing::Test {
 protected:
  [[nodiscard]] std::string state() const { return (folder_.path() / "state").string(); }
  [[nodiscard]] DurableOptions options(const std::string& stream = "bounds") const {
    DurableOptions options;
    options.directory = state();
    options.source = "sensors";
    options.stream = stream;
    options.details = {{.name = "adjacency", .value = "replace-one"},
                       {.name = "participations", .value = "1"},
                       {.name = "rows", .value = "3"}};
    return options;
  }
  [[nodiscard]] DurableSearch search(const std::string& stream = "bounds") const {
    return {options(stream), mu, {"a", "b"}};
  }
  [[nodiscard]] Numbers search_over(const std::vector<double>& these,
                                    const std::vector<std::string>& records = {}) const {
    RecordChain chain;
    for (const std::string& record : records) chain.add(record);
    return search().release(
        MatrixView::of_rows(these, 2), [] { return released; }, chain);
  }
  static Numbers must_not_be_made() { throw std::logic_error("made again"); }
  /// The records of the state that a run leaves out.
  void leave_out(const std::vector<std::string>& these) const {
    SearchedRecords records(state(), "sensors", "bounds");
    for (const std::string& record : these) records.add(record);
    records.check();
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(DurableSearchTest, IsOnTheLedgerBeforeAnythingIsMade) {
  bool was_made = false;
  static_cast<void>(search().release(MatrixView::of_rows(cells, 2), [&] {
    was_made = true;
    const Ledger ledger = Ledger::read(state());
    EXPECT_EQ(ledger.entries().size(), 1U);
    EXPECT_DOUBLE_EQ(ledger.entries().at(0).mu, mu);
    EXPECT_TRUE(ledger.entries().at(0).is_search);
    return released;
  }));
  EXPECT_TRUE(was_made);
  const LedgerEntry entry = Ledger::read(state()).entries().at(0);
  EXPECT_TRUE(entry.finished);
  EXPECT_EQ(entry.rows, 3U);
  EXPECT_EQ(entry.problem, "");
  EXPECT_EQ(entry.stream, "bounds");
}

TEST_F(DurableSearchTest, GivesTheSameNumbersToTheSameRecordsAndMakesThemOnce) {
  EXPECT_EQ(search_over(cells), released);
  EXPECT_EQ(search().release(MatrixView::of_rows(cells, 2), must_not_be_made), released);
}

TEST_F(DurableSearchTest, RefusesOtherRecordsWhateverDiffers) {
  EXPECT_EQ(search_over(cells), released);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::vector<double> other = cells;
    other[i] = std::isnan(other[i]) ? 0 : std::nextafter(other[i], 10);
    EXPECT_THROW(static_cast<void>(search().release(MatrixView::of_rows(other, 2), must_not_be_made)),
                 StateError)
        << i;
  }
  const std::vector<double> longer{1, 2, 3, absent, 5, 6, 7, 8};
  EXPECT_THROW(static_cast<void>(search().release(MatrixView::of_rows(longer, 2), must_not_be_made)),
               StateError);
}

TEST_F(DurableSearchTest, ThatWasInterruptedStaysChargedAndIsMadeAgain) {
  EXPECT_THROW(static_cast<void>(search().release(MatrixView::of_rows(cells, 2), must_not_be_made)),
               std::logic_error);
  EXPECT_DOUBLE_EQ(Ledger::read(state()).mu_of("sensors"), mu);
  EXPECT_FALSE(Ledger::read(state()).entries().at(0).finished);
  EXPECT_EQ(search_over(cells), released);
  EXPECT_DOUBLE_EQ(Ledger::read(state()).mu_of("sensors"), mu) << "one search, one charge";
}

TEST_F(DurableSearchTest, IsRefusedUnderOtherTermsAndWhereTheSourceHasSpentEnough) {
  EXPECT_EQ(search_over(cells), released);
  DurableOptions other = options();
  other.details[2].value = "4";
  EXPECT_THROW(DurableSearch(other, mu, {"a", "b"}), StateError);
  EXPECT_THROW(DurableSearch(options(), mu, {"a", "c"}), StateError);
  DurableOptions limited = options("second");
  limited.max_mu = 0.3;
  DurableSearch second(limited, mu, {"a", "b"});
  EXPECT_THROW(static_cast<void>(second.release(MatrixView::of_rows(cells, 2), must_not_be_made)),
               BudgetExhausted);
  EXPECT_EQ(Ledger::read(state()).entries().size(), 1U) << "nothing was charged";
}

TEST_F(DurableSearchTest, LetsOneWriterIn) {
  const DurableSearch first = search();
  EXPECT_THROW(static_cast<void>(search()), StateError);
}

TEST_F(DurableSearchTest, IsRecognisedByTheBytesOfItsRecordsWhateverIsReadFromThem) {
  EXPECT_EQ(search_over(cells, {"1,2", "3,", "5,6"}), released);
  EXPECT_NO_THROW(leave_out({"1,2", "3,", "5,6"}));
  EXPECT_THROW(leave_out({"1,2", "3,", "5,7"}), StateError);
  EXPECT_THROW(leave_out({"3,", "1,2", "5,6"}), StateError) << "their order matters";
  EXPECT_THROW(leave_out({"1,2", "3,"}), StateError);
  EXPECT_THROW(leave_out({"1,2", "3", ",5,6"}), StateError) << "and where each of them ends";
  EXPECT_THROW(leave_out({"1,2", "3,", "5,6", ""}), StateError);
}

TEST_F(DurableSearchTest, IsNotThereForARunBeforeItHasReleased) {
  EXPECT_THROW(leave_out({}), StateError) << "no folder";
  EXPECT_THROW(static_cast<void>(search().release(MatrixView::of_rows(cells, 2), must_not_be_made)),
               std::logic_error);
  EXPECT_THROW(leave_out({}), StateError);
}

// max over the two sides a single row can be on.
TEST(ComposedMu, CountsASearchOrTheStreamsThatLeaveItsRecordsOut) {
  const auto entry = [](const std::string& stream, double of, const std::string& leaves_out = "",
                        const std::string& participations = "1") {
    LedgerEntry made{.file = "", .source = "s", .stream = stream};
    made.settings = {{.name = "participations", .value = participations}};
    made.mu = of;
    made.leaves_out = leaves_out;
    return made;
  };
  LedgerEntry found = entry("bounds", 0.3);
  found.is_search = true;
  const LedgerEntry after = entry("x", 0.4, "bounds"), second = entry("y", 0.5, "bounds"),
                    same = entry("z", 1.2);
  EXPECT_DOUBLE_EQ(composed_mu({found}), 0.3);
  EXPECT_DOUBLE_EQ(composed_mu({found, after}), 0.4);
  EXPECT_DOUBLE_EQ(composed_mu({found, entry("x", 0.1, "bounds")}), 0.3);
  EXPECT_DOUBLE_EQ(composed_mu({found, after, second}), std::hypot(0.4, 0.5));
  EXPECT_DOUBLE_EQ(composed_mu({found, same}), std::hypot(0.3, 1.2));
  EXPECT_DOUBLE_EQ(composed_mu({found, after, same}), std::hypot(0.4, 1.2));
  EXPECT_DOUBLE_EQ(composed_mu({after, same}), std::hypot(0.4, 1.2)) << "its search is elsewhere";
  // People with several rows may be on both sides.
  EXPECT_DOUBLE_EQ(composed_mu({found, entry("x", 0.4, "bounds", "3")}), 0.5);
  LedgerEntry of_people = entry("bounds", 0.3, "", "3");
  of_people.is_search = true;
  EXPECT_DOUBLE_EQ(composed_mu({of_people, after}), 0.5);
  // Another source's search of the same name.
  LedgerEntry other = found;
  other.source = "t";
  EXPECT_DOUBLE_EQ(composed_mu({other, after}), 0.5);
}

}  // namespace
}  // namespace jme::durable_search_tests
