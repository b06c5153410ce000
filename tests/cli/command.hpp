#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "temporary_folder.hpp"

namespace jme::test {

/// How the command is started; by default with nothing on standard input and pipes for its output.
struct CommandOptions {
  std::string input{};
  std::vector<std::pair<std::string, std::string>> environment{};
  bool terminal_input = false;      ///< standard input is a terminal nobody types on
  bool terminal_error = false;      ///< standard error is a terminal
  std::string output_file{};        ///< standard output goes here instead of a pipe
  bool close_output_early = false;  ///< the reader of the pipe goes away after the first bytes
  int pause_between_lines_ms = 0;   ///< standard input arrives slowly
  /// Called in a process of its own instead of the program: for programs whose libraries take long to load.
  int (*instead)(int argc, char** argv) = nullptr;
};

struct CommandResult {
  int code = -1;  ///< exit code, or 128 + signal
  std::string out, err;

  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
  /// The lines of standard output, each an object.
  [[nodiscard]] std::vector<nlohmann::json> lines() const;
  /// The same without the metadata line.
  [[nodiscard]] std::vector<nlohmann::json> releases() const;
  /// The same as it was printed, which leaves out the words of the configuration.
  [[nodiscard]] std::string printed_releases() const { return out.substr(out.find('\n') + 1); }
};

/// Runs `program` with these arguments and collects its output.
CommandResult execute(const std::string& program, const std::vector<std::string>& arguments,
                      const CommandOptions& options = {});
/// The jme that is tested: the one that was built, or the one that JME_BINARY in the environment names.
const std::string& binary();
/// Runs jme.
CommandResult jme(const std::vector<std::string>& arguments, const CommandOptions& options = {});
/// "a b c" as {"a", "b", "c"}.
std::vector<std::string> words(const std::string& text);
/// jme with arguments separated by spaces.
CommandResult jme(const std::string& arguments, const CommandOptions& options = {});
std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b);

/// Expects a refusal: this exit code, one line "jme: error: ..." with this text, and nothing on standard
/// output.
void expect_refused(const CommandResult& result, int code, const std::string& text);

std::string read_text(const std::filesystem::path& path);

/// A test with a directory of its own.
class InDirectory : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  /// Writes a file and returns its path.
  [[nodiscard]] std::string file(const std::string& name, const std::string& content) const;

 private:
  TemporaryFolder folder_;
};

}  // namespace jme::test
