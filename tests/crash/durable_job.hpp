#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "temporary_folder.hpp"

namespace jme::test {

/// The output of a job before it ended or was killed.
struct JobResult {
  int code = -1;  ///< exit code, or 128 + signal
  std::string out, err;

  /// The lines that were written to their end.
  [[nodiscard]] std::string whole_lines() const { return out.substr(0, out.rfind('\n') + 1); }
};

struct JobOptions {
  std::optional<std::chrono::microseconds> kill_after{};  ///< kill -9, counted from the start
  std::string fault{};                                    ///< "kill:17", for the shim
  std::string fault_log{};
};

/// A run of jme with --state in a separate folder. The input is a file of `rows` rows and two columns, which
/// every run reads from its start.
class DurableJob : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  /// Writes the input and returns its path.
  std::string input(int rows, const std::string& name = "rows.csv", const std::string& value_of_row_7 = {});

  static JobResult start(const std::vector<std::string>& arguments, const JobOptions& options = {});
  /// How many calls the shim sees in a run without a fault.
  long calls_in(const std::vector<std::string>& arguments);
  void forget(const std::string& state) { std::filesystem::remove_all(path(state)); }

 private:
  TemporaryFolder folder_{TemporaryFolder::Where::in_memory};
};

/// `text` is the beginning of `whole`.
testing::AssertionResult begins(const std::string& whole, const std::string& text);

}  // namespace jme::test
