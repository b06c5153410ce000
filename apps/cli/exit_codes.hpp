#pragma once

#include <exception>
#include <string_view>

namespace jme::cli {

/// What the process returns; scripts rely on these numbers.
enum class ExitCode : int {
  ok = 0,
  other = 1,      ///< anything else: no memory, disk full
  usage = 2,      ///< a wrong flag or parameter
  data = 3,       ///< input that cannot be used
  exhausted = 4,  ///< a row past the horizon, or a spent budget
  state = 5,      ///< durable state locked, corrupt or of another configuration
  audit = 6,      ///< an audit found that the guarantee does not hold
};

/// Prints "jme: error: ..." on stderr, one line, control characters replaced.
void print_error(std::string_view message);
void print_warning(std::string_view message);
void print_note(std::string_view message);

/// Says on stderr what went wrong and returns the code of its class.
[[nodiscard]] ExitCode report(const std::exception_ptr& error);

}  // namespace jme::cli
