#pragma once

#include <array>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <unordered_set>

namespace jme::test {

/// Numbers that must not be in any file, and the search for their eight bytes at every place of a file.
/// Numbers with few different bytes cannot serve as canaries: they may occur anywhere.
class Canaries {
 public:
  void add(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    add_bits(bits);
    if (std::abs(value) >= 0x1p16 && value == std::floor(value)) {
      add_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));  // the same as a whole number
    }
  }
  void add_all(std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 4) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + at, sizeof bits);
      add_bits(bits);
    }
  }
  /// The first eight digits of a number in text.
  void add_text(const std::string& digits) {
    if (digits.size() < 8) return;
    std::uint64_t bits = 0;
    std::memcpy(&bits, digits.data(), sizeof bits);
    add_bits(bits);
  }
  /// From here on, what the files of this folder hold cannot serve: they are without the secret.
  void leave_out_files(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      for (std::size_t at = 0; at + 8 <= bytes.size(); ++at) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes.data() + at, sizeof bits);
        left_out_.insert(bits);
      }
    }
  }
  [[nodiscard]] std::size_t size() const { return patterns_.size(); }

  /// How many places hold one of them.
  [[nodiscard]] std::size_t found_in(const std::string& bytes) const {
    std::size_t found = 0;
    for (std::size_t at = 0; at + 8 <= bytes.size(); ++at) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + at, sizeof bits);
      found += beginnings_[bits & 0xffffU] && patterns_.contains(bits) ? 1 : 0;
    }
    return found;
  }
  /// The same in all files of a folder.
  [[nodiscard]] std::size_t found_in_files(const std::filesystem::path& folder) const {
    std::size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      found += found_in({std::istreambuf_iterator<char>(file), {}});
    }
    return found;
  }

 private:
  void add_bits(std::uint64_t bits) {
    std::array<unsigned char, 8> bytes{};
    std::memcpy(bytes.data(), &bits, 8);
    if (std::set(bytes.begin(), bytes.end()).size() < 4 || left_out_.contains(bits)) return;
    patterns_.insert(bits);
    beginnings_.set(bits & 0xffffU);
  }
  std::unordered_set<std::uint64_t> patterns_, left_out_;
  std::bitset<65536> beginnings_;  // checking two bytes first avoids the set at most places
};

}  // namespace jme::test
