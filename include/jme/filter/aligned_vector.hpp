#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace jme {

/// Begins on a cache line, so that SIMD loads of whole lines never straddle two.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>& /*other*/) {}  // NOLINT(google-explicit-constructor): rebinding

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* memory, std::size_t /*count*/) { ::operator delete(memory, line); }
  bool operator==(const LineAllocator& /*other*/) const { return true; }
};

using AlignedVector = std::vector<double, LineAllocator<double>>;

}  // namespace jme
