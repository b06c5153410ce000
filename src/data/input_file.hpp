#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <jme/data/row_reader.hpp>

namespace jme::data {

/// The bytes of a file, or of standard input for "-", as they arrive: a slow pipe delivers what it has.
class InputFile {
 public:
  explicit InputFile(const std::string& path, BeforeRead before_read = {});
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// Reads at least one byte; returns 0 only at the end.
  std::size_t read(std::span<char> into);
  /// The name of the file in messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Fraction read, where the size is known.
  [[nodiscard]] std::optional<double> progress() const;

 private:
  std::string name_;
  BeforeRead before_read_;  // only where a read may wait
  int descriptor_;
  bool owned_;
  bool at_end_ = false;
  std::uint64_t size_ = 0;  // 0: unknown
  std::uint64_t taken_ = 0;
};

}  // namespace jme::data
