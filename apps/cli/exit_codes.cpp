#include "exit_codes.hpp"

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "output.hpp"
#include "stop_signals.hpp"

namespace jme::cli {

namespace {

void print_line(std::string_view kind, std::string_view message) {
  std::string line = fmt::format("jme: {}: ", kind);
  // A column name or a file name may contain anything; a terminal must not interpret it, and one error stays
  // one line.
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

/// The message, with the setting that would help spelled as a flag.
std::string with_flag(const DataError& error) {
  std::string text = error.what();
  if (!error.remedy()) return text;
  const std::size_t at = text.rfind(error.remedy()->words());  // a file's name stands before it
  return at == std::string::npos ? text : text.insert(at, "--");
}

}  // namespace

void print_error(std::string_view message) {
  print_line("error", message);
}
void print_warning(std::string_view message) {
  print_line("warning", message);
}
void print_note(std::string_view message) {
  print_line("note", message);
}

ExitCode report(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InvalidParameter& e) {
    print_error(e.what());
    return ExitCode::usage;
  } catch (const DataError& e) {
    print_error(with_flag(e));
    return ExitCode::data;
  } catch (const BudgetExhausted& e) {
    print_error(e.what());
    return ExitCode::exhausted;
  } catch (const StateError& e) {
    print_error(e.what());
    return ExitCode::state;
  } catch (const Stopped& e) {
    die_of(e.signal());
  } catch (const ReaderGone&) {
    return ExitCode::ok;  // `jme run ... | head` has read all that it wanted
  } catch (const std::bad_alloc&) {
    print_error("not enough memory for this horizon and dimension; a larger --every makes fewer steps");
  } catch (const std::length_error&) {
    print_error("not enough memory for this horizon and dimension; a larger --every makes fewer steps");
  } catch (const std::exception& e) {
    print_error(e.what());
  }
  return ExitCode::other;
}

}  // namespace jme::cli
