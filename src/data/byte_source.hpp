#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/decoder.hpp"
#include "data/input_file.hpp"

namespace jme::data {

/// A file's bytes, decompressed as its name or `compression` says; the bytes themselves never decide it.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path, Compression compression = Compression::automatic,
                      BeforeRead before_read = {}, FileGrowth growth = {});

  /// Text that is in memory (InputOptions::text).
  ByteSource(std::string_view text, const std::string& name) : file_(text, name) {}

  /// Reads at least one byte; returns 0 only at the end.
  std::size_t read(std::span<char> into);
  [[nodiscard]] const std::string& name() const { return file_.name(); }
  [[nodiscard]] bool may_wait() const { return file_.may_wait(); }
  [[nodiscard]] std::optional<double> progress() const { return file_.progress(); }

 private:
  std::span<const char> pending() const;
  bool fill();  // false at the end of the file

  InputFile file_;
  std::vector<char> buffer_;  // as stored in the file
  std::size_t begin_ = 0, filled_ = 0;
  bool file_ended_ = false;
  std::unique_ptr<Decoder> decoder_;  // none: plain
};

}  // namespace jme::data
