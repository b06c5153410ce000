#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace jme::serve {

/// So many bytes, or other units, that all connections may hold together, and half of them those of one
/// token: whoever asks for much leaves others their share. May be used by several threads.
class Room {
 public:
  explicit Room(std::size_t most) : most_(most) {}
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  /// Units that are held as long as this object lives.
  class Part {
   public:
    Part(Room& room, std::size_t units, std::string owner)
        : room_(&room), units_(units), owner_(std::move(owner)) {}
    Part(Part&& other) noexcept
        : room_(std::exchange(other.room_, nullptr)), units_(other.units_), owner_(std::move(other.owner_)) {}
    Part& operator=(Part&& other) noexcept {
      std::swap(room_, other.room_);
      std::swap(units_, other.units_);
      std::swap(owner_, other.owner_);
      return *this;
    }
    ~Part() {
      if (room_ != nullptr) room_->give_back(units_, owner_);
    }

   private:
    Room* room_;
    std::size_t units_;
    std::string owner_;
  };

  /// For the token with this id; all who have none share one share. None where that would be too many in all,
  /// or too many of this owner. An owner that holds nothing may take any part that there is.
  [[nodiscard]] std::optional<Part> take(std::size_t units, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    if (units > most_ - used_) return std::nullopt;
    const auto held = held_.find(owner);
    if (held != held_.end() && held->second + units > std::max(most_ / 2, std::size_t{1})) {
      return std::nullopt;
    }
    used_ += units;
    held_[owner] += units;
    return std::optional<Part>(std::in_place, *this, units, owner);
  }

 private:
  void give_back(std::size_t units, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    used_ -= units;
    const auto held = held_.find(owner);
    if ((held->second -= units) == 0) held_.erase(held);
  }

  std::mutex mutex_;
  std::size_t most_, used_ = 0;
  std::map<std::string, std::size_t> held_;  // by owner; none holds 0
};

}  // namespace jme::serve
