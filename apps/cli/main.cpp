#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
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
  root.footer("jme COMMAND --help shows the flags and examples of a command; jme demo needs none.");
  const jme::cli::RunCommand run_command(root);
  const jme::cli::BoundsCommand bounds(root);
  const jme::cli::PlanCommand plan(root);
  const jme::cli::CalibrateCommand calibrate(root);
  const jme::cli::AccountCommand account(root);
  const jme::cli::SensitivityCommand sensitivity(root);
  const jme::cli::ShapeCommand shape(root);
  const jme::cli::LedgerCommand ledger(root);
  const jme::cli::ServeCommand serve(root);
  const jme::cli::TokenCommand token(root);
  const jme::cli::ReproduceCommand reproduce(root);
  const jme::cli::DemoCommand demo(root);

  if (argc <= 1) {
    std::fputs(root.help().c_str(), stderr);
    return ExitCode::usage;
  }
  const auto commands = root.get_subcommands([](const CLI::App*) { return true; });
  const bool is_known = std::any_of(commands.begin(), commands.end(),
                                    [&](const CLI::App* command) { return command->get_name() == argv[1]; });
  if (!is_known && argv[1][0] != '-') {
    std::string names;
    for (const CLI::App* command : commands) names += (names.empty() ? "" : ", ") + command->get_name();
    jme::cli::print_error(std::string("unknown command ") + argv[1] + ": must be one of " + names);
    return ExitCode::usage;
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
  return run_chosen(run_command, bounds, plan, calibrate, account, sensitivity, shape, ledger, serve, token,
                    reproduce, demo);
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
