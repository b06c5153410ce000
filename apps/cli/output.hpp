#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace jme::cli {

/// The other end of the pipe was closed. This is not an error: nobody reads the output any more.
class ReaderGone : public std::exception {};

/// Where results go: standard output or a file. Every write reaches the system before the call returns, so a
/// reader of a pipe gets each release at once, and a full disk is noticed at the release that did not fit.
class Output {
 public:
  /// Standard output.
  Output();
  /// A file; its old content stays until the first write. Throws Error where it cannot be opened.
  explicit Output(const std::string& path);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  /// Writes all of `text`. Throws ReaderGone or Error.
  void write(std::string_view text);
  /// Closes, and throws Error where the system reports a late failure.
  void close();
  [[nodiscard]] bool is_terminal() const;

 private:
  [[noreturn]] void fail(int error) const;
  std::string name_;
  int descriptor_;
  bool owned_;
  bool untouched_ = true;
};

/// True where both paths name the same existing file.
[[nodiscard]] bool same_file(const std::string& a, const std::string& b);

}  // namespace jme::cli
