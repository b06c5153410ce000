#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <jme/base/errors.hpp>

namespace jme::store {

using Bytes = std::vector<std::byte>;

static_assert(std::endian::native == std::endian::little, "state files are little endian");

template <class T>
std::span<const std::byte> bytes_of(const T& values) {
  return std::as_bytes(std::span(values));
}

/// Fields one after another, each of a fixed length or preceded by its length, so that no two lists of fields
/// give the same bytes.
class ByteWriter {
 public:
  ByteWriter& number(std::uint64_t value) { return raw(std::as_bytes(std::span(&value, 1))); }
  ByteWriter& real(double value) { return raw(std::as_bytes(std::span(&value, 1))); }
  ByteWriter& field(std::span<const std::byte> value) { return number(value.size()).raw(value); }
  ByteWriter& text(std::string_view value) { return field(bytes_of(value)); }
  ByteWriter& raw(std::span<const std::byte> value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    return *this;
  }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

/// Reads the same fields back. Throws StateError where they end early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  T value() {
    T result;
    std::memcpy(&result, take(sizeof(T)).data(), sizeof(T));
    return result;
  }
  std::span<const std::byte> take(std::size_t count) {
    if (count > rest_.size()) throw StateError("a stored record ends early");
    const auto result = rest_.first(count);
    rest_ = rest_.subspan(count);
    return result;
  }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace jme::store
