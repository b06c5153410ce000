#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <jme/random/key.hpp>

namespace jme::store {

/// SipHash-2-4: a keyed function that costs about as much as reading its input. Without the key nobody can
/// tell its values from random ones, or find two inputs with the same value.
/// Source: Aumasson & Bernstein 2012.
class SipHash {
 public:
  explicit SipHash(const Key& key);
  /// 128 bits of bytes: SipHash-2-4 with its double-length output.
  [[nodiscard]] std::array<std::uint64_t, 2> digest(std::span<const std::byte> bytes) const;

 private:
  std::uint64_t k0_, k1_;
};

}  // namespace jme::store
