#pragma once

#include <array>
#include <cstddef>

namespace jme {

/// Vectors whose next numbers are needed soon. Work that is limited by arithmetic (draws) asks for them to be
/// fetched meanwhile, so that work that is limited by memory (filters) does not wait. This is only advice to
/// the processor.
class Upcoming {
 public:
  void add(const double* vector) { add(vector, sizeof(double)); }
  void add(const float* vector) { add(vector, sizeof(float)); }
  /// Asks for numbers [begin, begin + count) of every vector.
  void fetch(std::size_t begin, std::size_t count) const {
    for (std::size_t v = 0; v < size_; ++v) {
      const Vector& vector = vectors_[v];
      for (std::size_t byte = begin * vector.width; byte < (begin + count) * vector.width; byte += 64)
        __builtin_prefetch(vector.bytes + byte, 1, 2);
    }
  }

 private:
  struct Vector {
    const char* bytes;
    std::size_t width;  // of a number, in bytes
  };
  void add(const void* vector, std::size_t width) {
    if (size_ < vectors_.size()) vectors_[size_++] = {static_cast<const char*>(vector), width};
  }

  std::array<Vector, 8> vectors_{};
  std::size_t size_ = 0;
};

}  // namespace jme
