#pragma once

#include <string>
#include <vector>

namespace jme::cli {

/// Does what the command line says, as main() does; returns its exit code.
[[nodiscard]] int run_command_line(int argc, char** argv);

struct FlagDescription {
  std::string name;   ///< "--norm-bound"
  std::string value;  ///< how help names its value: "Z"; empty where it has none
};

struct CommandDescription {
  std::string name, about;
  std::vector<FlagDescription> flags{};
};

/// All commands, for completions and pages about them.
[[nodiscard]] std::vector<CommandDescription> describe_commands();

}  // namespace jme::cli
