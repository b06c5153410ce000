#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> commands{"run",         "bounds",    "plan",    "calibrate", "account",
                                        "sensitivity", "shape",     "compare", "audit", "ledger",    "serve",
                                        "token",       "reproduce", "demo"};

std::set<std::string> flags_in(const std::string& text) {
  static const std::regex pattern("--[a-z][a-z0-9-]*");
  std::set<std::string> flags;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), pattern); it != std::sregex_iterator(); ++it)
    flags.insert(it->str());
  return flags;
}

TEST(Help, EveryCommandHasExamples) {
  const CommandResult root = jme("--help");
  EXPECT_EQ(root.code, 0);
  EXPECT_EQ(root.err, "");
  for (const std::string& command : commands) {
    EXPECT_THAT(root.out, HasSubstr("\n  " + command));
    const CommandResult result = jme(command + " --help");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, HasSubstr("Usage: jme " + command));
    EXPECT_THAT(result.out, HasSubstr("Example"));
  }
}

TEST(Help, TheExamplesWorkWhenPasted) {
  const std::string directory = std::filesystem::path(binary()).parent_path().string();
  const std::string search = directory + ":" + std::getenv("PATH");
  for (const std::string& command : commands) {
    std::istringstream help(jme(command + " --help").out);
    bool examples = false;
    int run = 0;
    for (std::string line; std::getline(help, line);) {
      if (line.starts_with("Example")) examples = true;
      if (!examples || !line.starts_with("  ")) continue;
      const CommandResult result = execute("/bin/sh", {"-c", line}, {.environment = {{"PATH", search}}});
      EXPECT_EQ(result.code, 0) << line << "\n" << result.err;
      EXPECT_NE(result.out, "") << line;
      ++run;
    }
    EXPECT_GT(run, 0) << command;
  }
}

TEST(Help, TheVersionIsTheProjects) {
  const CommandResult result = jme("--version");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "jme " JME_VERSION "\n");
}

TEST(Help, UsageErrorsAreOneLineAndSayWhereToLook) {
  expect_refused(jme("run --frobnicate"), 2, "(see jme run --help)");
  expect_refused(jme("plan --sigma"), 2, "(see jme plan --help)");
  expect_refused(jme("plan --sigma 1 --sigma 2"), 2, "(see jme plan --help)");
  expect_refused(jme("fly"), 2, "unknown command fly: must be one of run, bounds, plan");
  expect_refused(jme("--fly"), 2, "(see jme --help)");
  expect_refused(jme("calibrate extra"), 2, "(see jme calibrate --help)");
  expect_refused(jme("run a.csv b.csv"), 2, "(see jme run --help)");
}

TEST(Help, WithoutACommandItIsShownOnStandardError) {
  const CommandResult result = jme("");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("Usage: jme"));
}

TEST(Help, ResultsDoNotFollowTheLocale) {
  const CommandOptions german{.environment = {{"LC_ALL", "de_DE.UTF-8"}, {"LANG", "de_DE.UTF-8"}}};
  EXPECT_EQ(jme("calibrate --epsilon 0.5 --delta 1e-6 --json", german).out,
            jme("calibrate --epsilon 0.5 --delta 1e-6 --json").out);
}

TEST(ManPage, NamesEveryFlagOfTheHelpAndNoOther) {
  std::string page = read_text(JME_SOURCE_DIR "/docs/man/jme.1");
  page = std::regex_replace(page, std::regex("\\\\-"), "-");
  std::set<std::string> known = flags_in(jme("--help").out);
  for (const std::string& command : commands) {
    known.merge(flags_in(jme(command + " --help").out));
    EXPECT_THAT(page, HasSubstr("jme " + command)) << command;
  }
  EXPECT_EQ(flags_in(page), known);
  EXPECT_THAT(page, HasSubstr("\"jme " JME_VERSION "\""));
}

TEST(GeneratedFiles, AreWhatTheirTablesGive) {
  const CommandResult result = execute(JME_GENERATE, {"--check", JME_SOURCE_DIR});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
}

TEST(ManPage, IsFormattedWithoutComplaint) {
  const CommandResult exists = execute("/bin/sh", {"-c", "command -v groff || true"});
  ASSERT_FALSE(exists.out.empty()) << "groff is missing: scripts/install-packages test installs it";
  const CommandResult result = execute("groff", {"-man", "-Tascii", "-ww", JME_SOURCE_DIR "/docs/man/jme.1"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
}

// Completions ask the command for its flags, so only the commands' names can go stale.
TEST(Completions, KnowEveryCommand) {
  for (const char* name : {"jme.bash", "_jme", "jme.fish"}) {
    const std::string text = read_text(std::string(JME_SOURCE_DIR "/apps/cli/completions/") + name);
    for (const std::string& command : commands) EXPECT_THAT(text, HasSubstr(command)) << name;
    EXPECT_THAT(text, HasSubstr("--help")) << name;
  }
}

TEST(Completions, BashOffersCommandsFlagsAndValues) {
  const std::string directory = std::filesystem::path(binary()).parent_path().string();
  const auto complete = [&](const std::string& typed) {
    const std::string script =
        "source " JME_SOURCE_DIR "/apps/cli/completions/jme.bash; COMP_WORDS=(" + typed +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _jme; printf '%s\\n' \"${COMPREPLY[@]}\"";
    return execute("bash", {"-c", script}, {.environment = {{"PATH", directory + ":" + std::getenv("PATH")}}})
        .out;
  };
  EXPECT_EQ(complete("jme cal"), "calibrate\n");
  EXPECT_THAT(complete("jme run --eps"), HasSubstr("--epsilon"));
  EXPECT_THAT(complete("jme run --method la"), HasSubstr("lambda-jme"));
  EXPECT_THAT(complete("jme calibrate --"), Not(HasSubstr("--rows")));
  EXPECT_EQ(complete("jme help cal"), "calibrate\n");
}

TEST(DemoCommand, ShowsPrivateBesideExactAndSaysWhyItMay) {
  const CommandResult first = jme("demo");
  EXPECT_EQ(first.code, 0) << first.err;
  for (const char* part : {"private", "exact", "noise_std", "public", "mean temp", "o private"})
    EXPECT_THAT(first.out, HasSubstr(part));
  EXPECT_NE(first.out, jme("demo").out);
}

}  // namespace
}  // namespace jme::test
