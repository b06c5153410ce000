#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace jme {

/// The header before the numbers of a saved part: which part it is, of which stream, after how many rows.
struct StateHeader {
  enum class Part : std::uint32_t { secret = 0x53656d6a, open = 0x4f656d6a };  // "jmeS", "jmeO"

  Part part;
  std::uint64_t rows, steps, first_size, second_size;

  bool operator==(const StateHeader&) const = default;
};

/// Header and numbers as bytes, little endian, with a version in front.
[[nodiscard]] std::vector<std::byte> encode_state(const StateHeader& header, std::span<const double> numbers);
/// The numbers. Throws StateError unless the bytes begin with exactly this header and hold exactly `count`
/// finite numbers.
[[nodiscard]] std::vector<double> decode_state(std::span<const std::byte> bytes, const StateHeader& header,
                                               std::size_t count);

}  // namespace jme
