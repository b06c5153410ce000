#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/row_feed.hpp>

namespace jme {

namespace {

// Rows that are mapped and pushed together stay in the processor's second cache.
std::size_t rows_of_tile(std::size_t dimension) {
  constexpr std::size_t numbers = 16'384;
  return std::max<std::size_t>(numbers / std::max<std::size_t>(dimension, 1), 1);
}

}  // namespace

RowFeed::RowFeed(RowIntake intake, const Horizon& horizon, const RowMap& map,
                 std::unique_ptr<RunningStream> stream)
    : intake_(std::move(intake)),
      horizon_(horizon),
      map_(map),
      stream_(std::move(stream)),
      fills_from_releases_(intake_.missing().uses(MissingCells::From::mean) ||
                           intake_.missing().uses(MissingCells::From::model)),
      tile_(rows_of_tile(intake_.missing().rules().size())) {
  intake_.keep_people(*stream_, false);
}

void RowFeed::resume() {
  stream_->resume();
  intake_.keep_people(*stream_, true);
}

void RowFeed::keep_people() {
  if (PersonLimit* limit = intake_.person_limit()) stream_->keep_people(limit->take_records());
}

void RowFeed::learn() {
  if (!fills_from_releases_) return;
  if (const Release* newest = stream_->newest()) intake_.learn(*newest);
}

void RowFeed::check_room(std::size_t rows) const {
  if (takes_times()) return;  // slots have any number of rows
  if (horizon_.has_slots() && rows > 0) {
    throw InvalidParameter(
        "every",
        "steps are slots of time, which rows in memory do not end: give time, from and until, and rows with "
        "their times; or sum the rows of each slot as a block and give the blocks in their order, also those "
        "without rows");
  }
  if (rows <= horizon_.rows() - stream_->rows()) return;
  throw BudgetExhausted(
      fmt::format("row {}: the horizon of {} rows is used up", horizon_.rows() + 1, horizon_.rows()));
}

void RowFeed::check_block_room(std::size_t rows) const {
  if (!horizon_.has_slots()) return check_room(rows);
  if (stream_->rows() >= horizon_.rows()) {
    throw BudgetExhausted(fmt::format("the horizon of {} slots is used up", horizon_.rows()));
  }
}

void RowFeed::push(std::span<const double> row) {
  check_room(1);  // past the horizon every row is too many, whatever is in it
  row_.assign(row.begin(), row.end());
  intake_.take(row_);
  stream_->push(row_, intake_.as_read());
  learn();
}

void RowFeed::push(std::span<const double> row, const PersonId& person) {
  check_room(1);
  row_.assign(row.begin(), row.end());
  intake_.take(row_, person);
  keep_people();
  stream_->push(row_, intake_.as_read());
  learn();
}

void RowFeed::push_rows(const MatrixView& rows, std::span<const PersonId> persons) {
  check_room(rows.rows);
  check_rows(rows);
  take_rows(rows, persons);
}

void RowFeed::push_rows(const MatrixView& rows) {
  check_room(rows.rows);
  check_rows(rows);
  take_rows(rows);
}

void RowFeed::take_rows(const MatrixView& rows) {
  for (std::size_t done = 0; done < rows.rows;) {
    std::size_t count = std::min(tile_, rows.rows - done);
    // A cell may be filled from the release of the block before, which must have been made by then.
    if (fills_from_releases_) {
      count = std::min(count, horizon_.every() - stream_->rows() % horizon_.every());
    }
    const RowIntake::RowsTaken taken = intake_.take_rows(rows.part(done, count));
    stream_->push_rows(taken.rows, taken.as_read);
    learn();
    done += count;
  }
}

void RowFeed::take_rows(const MatrixView& rows, std::span<const PersonId> persons) {
  if (persons.size() != rows.rows) {
    throw InvalidParameter("person", fmt::format("{} were given for {} rows", persons.size(), rows.rows));
  }
  std::vector<double> row(rows.columns);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    for (std::size_t j = 0; j < rows.columns; ++j) row[j] = rows.at(r, j);
    push(row, persons[r]);
  }
}

void RowFeed::take_rows(const MatrixView& rows, std::span<const std::optional<Seconds>> times,
                        std::span<const PersonId> persons) {
  if (!timed_) throw InvalidParameter("time", "is told with rows, and steps are not slots of time");
  if (has_blocks_)
    throw InvalidParameter("block", "slots came as blocks before: rows with times cannot follow");
  if (times.size() != rows.rows || (!persons.empty() && persons.size() != rows.rows)) {
    throw InvalidParameter("time", fmt::format("{} were given for {} rows", times.size(), rows.rows));
  }
  timed_->take_rows(intake_, rows, times, persons);
}

void RowFeed::end_input() {
  // Where slots came as blocks, those are all.
  const bool has_rows = timed_ && (timed_->rows() > 0 || stream_->rows() == 0);
  if (has_rows && !has_blocks_) timed_->release_to(*stream_);
  stream_->end_input();
}

void RowFeed::push_block(std::string_view id, const BlockSum& block) {
  if (intake_.person_limit() != nullptr) {
    throw InvalidParameter(
        "block", "its sums do not say whose rows they hold, and this run limits the rows of a person");
  }
  if (block.map() != map_) {
    throw InvalidParameter(
        "block",
        "its sums were made with other columns, bounds or rules for missing cells than this run has");
  }
  if (timed_ && timed_->rows() > 0) {
    throw InvalidParameter("block", "rows with times came before, and their slots are not released yet");
  }
  has_blocks_ = true;
  stream_->push_block(id, block);
  learn();
}

}  // namespace jme
