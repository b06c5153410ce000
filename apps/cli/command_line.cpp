#include "command_line.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <jme/base/spelling.hpp>
#include <jme/version.hpp>

#include "commands.hpp"
#include "output.hpp"

namespace jme::cli {

namespace {

/// Every command with its flags.
struct CommandLine {
  CLI::App root{"Private running moments of a stream, under differential privacy", "jme"};
  RunCommand run{root};
  BoundsCommand bounds{root};
  PlanCommand plan{root};
  CalibrateCommand calibrate{root};
  AccountCommand account{root};
  SensitivityCommand sensitivity{root};
  ShapeCommand shape{root};
  CompareCommand compare{root};
  AuditCommand audit{root};
  LedgerCommand ledger{root};
  ServeCommand serve{root};
  TokenCommand token{root};
  ReproduceCommand reproduce{root};
  DemoCommand demo{root};

  CommandLine() {
    root.set_version_flag("--version", "jme " + std::string(version));
    root.require_subcommand(1);
    root.get_formatter()->column_width(28);
    root.footer("jme help COMMAND shows the flags and examples of a command; jme demo needs none.");
  }
  [[nodiscard]] std::vector<const CLI::App*> commands() const {
    return root.get_subcommands([](const CLI::App*) { return true; });
  }
};

/// The command the user was in when the flags went wrong: "jme run".
std::string current_command(const CLI::App& root) {
  const auto parsed = root.get_subcommands();
  return parsed.empty() ? "jme" : "jme " + parsed.front()->get_name();
}

/// What CLI11 says, with the nearest flag for one that there is not.
std::string usage_problem(const CLI::App& root, const CLI::ParseError& error, int argc, char** argv) {
  std::string said = error.what();
  if (const std::size_t many = said.find(": At Most 1 required"); many != std::string::npos) {
    return said.substr(0, many) + ": given more than once";
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return said;
  const auto parsed = root.get_subcommands();
  const CLI::App* command = parsed.empty() ? &root : parsed.front();
  const std::vector<std::string> unknown = root.remaining(true);
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  std::string word;
  for (int i = 1; i < argc; ++i) {  // CLI11 has them in another order
    const std::string given = argv[i];
    if (std::find(unknown.begin(), unknown.end(), given) == unknown.end()) continue;
    if (given.starts_with("-") && given.size() > 1) {
      const std::string flag = given.substr(0, given.find('='));
      return "unknown flag " + flag + ": the nearest known one is " + nearest_spelling(flag, known);
    }
    if (word.empty()) word = given;
  }
  return "unexpected word " + (word.empty() ? said : word);
}

/// The commands by name.
std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

ExitCode unknown_command(const std::string& word, const std::vector<const CLI::App*>& commands) {
  const std::vector<std::string> names = names_of(commands);
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  print_error("unknown command " + word + ": must be one of " + list + "; the nearest is " +
              nearest_spelling(word, names));
  return ExitCode::usage;
}

/// `jme help` and `jme help COMMAND`: what --help prints.
ExitCode help(const CLI::App& root, const std::vector<const CLI::App*>& commands,
              const std::vector<std::string>& words) {
  if (words.size() > 1) {
    print_error("unexpected word " + words[1] + ": help takes the name of one command (see jme --help)");
    return ExitCode::usage;
  }
  if (words.empty()) {
    Output().write(root.help());
    return ExitCode::ok;
  }
  for (const CLI::App* command : commands) {
    if (command->get_name() != words.front()) continue;
    Output().write(command->help("jme"));
    return ExitCode::ok;
  }
  return unknown_command(words.front(), commands);
}

/// A flag in the place of the command: an error, unless it is one of jme's own.
std::optional<ExitCode> refuse_unknown_flag(const CLI::App& root, const std::string& word) {
  std::vector<std::string> own;
  for (const CLI::Option* option : root.get_options()) {
    for (const std::string& name : option->get_lnames()) own.push_back("--" + name);
    for (const std::string& name : option->get_snames()) own.push_back("-" + name);
  }
  const std::string flag = word.substr(0, word.find('='));
  if (std::find(own.begin(), own.end(), flag) != own.end()) return std::nullopt;
  const bool is_version = flag == "-v" || flag == "-V";  // of other programs
  print_error("unknown flag " + flag + ": the nearest known one is " +
              (is_version ? "--version" : nearest_spelling(flag, own)) +
              "; flags of a command come after its name (see jme --help)");
  return ExitCode::usage;
}

/// Where a standard stream was closed, the next file that is opened would get its number and receive output
/// that is not meant for it. The placeholder is opened for the wrong direction, so that using it fails like
/// using a closed stream.
void occupy_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

template <class... Commands>
ExitCode run_chosen(const Commands&... commands) {
  ExitCode code = ExitCode::usage;
  static_cast<void>(((commands.chosen() && ((code = commands.run()), true)) || ...));
  return code;
}

ExitCode run(int argc, char** argv) {
  CommandLine line;
  CLI::App& root = line.root;
  if (argc <= 1) {
    std::fputs(root.help().c_str(), stderr);
    return ExitCode::usage;
  }
  const std::vector<const CLI::App*> commands = line.commands();
  const std::string first = argv[1];
  if (first == "help") return help(root, commands, {argv + 2, argv + argc});
  if (first.starts_with('-')) {
    if (const auto refused = refuse_unknown_flag(root, first)) return *refused;
  } else if (std::ranges::none_of(commands, [&](const CLI::App* c) { return c->get_name() == first; })) {
    return unknown_command(first, commands);
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    // The app whose --help was given: its own page.
    const auto parsed = root.get_subcommands();
    Output().write(parsed.empty() ? root.help() : parsed.front()->help("jme"));
    return ExitCode::ok;
  } catch (const CLI::CallForVersion& version) {
    Output().write(std::string(version.what()) + '\n');
    return ExitCode::ok;
  } catch (const CLI::ParseError& error) {
    print_error(usage_problem(root, error, argc, argv) + " (see " + current_command(root) + " --help)");
    return ExitCode::usage;
  }
  return run_chosen(line.run, line.bounds, line.plan, line.calibrate, line.account, line.sensitivity,
                    line.shape, line.compare, line.audit, line.ledger, line.serve, line.token, line.reproduce,
                    line.demo);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  occupy_standard_streams();
  // A closed pipe then shows as EPIPE at the next write, and the process ends quietly.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return static_cast<int>(run(argc, argv));
  } catch (...) {
    return static_cast<int>(report(std::current_exception()));
  }
}

std::vector<CommandDescription> describe_commands() {
  const CommandLine line;
  std::vector<CommandDescription> all;
  for (const CLI::App* command : line.commands()) {
    CommandDescription one{.name = command->get_name(), .about = command->get_description()};
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        one.flags.push_back(
            {.name = "--" + name, .value = option->get_expected_max() > 0 ? option->get_type_name() : ""});
      }
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace jme::cli
