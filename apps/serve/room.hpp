#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace jme::serve {

/// So many bytes that all connections may hold together. May be used by several threads.
class Room {
 public:
  explicit Room(std::size_t most) : most_(most) {}
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  /// Bytes that are held as long as this object lives.
  class Part {
   public:
    Part(Room& room, std::size_t bytes) : room_(&room), bytes_(bytes) {}
    Part(Part&& other) noexcept : room_(std::exchange(other.room_, nullptr)), bytes_(other.bytes_) {}
    Part& operator=(Part&& other) noexcept {
      std::swap(room_, other.room_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Part() {
      if (room_ != nullptr) room_->used_ -= bytes_;
    }

   private:
    Room* room_;
    std::size_t bytes_;
  };

  /// None where that would be too many.
  [[nodiscard]] std::optional<Part> take(std::size_t bytes) {
    if (used_.fetch_add(bytes) + bytes <= most_) return std::optional<Part>(std::in_place, *this, bytes);
    used_ -= bytes;
    return std::nullopt;
  }

 private:
  std::size_t most_;
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace jme::serve
