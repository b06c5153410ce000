#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace jme::data {

/// Tells whether a file that is followed still begins with the bytes that were read from it. Its size alone
/// does not tell: a file that was truncated in place may have grown beyond the old size since.
///
/// Compares the size, the first bytes and those before the current place, up to `most` each.
class ReadPrefix {
 public:
  static constexpr std::size_t most = 4096;

  /// Of a file whose bytes before `place` are passed over.
  static ReadPrefix of(int descriptor, std::uint64_t place);
  /// Takes note of the next bytes.
  void add(std::span<const char> bytes);
  [[nodiscard]] bool is_still_in(int descriptor) const;
  /// How many bytes it has.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::string head_, tail_;
  std::uint64_t size_ = 0;
};

}  // namespace jme::data
