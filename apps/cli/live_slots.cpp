#include "live_slots.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

#include "exit_codes.hpp"

namespace jme::cli {

namespace {

/// All slots were released: nothing is left to wait for.
class ScheduleOver : public std::exception {};

/// What was kept, what was asked for, or the beginning of the slot in which we are.
Seconds beginning(const PreparedRun& run, RunningStream& stream, SlotClock& clock) {
  if (run.clock()->from) return *run.clock()->from;
  if (const std::optional<OpenSlot> stored = stored_slot(stream, run.row_map())) return stored->start;
  if (stream.rows() > 0) throw StateError("the beginning of this stream's slots is not on disk");
  return slot_boundary(static_cast<Seconds>(clock.time()), run.clock()->length);
}

}  // namespace

LiveSlots::LiveSlots(PreparedRun& run, RowFeed& feed, LiveInput& live, Place place, bool quiet)
    : stream_(&feed.stream()),
      rules_(&feed.rules()),
      live_(&live),
      shown_(!quiet && ::isatty(STDERR_FILENO) == 1),
      durable_(stream_->durable() != nullptr),
      has_times_(!run.clock()->time_column.empty()) {
  SlotClock clock(system_now());
  run.begin_at(beginning(run, *stream_, clock));
  feed_ = std::make_unique<SlotFeed>(run.row_map(), run.schedule(), *stream_, std::move(clock),
                                     SlotFeed::Options{.late = run.clock()->late,
                                                       .keep_interval = run.keep_interval(),
                                                       .people = rules_->person_limit(),
                                                       .slots_of_window = run.slots_of_window(),
                                                       .place = std::move(place)});
  live.meanwhile([this] { return work(); });
}

LiveSlots::~LiveSlots() {
  live_->meanwhile({});
  if (drawn_) fmt::print(stderr, "\r{}\r", std::string(79, ' '));
}

LiveInput::Due LiveSlots::work() {
  feed_->tick();
  if (feed_->is_over()) throw ScheduleOver();
  show();
  return std::chrono::steady_clock::now() + feed_->idle();
}

void LiveSlots::show() {
  if (!shown_) return;
  drawn_ = true;
  fmt::print(stderr, "\rslot {}, next release due at {}   ", feed_->slot() + 1, iso_text(feed_->due()));
  std::fflush(stderr);
}

void LiveSlots::take_rows(InputReader& reader) {
  reader.begin({.missing = rules_->missing().rules()});
  for (RowBatch batch; reader.next(batch);) {
    feed_->take(*rules_, batch);
    // Between batches alone: what is kept on the way out has the place after a batch only together with it.
    live_->check();
  }
}

void LiveSlots::end_input() {
  if (durable_) {
    print_note(fmt::format("the input ended; the slot until {} is kept, and the same command goes on with it",
                           iso_text(feed_->due())));
    return;
  }
  const Seconds due = feed_->due();
  print_note(fmt::format("the input ended; the last release is due at {}", iso_text(due)));
  while (feed_->due() == due) live_->pause();
}

void LiveSlots::tell_left_out() const {
  const std::size_t left_out = feed_->left_out(), rows = feed_->rows();
  if (left_out == 0) return;
  const std::string what = fmt::format(
      "{} of {} row(s) came before the first slot, or late with --late drop, and count nowhere; keep these "
      "numbers to "
      "yourself",
      left_out, rows);
  if (!has_times_ || 2 * left_out <= rows) return print_note(what);
  print_warning(what + "; if numbers in --time are not seconds since 1970, --time-unit says what they count");
}

void LiveSlots::take(const std::function<InputReader&()>& open) {
  try {
    static_cast<void>(work());
    take_rows(open());
    end_input();
  } catch (const ScheduleOver&) {
    // Every slot was released.
  } catch (...) {
    feed_->keep();
    if (durable_) print_note(fmt::format("the slot until {} is kept", iso_text(feed_->due())));
    tell_left_out();
    throw;
  }
  feed_->keep();
  stream_->end_input();
  tell_left_out();
}

}  // namespace jme::cli
