#include <algorithm>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/slot_sums.hpp>

namespace jme {

namespace {

constexpr std::size_t rows_at_a_time = 4096;

/// Of one slot's sums, all of which may have rows.
std::size_t bytes_of_slot(const RowMap& map) {
  const ReleaseLayout& layout = map.layout;
  const std::size_t pairs = layout.count_of_pairs() > 0 ? layout.moment_size() : 0;
  return sizeof(std::optional<BlockSum>) + layout.first_size() * sizeof(std::int64_t) +
         (layout.moment_size() + pairs) * sizeof(WideInt);
}

}  // namespace

std::string slot_id(const SlotSchedule& schedule, std::size_t slot) {
  return "slot until " + iso_text(schedule.end_of(slot));
}

void SlotSums::check_size(const RowMap& map, const SlotSchedule& schedule) {
  const std::size_t most = most_bytes / bytes_of_slot(map);
  if (schedule.count <= most) return;
  throw InvalidParameter(
      "every",
      fmt::format(
          "must be longer, or the time from from to until shorter: the sums of all {} slots are held "
          "in memory before the first release, and at most {} slots of so many columns fit into 2 GiB",
          schedule.count, most));
}

SlotSums::SlotSums(const RowMap& map, const SlotSchedule& schedule) : map_(map), schedule_(schedule) {
  check_size(map, schedule);
  sums_.resize(schedule.count);
}

bool SlotSums::add(Seconds time, std::span<const double> row) {
  const std::optional<std::size_t> slot = schedule_.slot_of(time);
  if (!slot) return false;
  waiting_.push_back({.slot = *slot, .place = waiting_.size()});
  rows_.insert(rows_.end(), row.begin(), row.end());
  if (waiting_.size() == rows_at_a_time) flush();
  return true;
}

// Rows of the same slot one after another. Sums are of whole numbers: the order of rows changes nothing.
void SlotSums::sort_waiting() {
  const std::size_t d = map_.layout.dimension;
  std::sort(waiting_.begin(), waiting_.end(),
            [](const Waiting& a, const Waiting& b) { return a.slot < b.slot; });
  sorted_.clear();
  for (const Waiting& row : waiting_) {
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(row.place * d);
    sorted_.insert(sorted_.end(), begin, begin + static_cast<std::ptrdiff_t>(d));
  }
}

void SlotSums::flush() {
  if (waiting_.empty()) return;
  sort_waiting();
  const std::size_t d = map_.layout.dimension;
  for (std::size_t done = 0; done < waiting_.size();) {
    const std::size_t slot = waiting_[done].slot;
    std::size_t end = done;
    while (end < waiting_.size() && waiting_[end].slot == slot) ++end;
    BlockSum part(map_);
    part.add_rows({.data = sorted_.data() + done * d,
                   .rows = end - done,
                   .columns = d,
                   .row_stride = static_cast<std::ptrdiff_t>(d)});
    if (!sums_[slot]) sums_[slot].emplace(map_, BlockSum::Of::slot);
    sums_[slot]->merge(part);
    done = end;
  }
  waiting_.clear();
  rows_.clear();
}

void SlotSums::merge(std::size_t slot, const BlockSum& part) {
  if (slot >= sums_.size()) {
    throw InvalidParameter(
        "block", fmt::format("its sums are of slot {}, and the schedule has {}", slot, sums_.size()));
  }
  if (!sums_[slot]) sums_[slot].emplace(map_);
  sums_[slot]->merge(part);
}

std::vector<std::size_t> SlotSums::with_rows() {
  flush();
  std::vector<std::size_t> slots;
  for (std::size_t slot = 0; slot < sums_.size(); ++slot) {
    if (sums_[slot]) slots.push_back(slot);
  }
  return slots;
}

BlockSum SlotSums::of(std::size_t slot) {
  flush();
  return sums_[slot] ? *sums_[slot] : BlockSum(map_);
}

void SlotSums::release_to(RunningStream& stream) {
  for (std::size_t slot = 0; slot < schedule_.count; ++slot) {
    stream.push_block(slot_id(schedule_, slot), of(slot));
    sums_[slot].reset();
  }
}

}  // namespace jme
