#include "moments/state_bytes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <jme/base/errors.hpp>

namespace jme {
namespace {

static_assert(std::endian::native == std::endian::little, "saved states are little endian");

constexpr std::uint32_t version = 2;
constexpr std::size_t header_bytes = 2 * sizeof(std::uint32_t) + 4 * sizeof(std::uint64_t);

template <class Value>
void append(std::vector<std::byte>& bytes, const Value& value) {
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(Value));
}

std::vector<std::byte> encode(const StateHeader& header, std::size_t reserve) {
  std::vector<std::byte> bytes;
  bytes.reserve(header_bytes + reserve);
  append(bytes, header.part);
  append(bytes, version);
  for (const std::uint64_t value : {header.rows, header.steps, header.first_size, header.second_size}) {
    append(bytes, value);
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> encode_state(const StateHeader& header, std::span<const double> numbers) {
  std::vector<std::byte> bytes = encode(header, numbers.size_bytes());
  const auto raw = std::as_bytes(numbers);
  bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

std::vector<double> decode_state(std::span<const std::byte> bytes, const StateHeader& header,
                                 std::size_t count) {
  const std::vector<std::byte> expected = encode(header, 0);
  if (bytes.size() < header_bytes || !std::equal(expected.begin(), expected.end(), bytes.begin())) {
    throw StateError("state: is of another stream, moment or version");
  }
  const auto raw = bytes.subspan(header_bytes);
  if (raw.size() % sizeof(double) != 0 || raw.size() / sizeof(double) != count) {
    throw StateError("state: has the wrong size");
  }
  std::vector<double> numbers(count);
  if (count != 0) std::memcpy(numbers.data(), raw.data(), raw.size());
  if (!std::all_of(numbers.begin(), numbers.end(), [](double value) { return std::isfinite(value); })) {
    throw StateError("state: has a number that is not finite");
  }
  return numbers;
}

}  // namespace jme
