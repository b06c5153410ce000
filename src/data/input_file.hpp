#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <jme/data/input_options.hpp>

#include "data/read_prefix.hpp"

namespace jme::data {

/// How a file that grows is read (InputOptions::follow). `has_header`: its first line is no row, and is left
/// out when the file begins anew.
struct FileGrowth {
  InputOptions::Follow follow = InputOptions::Follow::no;
  bool has_header = false;
};

/// The bytes of a file, or of standard input for "-", as they arrive: a slow pipe delivers what it has.
class InputFile {
 public:
  explicit InputFile(const std::string& path, BeforeRead before_read = {}, FileGrowth growth = {});
  /// Text that is in memory, under a name for messages. It must live as long as this object.
  InputFile(std::string_view text, std::string name);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// Reads at least one byte; returns 0 only at the end, which a file that is followed does not have.
  std::size_t read(std::span<char> into);
  /// The name of the file in messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Whether a read may have to wait for bytes.
  [[nodiscard]] bool may_wait() const { return !text_ && (!is_regular_ || is_followed()); }
  /// Fraction read, where the size is known.
  [[nodiscard]] std::optional<double> progress() const;

 private:
  [[nodiscard]] bool is_followed() const { return growth_.follow != InputOptions::Follow::no; }
  void skip_to_end();
  void wait_for_growth();
  void check_prefix() const;
  std::size_t without_left_out(std::span<char> bytes);
  std::string path_, name_;
  BeforeRead before_read_;  // only where a read may wait
  int descriptor_;
  bool owned_;
  std::optional<std::string_view> text_{};  // in place of the descriptor
  bool at_end_ = false;
  FileGrowth growth_;
  bool is_regular_ = false;
  ReadPrefix read_{};             // of a file that is followed
  std::string ahead_{};           // bytes that are given before the file goes on
  bool leaves_out_line_ = false;  // up to the next line feed
  char last_ = '\n';              // byte given
  std::uint64_t size_ = 0;        // 0: unknown
  std::uint64_t taken_ = 0;
};

}  // namespace jme::data
