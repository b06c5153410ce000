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

namespace {

using jme::cli::ExitCode;

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
      return "unknown flag " + flag + ": the nearest known one is " + jme::nearest_spelling(flag, known);
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
  jme::cli::print_error("unknown command " + word + ": must be one of " + list + "; the nearest is " +
                        jme::nearest_spelling(word, names));
  return ExitCode::usage;
}

/// `jme help` and `jme help COMMAND`: what --help prints.
ExitCode help(const CLI::App& root, const std::vector<const CLI::App*>& commands,
              const std::vector<std::string>& words) {
  if (words.size() > 1) {
    jme::cli::print_error("unexpected word " + words[1] +
                          ": help takes the name of one command (see jme --help)");
    return ExitCode::usage;
  }
  if (words.empty()) {
    jme::cli::Output().write(root.help());
    return ExitCode::ok;
  }
  for (const CLI::App* command : commands) {
    if (command->get_name() != words.front()) continue;
    jme::cli::Output().write(command->help("jme"));
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
  jme::cli::print_error("unknown flag " + flag + ": the nearest known one is " +
                        (is_version ? "--version" : jme::nearest_spelling(flag, own)) +
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
  CLI::App root("Private running moments of a stream, under differential privacy", "jme");
  root.set_version_flag("--version", "jme " + std::string(jme::version));
  root.require_subcommand(1);
  root.get_formatter()->column_width(28);
  root.footer("jme help COMMAND shows the flags and examples of a command; jme demo needs none.");
  const jme::cli::RunCommand run_command(root);
  const jme::cli::BoundsCommand bounds(root);
  const jme::cli::PlanCommand plan(root);
  const jme::cli::CalibrateCommand calibrate(root);
  const jme::cli::AccountCommand account(root);
  const jme::cli::SensitivityCommand sensitivity(root);
  const jme::cli::ShapeCommand shape(root);
  const jme::cli::CompareCommand compare(root);
  const jme::cli::AuditCommand audit(root);
  const jme::cli::LedgerCommand ledger(root);
  const jme::cli::ServeCommand serve(root);
  const jme::cli::TokenCommand token(root);
  const jme::cli::ReproduceCommand reproduce(root);
  const jme::cli::DemoCommand demo(root);

  if (argc <= 1) {
    std::fputs(root.help().c_str(), stderr);
    return ExitCode::usage;
  }
  const auto commands = std::as_const(root).get_subcommands([](const CLI::App*) { return true; });
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
    jme::cli::Output().write(parsed.empty() ? root.help() : parsed.front()->help("jme"));
    return ExitCode::ok;
  } catch (const CLI::CallForVersion& version) {
    jme::cli::Output().write(std::string(version.what()) + '\n');
    return ExitCode::ok;
  } catch (const CLI::ParseError& error) {
    jme::cli::print_error(usage_problem(root, error, argc, argv) + " (see " + current_command(root) +
                          " --help)");
    return ExitCode::usage;
  }
  return run_chosen(run_command, bounds, plan, calibrate, account, sensitivity, shape, compare, audit, ledger,
                    serve, token, reproduce, demo);
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  // A closed pipe then shows as EPIPE at the next write, and the process ends quietly.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return static_cast<int>(run(argc, argv));
  } catch (...) {
    return static_cast<int>(jme::cli::report(std::current_exception()));
  }
}
