#pragma once

#include <array>
#include <cstdint>

namespace jme {

/// 256 secret bits. They are wiped when the object is destroyed.
class Key {
 public:
  /// From the system's generator (getrandom). Throws Error where that fails.
  static Key from_system();
  explicit Key(const std::array<std::uint8_t, 32>& bytes) : bytes_(bytes) {}
  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key();

  [[nodiscard]] const std::array<std::uint8_t, 32>& bytes() const { return bytes_; }

 private:
  std::array<std::uint8_t, 32> bytes_;
};

/// A key anybody can guess. For tests and reproducible experiments only: its noise protects nobody.
struct InsecureTestSeed {
  std::uint64_t value;
  [[nodiscard]] Key key() const;
};

/// Fresh public bytes that make two uses of one key independent.
using Nonce = std::array<std::uint8_t, 16>;
[[nodiscard]] Nonce nonce_from_system();

}  // namespace jme
