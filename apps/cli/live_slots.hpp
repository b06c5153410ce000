#pragma once

#include <exception>
#include <functional>
#include <memory>

#include <jme/clock/slots.hpp>
#include <jme/data/input_reader.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/row_feed.hpp>
#include <jme/pipeline/slot_feed.hpp>

#include "live_input.hpp"

namespace jme::cli {

/// Live input whose steps are slots of time: releases come by the clock, whether rows come or not.
class LiveSlots {
 public:
  /// Where the source can go on after the rows that were taken; empty where it cannot.
  using Place = std::function<SourcePlace()>;
  /// Tells the run when its first slot begins. `feed`, which resumes, and `live` outlive it. `quiet`: no line
  /// about the next release.
  LiveSlots(PreparedRun& run, RowFeed& feed, LiveInput& live, Place place, bool quiet);
  LiveSlots(const LiveSlots&) = delete;
  LiveSlots& operator=(const LiveSlots&) = delete;
  ~LiveSlots();

  /// Takes rows until all slots are released, or the input ends. `open`: opens the input here, so that slots
  /// end on time while not even a header has come. Where the input ends first, a durable stream keeps the
  /// open slot, and any other waits for its end.
  void take(const std::function<InputReader&()>& open);

 private:
  [[nodiscard]] LiveInput::Due work();
  void take_rows(InputReader& reader);
  void end_input();
  /// For the owner of the input alone: rows that count nowhere.
  void tell_left_out() const;
  void show();
  RunningStream* stream_;
  RowRules* rules_;
  LiveInput* live_;
  std::unique_ptr<SlotFeed> feed_;
  bool shown_, drawn_ = false, durable_, has_times_;
};

}  // namespace jme::cli
