#include "command_line.hpp"

#include <cstdio>
#include <exception>
#include <string>

#include <jme/base/errors.hpp>
#include <jme/version.hpp>

#include "commands.hpp"

namespace jme::train {
namespace {

int complain(const std::exception& error, int code) {
  std::fprintf(stderr, "jme-train: error: %s\n", error.what());
  return code;
}

int run(int argc, char** argv) {
  CLI::App root("Trains networks under differential privacy, with both of Adam's moments estimated jointly",
                "jme-train");
  root.set_version_flag("--version", "jme-train " + std::string(jme::version));
  root.require_subcommand(1);
  const RunCommand train(root);
  const ReproduceCommand reproduce(root);
  const ChartCommand chart(root);
  if (argc > 1 && argv[1][0] != '-' &&
      root.get_subcommands([&](const CLI::App* one) { return one->get_name() == argv[1]; }).empty())
    throw InvalidParameter("command", argv[1], "run, reproduce or chart");
  try {
    root.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto parsed = root.get_subcommands();
    std::fputs((parsed.empty() ? root.help() : parsed.front()->help("jme-train")).c_str(), stdout);
    return 0;
  } catch (const CLI::CallForVersion& version) {
    std::printf("%s\n", version.what());
    return 0;
  } catch (const CLI::ParseError& error) {
    const auto begun = root.get_subcommands();
    std::fprintf(stderr, "jme-train: error: %s (see jme-train%s --help)\n", error.what(),
                 begun.empty() ? "" : (" " + begun.front()->get_name()).c_str());
    return 2;
  }
  if (train.chosen()) train.run();
  if (reproduce.chosen()) reproduce.run();
  if (chart.chosen()) chart.run();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw Error("standard output: cannot be written");
  return 0;
}

}  // namespace

int command_line(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const InvalidParameter& error) {
    return complain(error, 2);
  } catch (const DataError& error) {
    return complain(error, 3);
  } catch (const BudgetExhausted& error) {
    return complain(error, 4);
  } catch (const StateError& error) {
    return complain(error, 5);
  } catch (const std::exception& error) {
    return complain(error, 1);
  }
}

}  // namespace jme::train
