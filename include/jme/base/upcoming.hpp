#pragma once

#include <array>
#include <cstddef>

namespace jme {

/// Vectors whose next numbers are needed soon. Work that is all arithmetic (draws) has them fetched on the
/// way, so that work that is all memory (filters) does not wait: never more than advice.
class Upcoming {
 public:
  void add(const double* vector) {
    if (size_ < vectors_.size()) vectors_[size_++] = vector;
  }
  /// Asks for numbers [begin, begin + count) of every vector.
  void fetch(std::size_t begin, std::size_t count) const {
    constexpr std::size_t line = 64 / sizeof(double);
    for (std::size_t v = 0; v < size_; ++v) {
      for (std::size_t i = 0; i < count; i += line) __builtin_prefetch(vectors_[v] + begin + i, 1, 2);
    }
  }

 private:
  std::array<const double*, 8> vectors_{};
  std::size_t size_ = 0;
};

}  // namespace jme
