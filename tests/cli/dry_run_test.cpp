// What a run would promise, from its flags alone.
#include <regex>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;

class DryRun : public InDirectory {};

const std::string budget = "run --epsilon 1 --delta 1e-6 ";
const std::string in_unit_ball = budget + "--norm-bound 1 --rows 10 --dry-run ";

TEST_F(DryRun, SaysWhatItWouldDoAndOpensNothing) {
  const CommandResult result =
      jme("run " + path("missing.csv") +
          " --bounds temp=-20:45,co=0:100 --epsilon 1 --delta 1e-6 --rows 1000 --every 10 --dry-run");
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* part : {"100 releases", "epsilon = 1", "delta = 1e-06", "one row is replaced",
                           "at most 1000 rows", "clamped to its column's bounds", "Not promised",
                           "Public, not protected", "temp", "No row of data was read"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
}

TEST_F(DryRun, SpeaksOfSeveralRowsAPerson) {
  const CommandResult result =
      jme(budget +
          "--norm-bound 1 --rows 100 --dimension 2 --dry-run --participations 3 --separation 7 "
          "--adjacency add-remove --method ime");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("at most 3"));
  EXPECT_THAT(std::regex_replace(result.out, std::regex("\\s+"), " "), HasSubstr("at least 7 rows apart"));
}

TEST_F(DryRun, TellsThatABudgetIsWeakAndRefusesADeltaOfATenth) {
  const std::string stream = " --bounds a=0:1 --rows 1000 --dry-run";
  for (const std::string json : {"", " --json"}) {
    const auto planned = [&](const std::string& spends) { return jme("run " + spends + stream + json); };
    EXPECT_EQ(planned("--epsilon 10 --delta 1e-3").err, "");
    const CommandResult weak = planned("--epsilon 11 --delta 1e-2");
    EXPECT_EQ(weak.code, 0);
    EXPECT_THAT(weak.err, HasSubstr("note: epsilon = 11 is above 10"));
    EXPECT_THAT(weak.err, HasSubstr("note: delta = 0.01 is above 1/rows = 0.001"));
    if (!json.empty()) {
      EXPECT_EQ(weak.json()["privacy"]["notes"].size(), 2U);
    }
    expect_refused(planned("--epsilon 1 --delta 0.1"), 2, "delta = 0.1: must be below 0.1");
    EXPECT_THAT(planned("--epsilon 1 --delta 0.1").err, HasSubstr("allow-weak"));
    const CommandResult allowed = planned("--epsilon 1 --delta 0.1 --allow-weak");
    EXPECT_EQ(allowed.code, 0) << allowed.err;
    EXPECT_THAT(allowed.err, HasSubstr("above 1/rows"));
  }
  const std::string weak = file("run.json", R"({"epsilon":1,"delta":0.2,"bounds":{"a":[0,1]},"rows":9)");
  expect_refused(jme("run --dry-run --config " + file("weak.json", read_text(weak) + "}")), 2,
                 "delta = 0.2");
  EXPECT_EQ(
      jme("run --dry-run --config " + file("weak.json", read_text(weak) + R"(,"allow_weak":true})")).code,
      0);
}

// Opening a pipe that nobody writes to would wait for ever.
TEST_F(DryRun, OpensNeitherFilesNorStandardInput) {
  ASSERT_EQ(::mkfifo(path("pipe.csv").c_str(), 0600), 0);
  const std::string bounds = "--bounds temp=-20:45,co=0:100 --rows 10 --dry-run ";
  for (const std::string json : {"", " --json"}) {
    for (const std::string name : {"pipe.csv", "missing.csv", "missing.npy", "missing.csv.gz"}) {
      const CommandResult result = jme(budget + bounds + path(name) + json);
      EXPECT_EQ(result.code, 0) << name << ": " << result.err;
      EXPECT_EQ(result.err, "") << name;
    }
    // The real run finds columns that are not there, before anything is spent.
    EXPECT_EQ(jme(budget + bounds + file("other.csv", "a,b\n1,2\n") + json).code, 0);
    EXPECT_EQ(jme(budget + bounds + json, {.terminal_input = true}).code, 0);
  }
}

TEST_F(DryRun, AsksForWhatOnlyAFileCouldTell) {
  const std::string data = file("data.csv", "a,b,c\n1,2,3\n");
  for (const std::string input : {"", "--no-header ", "--format ndjson ", "--format npy "}) {
    expect_refused(jme(in_unit_ball + input + data), 2,
                   "dimension: must be given (or columns, or bounds) for a dry run");
    expect_refused(jme(in_unit_ball + input, {.input = "a,b,c\n1,2,3\n"}), 2, "dimension: must be given");
    EXPECT_EQ(jme(in_unit_ball + input + "--dimension 3 " + data).code, 0);
    EXPECT_EQ(jme(in_unit_ball + input + "--columns a,b " + data).code, 0);
  }
  EXPECT_THAT(jme(in_unit_ball + "--dimension 3 " + data).out, HasSubstr("3 column(s)"));
}

TEST_F(DryRun, AsJsonIsTheFirstLineOfTheRun) {
  const std::string rows = "temp,co\n1,2\n3,4\n";
  const std::string bare = "0.1,0.2\n0.3,0.4\n";
  struct Case {
    std::string flags, input;
  };
  const std::string bounds = "--bounds temp=-20:45,co=0:100 ";
  for (const Case& c :
       {Case{bounds, rows},
        {bounds + "--every 2 --emit mean,correlation --psd --missing mean,co=3", rows},
        {bounds + "--columns co,temp --on-bad-row zero --raw", rows},
        {bounds + "--workload decay:0.9 --shape sqrt --adjacency add-remove --lambda 1", rows},
        {bounds + "--participations 2 --method ime --insecure-test-seed 5", rows},
        {"--norm-bound 3 --columns co", rows},
        {"--norm-bound 3 --no-header --dimension 2", bare},
        {"--norm-bound 3 --no-header --bounds 1=0:1,2=0:1 --second diagonal", bare}}) {
    const std::string flags = budget + "--rows 20 " + c.flags;
    const CommandResult dry = jme(flags + " --dry-run --json");
    EXPECT_EQ(dry.code, 0) << dry.err;
    const CommandResult run = jme(flags, {.input = c.input});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(dry.out, run.out.substr(0, run.out.find('\n') + 1)) << c.flags;
  }
}

TEST_F(DryRun, AsJsonIsTheFirstLineOfADurableRunAndLeavesNoState) {
  const std::string flags = budget + "--rows 20 --bounds temp=-20:45,co=0:100 --state " + path("state");
  const CommandResult dry = jme(flags + " --dry-run --json");
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_FALSE(std::filesystem::exists(path("state")));
  const CommandResult run = jme(flags, {.input = "temp,co\n1,2\n"});
  EXPECT_EQ(dry.out, run.out.substr(0, run.out.find('\n') + 1));
}

TEST_F(DryRun, AsJsonNeedsTheColumnsNames) {
  for (const std::string input : {"", "--format ndjson "}) {
    expect_refused(jme(in_unit_ball + input + "--dimension 2 --json"), 2,
                   "columns: must be given (or bounds) for a dry run with json");
  }
  for (const std::string numbered : {"--no-header", "--format npy"}) {
    const CommandResult result = jme(in_unit_ball + "--dimension 2 --json " + numbered);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.json()["columns"], nlohmann::json({"1", "2"}));
  }
}

TEST_F(DryRun, JsonWithoutItIsNamedAndChangesNothing) {
  const std::string run = budget + "--norm-bound 1 --rows 2 --insecure-test-seed 1 ";
  const CommandResult with = jme(run + "--json", {.input = "a\n0.1\n"});
  EXPECT_EQ(with.code, 0);
  EXPECT_THAT(with.err, HasSubstr("--json is used with --dry-run"));
  EXPECT_EQ(with.out, jme(run, {.input = "a\n0.1\n"}).out);
}

}  // namespace
}  // namespace jme::test
