#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/pipeline/slot_feed.hpp>
#include <jme/pipeline/slot_sums.hpp>

namespace jme {

namespace {

constexpr std::int64_t open_slot_version = 1;
// Keeping takes at most a fifth of the time.
constexpr int rest_after_keeping = 4;

using OpenSlotHead = std::array<std::int64_t, 3>;  // version, start, slot

}  // namespace

std::vector<std::byte> OpenSlot::bytes() const {
  const OpenSlotHead head{open_slot_version, start, static_cast<std::int64_t>(slot)};
  const auto head_bytes = std::as_bytes(std::span(head));
  std::vector<std::byte> result(head_bytes.begin(), head_bytes.end());
  const std::vector<std::byte> rest = sums.bytes();
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

OpenSlot OpenSlot::from_bytes(std::span<const std::byte> bytes, const RowMap& map) {
  OpenSlotHead head{};
  if (bytes.size() < sizeof head) throw StateError("the open slot of this stream is not whole");
  std::memcpy(head.data(), bytes.data(), sizeof head);
  if (head[0] != open_slot_version || head[2] < 0)
    throw StateError("the open slot was written by another version");
  return {.start = head[1],
          .slot = static_cast<std::size_t>(head[2]),
          .sums = BlockSum::from_bytes(bytes.subspan(sizeof head), map, BlockSum::Of::slot)};
}

std::optional<OpenSlot> stored_slot(RunningStream& stream, const RowMap& map) {
  const DurableStream* const durable = stream.durable();
  if (durable == nullptr || durable->sealed().open_block.empty()) return std::nullopt;
  return OpenSlot::from_bytes(durable->sealed().open_block, map);
}

SlotFeed::SlotFeed(const RowMap& map, const SlotSchedule& schedule, RunningStream& stream, SlotClock clock,
                   const Options& options)
    : map_(map),
      schedule_(schedule),
      stream_(&stream),
      clock_(std::move(clock)),
      options_(options),
      slot_(stream.rows()),
      sums_(map, BlockSum::Of::slot) {
  if (std::optional<OpenSlot> stored = stored_slot(stream, map)) {
    if (stored->slot != slot_ || stored->start != schedule.start) {
      throw StateError("the open slot on disk is not the next one of this stream");
    }
    sums_ = std::move(stored->sums);
  }
  // Whatever the machine's clock shows: slots that were released have ended.
  if (slot_ > 0) clock_.is_past(schedule_.begin_of(slot_));
  keep();
}

OpenSlot SlotFeed::open_slot() const {
  return {.start = schedule_.start, .slot = slot_, .sums = sums_};
}

void SlotFeed::seal() {
  SealedParts& parts = stream_->durable()->change_sealed();
  if (PersonLimit* const people = options_.people) add_records(*people, parts.people);
  parts.open_block = open_slot().bytes();
  if (options_.place) parts.place = options_.place();
}

void SlotFeed::enter_window() {
  if (options_.people == nullptr || !options_.people->has_windows()) return;
  if (has_begun_ && !is_over()) {
    options_.people->begin_window(schedule_.window_of(schedule_.begin_of(slot_), options_.slots_of_window));
  } else {
    options_.people->enter_window(std::nullopt);
  }
}

void SlotFeed::keep() {
  if (stream_->durable() == nullptr || is_over()) return;
  const Steady::time_point begin = Steady::now();
  seal();
  stream_->flush();
  has_new_rows_ = false;
  const Steady::time_point end = Steady::now();
  keep_due_ = end;
  // 0: after every read with rows, and else as seldom as by default.
  const bool after_reads = options_.keep_interval.count() == 0;
  const Steady::duration interval = after_reads ? Options{}.keep_interval : options_.keep_interval;
  keep_due_ += std::max<Steady::duration>(interval, rest_after_keeping * (end - begin));
}

void SlotFeed::close() {
  const BlockSum ended = std::exchange(sums_, BlockSum(map_, BlockSum::Of::slot));
  ++slot_;
  stream_->add_block(ended);
  if (stream_->durable() == nullptr) return;
  // One commit: the slot is released, and the next one is open.
  seal();
  stream_->flush();
}

void SlotFeed::tick() {
  const std::size_t ended = clock_.ended(schedule_);
  while (slot_ < ended) close();
  has_begun_ = clock_.time() >= static_cast<double>(schedule_.start);
  enter_window();
  // With rows or without, so that commits do not show when rows came.
  const bool has_read = has_new_rows_ && options_.keep_interval.count() == 0;
  if (stream_->durable() != nullptr && (has_read || Steady::now() >= keep_due_)) keep();
}

void SlotFeed::take(RowRules& rules, const RowBatch& batch) {
  const MatrixView rows = rules.take(batch).rows;
  has_new_rows_ = has_new_rows_ || rows.rows > 0;  // a bad one, too, may have used up the limit of its person
  for (std::size_t i = 0; i < rows.rows; ++i) {
    if (batch.is_bad(i)) continue;
    ++rows_;
    if (!add({rows.part(i, 1).data, rows.columns}, batch.time(i))) ++left_out_;
  }
}

bool SlotFeed::add(std::span<const double> row, std::optional<Seconds> time) {
  has_new_rows_ = true;  // the limit of its person is used up, whatever becomes of the row
  if (!has_begun_ || is_over()) return false;
  if (options_.late == LateRows::drop && time && *time < schedule_.begin_of(slot_)) return false;
  sums_.add(row);
  return true;
}

std::chrono::milliseconds SlotFeed::idle() {
  using std::chrono::milliseconds;
  if (is_over()) return milliseconds(0);
  const double seconds = static_cast<double>(due()) - clock_.time();
  constexpr double longest = 1;  // somebody may set the clock
  milliseconds wait(static_cast<std::int64_t>(std::ceil(1000 * std::clamp(seconds, 0.0, longest))));
  if (stream_->durable() != nullptr) {
    const auto until_kept = std::chrono::ceil<milliseconds>(keep_due_ - Steady::now());
    wait = std::clamp(until_kept, milliseconds(0), wait);
  }
  return wait;
}

}  // namespace jme
