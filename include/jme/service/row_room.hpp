#pragma once

#include <cstddef>
#include <mutex>

namespace jme {

/// So many bytes of rows that all streams of a service may keep in memory until they are written. Rows can
/// take far more than the bytes they came in: a blank line is a row with all its cells. May be used by
/// several threads.
class RowRoom {
 public:
  explicit RowRoom(std::size_t most) : most_(most) {}
  RowRoom(const RowRoom&) = delete;
  RowRoom& operator=(const RowRoom&) = delete;

  /// Rows that are held as long as this object lives.
  class Part {
   public:
    /// Throws Busy where rows of other requests leave no room. Where there are none, any rows have room: how
    /// many one request may have is limited by itself. Null: no limit.
    Part(RowRoom* room, std::size_t bytes);
    Part(Part&& other) noexcept;
    Part& operator=(Part&& other) noexcept;
    ~Part();

   private:
    RowRoom* room_;
    std::size_t bytes_;
  };

 private:
  std::mutex mutex_;
  std::size_t most_, used_ = 0;
};

}  // namespace jme
