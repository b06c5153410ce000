#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/record_source.hpp"

namespace jme::data {

/// Where the delimiters, line feeds, quotes and NUL bytes of a text are, ahead of whoever reads its records.
class CsvMarks {
 public:
  explicit CsvMarks(char delimiter) : delimiter_(delimiter) {}

  /// Goes to the rest of the records.
  void go_to(const RecordSource& records);
  /// The next `count` marks, as distances from base(); null where fewer are at hand.
  const std::uint32_t* next(std::size_t count) {
    return filled_ - cursor_ >= count || find(count) ? places_.data() + cursor_ : nullptr;
  }
  void pass(std::size_t count) { cursor_ += count; }
  [[nodiscard]] const char* base() const { return base_; }

 private:
  bool find(std::size_t count);

  char delimiter_;
  const char* base_ = nullptr;
  std::size_t size_ = 0;      // of the text
  std::size_t searched_ = 0;  // of its bytes
  std::size_t fills_ = 0;     // RecordSource::fills of the text
  std::vector<std::uint32_t> places_{};
  std::size_t cursor_ = 0, filled_ = 0;
};

}  // namespace jme::data
