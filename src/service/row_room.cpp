#include <algorithm>
#include <utility>

#include <jme/service/row_room.hpp>
#include <jme/service/write_request.hpp>

namespace jme {

RowRoom::Part::Part(RowRoom* room, std::size_t bytes) : room_(room), bytes_(bytes) {
  if (room_ == nullptr) return;
  const std::lock_guard lock(room_->mutex_);
  if (room_->used_ > 0 && bytes > room_->most_ - std::min(room_->used_, room_->most_)) {
    throw Busy("too many rows wait to be written: send the same request again later");
  }
  room_->used_ += bytes;
}

RowRoom::Part::Part(Part&& other) noexcept
    : room_(std::exchange(other.room_, nullptr)), bytes_(other.bytes_) {}

RowRoom::Part& RowRoom::Part::operator=(Part&& other) noexcept {
  std::swap(room_, other.room_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

RowRoom::Part::~Part() {
  if (room_ == nullptr) return;
  const std::lock_guard lock(room_->mutex_);
  room_->used_ -= bytes_;
}

}  // namespace jme
