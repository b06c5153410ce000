#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/row_feed.hpp>

namespace jme {

namespace {

// Rows that are mapped and pushed together stay in the processor's second cache.
constexpr std::size_t numbers_of_tile = 16'384;
// Releases that are made together, until the first of them leaves the process.
constexpr std::size_t numbers_of_releases = std::size_t{1} << 17;

bool has_large_releases(const ReleaseLayout& layout, std::size_t every, std::size_t tile) {
  return (tile / every + 1) * (layout.first_size() + layout.moment_size()) > numbers_of_releases;
}

}  // namespace

RowFeed::RowFeed(RowRules rules, const Horizon& horizon, const RowMap& map,
                 std::unique_ptr<RunningStream> stream, std::optional<TimedRows> times, bool resumes)
    : rules_(std::move(rules)),
      horizon_(horizon),
      map_(map),
      stream_(std::move(stream)),
      tile_(std::max<std::size_t>(numbers_of_tile / std::max<std::size_t>(map.layout.dimension, 1), 1)),
      waits_for_blocks_(rules_.fills_from_releases() || rules_.person_limit() != nullptr ||
                        stream_->durable() != nullptr ||
                        has_large_releases(map.layout, horizon.every(), tile_)),
      timed_(std::move(times)) {
  if (!timed_ && stream_->durable() != nullptr) rules_.keep_people(*stream_->durable(), resumes);
}

void RowFeed::resume() {
  DurableStream* const durable = stream_->durable();
  if (durable == nullptr) throw StateError("a stream in memory has nothing to go on from");
  durable->resume_at(durable->rows_before());
  rows_to_skip_ = durable->sealed().place.taken;
  rules_.keep_people(*durable, true);
  stream_->publish_stored();
  learn();
}

bool RowFeed::next(RowSource& source, RowBatch& batch, const Reading& reading) const {
  try {
    const std::size_t most = reading.batches_end_with_blocks && !timed_ ? rows_of_block() : batch.most_rows;
    return source.next(batch, std::min(most, batch.most_rows));
  } catch (const DataError& error) {
    // Past the horizon every row is too many, whatever is in it.
    if (error.row() && !timed_ && is_full()) check_room(1);
    throw;
  }
}

void RowFeed::take_all(RowSource& source, const Reading& reading) {
  is_whole_ = true;
  RowBatch batch;
  const auto is_complete = [&] { return reading.ends_at_horizon && is_full(); };
  class Use {  // the source may be gone after this call
   public:
    Use(const RowSource*& used, const RowSource& source) : used_(used) { used_ = &source; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { used_ = nullptr; }

   private:
    const RowSource*& used_;
  };
  const Use use(source_, source);
  while (!is_complete() && next(source, batch, reading)) take(batch, reading);
  place_at_end_ = place();
}

void RowFeed::take(const RowBatch& batch, const Reading& reading) {
  if (timed_) {
    if (has_blocks_)
      throw InvalidParameter("block", "slots came as blocks before: rows with times cannot follow");
    timed_->take(rules_, batch);
    if (reading.between) reading.between();
    return;
  }
  const auto skipped = std::min<std::uint64_t>(rows_to_skip_, batch.rows());
  rows_to_skip_ -= skipped;
  for (std::size_t done = skipped; done < batch.rows() && !(reading.ends_at_horizon && is_full());) {
    const std::size_t end = done + rows_of_piece(batch.rows() - done);
    rows_to_come_ = batch.rows() - end;
    push(rules_.take(batch, std::exchange(done, end), end));
    if (reading.between) reading.between();
  }
}

void RowFeed::take_rows(const MatrixView& rows) {
  for (std::size_t done = 0; done < rows.rows;) {
    const std::size_t count = rows_of_piece(rows.rows - done);
    push(rules_.take(rows.part(done, count)));
    done += count;
  }
}

std::size_t RowFeed::rows_of_piece(std::size_t most) const {
  // The first row past the horizon comes alone: the stream takes the ones before it, and refuses this one.
  if (is_full()) return 1;
  most = std::min({most, tile_, horizon_.rows() - stream_->rows()});
  return waits_for_blocks_ ? std::min(most, rows_of_block()) : most;
}

std::size_t RowFeed::rows_of_block() const {
  if (is_full()) return 1;
  return std::min(horizon_.every() - stream_->rows() % horizon_.every(), horizon_.rows() - stream_->rows());
}

void RowFeed::push(const RowRules::Taken& taken) {
  const bool is_new = stream_->durable() == nullptr || !stream_->durable()->is_replaying();
  stream_->add_rows(taken.rows, taken.as_read);
  if (is_at_block_end()) {
    if (is_new) {
      seal();
    } else if (PersonLimit* const limit = rules_.person_limit()) {
      static_cast<void>(limit->take_records());  // they are on disk
    }
    stream_->publish_due();
  }
  learn();
}

bool RowFeed::is_at_block_end() const {
  return stream_->rows() % horizon_.every() == 0 || is_full();
}

bool RowFeed::has_open_rows() const {
  const DurableStream* const durable = stream_->durable();
  return durable != nullptr && !durable->is_replaying() && durable->rows() > durable->committed_rows() &&
         !is_at_block_end();
}

void RowFeed::seal() {
  DurableStream* const durable = stream_->durable();
  if (durable == nullptr) return;
  PersonLimit* const limit = rules_.person_limit();
  SourcePlace here = place();
  if (limit == nullptr && here == durable->sealed().place) return;
  SealedParts& parts = durable->change_sealed();
  if (limit != nullptr) parts.people.add(limit->take_records());
  parts.place = std::move(here);
}

SourcePlace RowFeed::place() const {
  if (source_ == nullptr) return place_at_end_;
  SourcePlace place = source_->place_to_resume();
  if (place.taken < rows_to_come_) return {};
  place.taken -= rows_to_come_;
  return place;
}

void RowFeed::learn() {
  if (!rules_.fills_from_releases()) return;
  if (const Release* newest = stream_->newest()) rules_.learn(*newest);
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
  const std::size_t d = map_.layout.dimension;
  if (row.size() != d) {
    const std::size_t number = rules_.rows() + 1;
    throw DataError(fmt::format("row {}: has {} values, the dimension is {}", number, row.size(), d), number);
  }
  push(rules_.take(MatrixView::of_rows(row, d)));
}

void RowFeed::push_rows(const MatrixView& rows) {
  check_room(rows.rows);
  check_rows(rows);
  take_rows(rows);
}

void RowFeed::end_input() {
  // Where slots came as blocks, those are all.
  const bool has_rows = timed_ && (is_whole_ || timed_->rows() > 0 || stream_->rows() == 0);
  if (has_rows && !has_blocks_) {
    // Where later processes have to end their reading again.
    const DurableStream* const durable = stream_->durable();
    if (durable != nullptr && durable->sealed().place.bytes.empty()) seal();
    timed_->release_to(*stream_);
  } else if (has_open_rows() && !stream_->leaves_open()) {
    seal();  // with the partial block
  }
  stream_->end_input();
}

void RowFeed::push_block(std::string_view id, const BlockSum& block) {
  if (rules_.person_limit() != nullptr) {
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
