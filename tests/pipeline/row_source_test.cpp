#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>

#include "temporary_folder.hpp"

namespace jme {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

bool is_among(const Given& settings, std::string_view name) {
  return std::ranges::count(settings, name, &Given::value_type::first) > 0;
}

/// 300 rows of two columns, a release every 7; `more` take the place of these, and empty ones are left out.
RunSettings settings_with(Given more) {
  for (const auto& setting : Given{{"bounds", "a=0:10,b=-2:2"},
                                   {"sigma", "1"},
                                   {"rows", "300"},
                                   {"every", "7"},
                                   {"insecure_test_seed", "5"}}) {
    if (!is_among(more, setting.first)) more.push_back(setting);
  }
  RunSettings settings;
  for (const auto& [name, text] : more) {
    if (!text.empty()) settings.set(name, text);
  }
  return settings;
}

/// Some are bad or have missing cells.
RowBatch rows_of_all_kinds(std::size_t rows, bool have_people, bool have_times) {
  std::mt19937 random(7);
  RowBatch batch(2);
  for (std::size_t r = 0; r < rows; ++r) {
    for (double& cell : batch.add_row()) {
      cell = random() % 15 == 0 ? RowBatch::missing : std::normal_distribution<double>(1, 2)(random);
    }
    if (random() % 15 == 0) batch.set_bad(r);
    if (have_people && random() % 15 != 0) batch.set_person(r, "p" + std::to_string(random() % 50));
    if (have_times && !batch.is_bad(r)) batch.set_time(r, static_cast<Seconds>(random() % 100'000));
  }
  return batch;
}

/// Gives rows in batches of random lengths; then ends, or fails with this error.
class Batches final : public RowSource {
 public:
  Batches(const RowBatch& rows, std::size_t longest, unsigned seed, std::size_t begin = 0)
      : rows_(&rows), longest_(longest), done_(begin), random_(seed) {}
  void fail_with(const DataError& error) { error_ = error; }
  bool next(RowBatch& batch, std::size_t most_rows) override {
    batch.clear(rows_->columns());
    if (done_ == rows_->rows() && error_) throw DataError(*error_);
    const std::size_t length = std::min<std::size_t>(most_rows, 1 + random_() % longest_);
    const std::size_t end = std::min(rows_->rows(), done_ + length);
    batch.append(*rows_, done_, end);
    done_ = end;
    return batch.rows() > 0;
  }

  [[nodiscard]] std::size_t given() const { return done_; }

 private:
  const RowBatch* rows_;
  std::size_t longest_, done_;
  std::mt19937 random_;
  std::optional<DataError> error_{};
};

struct Taken {
  std::vector<std::string> lines, notes;
  bool operator==(const Taken&) const = default;
};

/// What a run with these settings releases; `take` gives it the rows.
template <class Take>
Taken taken_by(const RunSettings& settings, const Take& take) {
  const PreparedRun run(run_config(settings));
  Taken result;
  ReleaseWriter writer(units_of(run.bounds()), run.emit(), run.columns(),
                       counts_of(run.mechanism().workload_first()));
  RowFeed feed = run.feed([&](const Release& release) { result.lines.push_back(writer.line(release)); });
  take(feed);
  for (const Note& note : feed.notes()) {
    result.notes.push_back(std::string(name(note.kind)) + " " + std::to_string(note.count) + " of " +
                           std::to_string(note.rows));
  }
  return result;
}

Taken taken_in_batches(const RunSettings& settings, const RowBatch& rows, std::size_t longest,
                       unsigned seed = 1) {
  return taken_by(settings, [&](RowFeed& feed) {
    Batches source(rows, longest, seed);
    feed.take_all(source);
    feed.end_input();
  });
}

const Given of_people{{"person", "who"}, {"rows_per_person", "3"}, {"on_bad_row", "zero"}};
const Given slots_of_a_day{{"rows", ""},           {"every", "1h"},         {"time", "when"},
                           {"from", "1970-01-01"}, {"until", "1970-01-02"}, {"on_bad_row", "zero"}};

TEST(RowSource, GivesTheSameReleasesAndNotesHoweverItDividesItsRows) {
  Given people_in_slots = slots_of_a_day;
  people_in_slots.insert(people_in_slots.end(), {{"person", "who"}, {"rows_per_person", "2/2h"}});
  for (const Given& more : {Given{{"on_bad_row", "zero"}}, Given{{"on_bad_row", "zero"}, {"missing", "mean"}},
                            Given{{"on_bad_row", "zero"}, {"missing", "model"}, {"every", "1"}}, of_people,
                            slots_of_a_day, people_in_slots}) {
    const RowBatch rows = rows_of_all_kinds(300, is_among(more, "person"), is_among(more, "time"));
    const RunSettings settings = settings_with(more);
    const Taken expected = taken_in_batches(settings, rows, 1);
    EXPECT_GE(expected.lines.size(), 24U);
    for (const std::size_t longest : {5, 60, 300})
      EXPECT_EQ(taken_in_batches(settings, rows, longest), expected);
    const test::TemporaryFolder folder;
    RunSettings durable = settings;
    durable.set("state", folder.path() / "state");
    for (const unsigned seed : {1U, 2U}) {
      EXPECT_EQ(taken_in_batches(durable, rows, 40, seed).lines, expected.lines);
    }
  }
}

TEST(RowSource, KeepsThePeopleOfTheRowsThatAreCommittedAndOfNoOthers) {
  const RowBatch rows = rows_of_all_kinds(300, true, false);
  const std::vector<std::string> expected = taken_in_batches(settings_with(of_people), rows, 1).lines;
  const test::TemporaryFolder folder;
  RunSettings durable = settings_with(of_people);
  durable.set("state", folder.path() / "state");
  durable.set("commit_interval", "0");
  // Each process ends in the middle of a block, and the next one is given the rows that were not committed.
  std::vector<std::string> lines;
  for (const std::size_t until : {40, 101, 233, 300}) {
    const Taken part = taken_by(durable, [&](RowFeed& feed) {
      if (!lines.empty()) feed.resume();
      RowBatch first(2);
      first.append(rows, 0, until);
      Batches source(first, 60, 3, feed.stream().rows());
      feed.take_all(source);
      until == 300 ? feed.end_input() : feed.stream().flush();
    });
    lines = part.lines;  // those of earlier processes, too
  }
  EXPECT_EQ(lines, expected);
}

TEST(RowSource, HasItsRowsBeforeAFaultTakenAndItsErrorPassedOn) {
  const RowBatch rows = rows_of_all_kinds(20, false, false);
  taken_by(settings_with({{"on_bad_row", "zero"}}), [&](RowFeed& feed) {
    Batches source(rows, 8, 1);
    source.fail_with(DataError("in.csv:22: text", 21, 1));
    EXPECT_THROW(feed.take_all(source), DataError);
    EXPECT_EQ(feed.stream().rows(), 20U);
  });
}

TEST(RowSource, IsToldPastTheHorizonThatARowIsTooManyWhateverIsInIt) {
  const RowBatch rows = rows_of_all_kinds(300, false, false), more = rows_of_all_kinds(310, false, false);
  const RunSettings settings = settings_with({{"on_bad_row", "zero"}});
  const Taken all = taken_in_batches(settings, rows, 300);
  for (const std::size_t longest : {1, 9, 310}) {
    const Taken found = taken_by(settings, [&](RowFeed& feed) {
      Batches source(more, longest, 1);
      EXPECT_THROW(feed.take_all(source), BudgetExhausted);
      EXPECT_EQ(feed.stream().rows(), 300U);
    });
    EXPECT_EQ(found.lines, all.lines) << "the rows before it count";
  }
  taken_by(settings, [&](RowFeed& feed) {
    Batches source(rows, 50, 1);
    source.fail_with(DataError("in.csv:302: text", 301, 1));
    EXPECT_THROW(feed.take_all(source), BudgetExhausted);
  });
  taken_by(settings, [&](RowFeed& feed) {
    Batches source(rows, 50, 1);
    source.fail_with(DataError("in.csv.gz: the gzip data are damaged"));
    EXPECT_THROW(feed.take_all(source), DataError);
  });
}

TEST(RowSource, StandsAtTheEndOfEachBlockWhereItsPlaceIsKept) {
  const RowBatch rows = rows_of_all_kinds(300, false, false);
  for (const std::size_t every : {1, 7, 100}) {
    const PreparedRun run(
        run_config(settings_with({{"on_bad_row", "zero"}, {"every", std::to_string(every)}})));
    for (const std::size_t longest : {3, 300}) {
      Batches source(rows, longest, 1);
      std::size_t releases = 0;
      RowFeed feed = run.feed([&](const Release& release) {
        EXPECT_EQ(source.given(), std::min<std::size_t>(release.steps() * every, 300));
        ++releases;
      });
      feed.take_all(source, {.batches_end_with_blocks = true});
      EXPECT_EQ(source.given(), 300U);
      EXPECT_GE(releases, 300 / every);
    }
  }
}

TEST(RowSource, IsReadNoFurtherThanTheHorizonWhereItHasNoEnd) {
  const RowBatch more = rows_of_all_kinds(310, false, false);
  const RunSettings settings = settings_with({{"on_bad_row", "zero"}});
  for (const std::size_t longest : {1, 9, 310}) {
    taken_by(settings, [&](RowFeed& feed) {
      Batches source(more, longest, 1);
      int between = 0;
      feed.take_all(source, {.ends_at_horizon = true, .between = [&] { ++between; }});
      EXPECT_EQ(feed.stream().rows(), 300U);
      EXPECT_GE(between, 1);
    });
  }
}

}  // namespace
}  // namespace jme
