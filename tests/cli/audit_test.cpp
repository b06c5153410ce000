#include <fstream>

#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;

class AuditCommand : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = folder_.path() / name;
    std::ofstream(path) << text;
    return path;
  }
  std::string settings(const std::string& audit_flags) {
    const CommandResult printed = jme("run " + audit_flags + " --print-config");
    EXPECT_EQ(printed.code, 0) << printed.err;
    return file("run.json", printed.out);
  }
  TemporaryFolder folder_;
};

std::string audited_rows(int count, bool persons = false) {
  std::string text = persons ? "who,temp,co\n" : "temp,co\n";
  for (int t = 0; t < count; ++t) {
    if (persons) text += "p" + std::to_string(t % 40) + ",";
    text += std::to_string(t % 45) + "," + std::to_string((7 * t) % 100) + "\n";
  }
  return text;
}

const std::string audit_flags =
    "--bounds temp=-20:45,co=0:100 --epsilon 1 --delta 1e-6 --rows 400 --every 20";

TEST_F(AuditCommand, PassesWhereTheGuaranteeHoldsAndSaysThatItIsRawData) {
  const std::string config = settings(audit_flags);
  const std::string data = file("rows.csv", audited_rows(400)),
                    other = file("other.csv", "temp,co\n-20,100\n");
  const CommandResult result = jme("audit " + data + " --config " + config + " --change 17 --with " + other);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("RAW DATA"));
  EXPECT_THAT(result.out, HasSubstr("passed"));
  const auto object =
      jme("audit " + data + " --config " + config + " --change 17 --json --with " + other).json();
  EXPECT_NEAR(object["distance_found"].get<double>(), object["distance_by_theory"].get<double>(), 1e-9);
  EXPECT_LE(object["distance_found"], object["mu"]);
  EXPECT_GT(object["largest_known_distance"].get<double>(), 0.999 * object["mu"].get<double>());
  EXPECT_EQ(object["changed_blocks"], 1);
  EXPECT_EQ(object["passed"], true);
  EXPECT_THAT(object["raw_data"].get<std::string>(), HasSubstr("RAW DATA"));
}

TEST_F(AuditCommand, ChangesAllRowsOfAPerson) {
  const std::string config = settings(audit_flags + " --person who --rows-per-person 4");
  const std::string data = file("rows.csv", audited_rows(400, true));
  const auto removed = jme("audit " + data + " --config " + config + " --change-person p3 --json");
  EXPECT_EQ(removed.code, 0) << removed.out << removed.err;
  EXPECT_GT(removed.json()["changed_blocks"], 1);
  EXPECT_LE(removed.json()["distance_found"], removed.json()["mu"]);
  const std::string other = file("other.csv", "who,temp,co\np3,45,100\np3,-20,0\n");
  const auto replaced =
      jme("audit " + data + " --config " + config + " --change-person p3 --json --with " + other);
  EXPECT_EQ(replaced.code, 0) << replaced.out << replaced.err;
}

TEST_F(AuditCommand, TakesSlotsOfTime) {
  std::string data = "when,temp\n";
  for (int t = 0; t < 240; ++t) {
    data += "2026-01-01T" + std::string(t / 10 < 10 ? "0" : "") + std::to_string(t / 10) + ":10," +
            std::to_string(t % 45) + "\n";
  }
  const std::string config = settings(
      "--bounds temp=-20:45 --time when --every 1h --from 2026-01-01 --until 2026-01-02 --epsilon 1 --delta "
      "1e-6");
  const std::string path = file("rows.csv", data);
  const std::string same = file("same.csv", "when,temp\n2026-01-01T01:30,-20\n");
  const std::string moved = file("moved.csv", "when,temp\n2026-01-01T07:30,-20\n");
  const auto within = jme("audit " + path + " --config " + config + " --change 12 --json --with " + same);
  EXPECT_EQ(within.code, 0) << within.out << within.err;
  EXPECT_EQ(within.json()["changed_blocks"], 1);
  const auto across = jme("audit " + path + " --config " + config + " --change 12 --json --with " + moved);
  EXPECT_EQ(across.code, 0) << across.out << across.err;
  EXPECT_EQ(across.json()["changed_blocks"], 2);
  EXPECT_THAT(across.json()["limit_is"].get<std::string>(), HasSubstr("mu_of_moved_row"));
}

TEST_F(AuditCommand, RefusesAStateAndWhatIsNotThere) {
  const std::string data = file("rows.csv", audited_rows(400)),
                    other = file("other.csv", "temp,co\n-20,100\n");
  const std::string two = file("two.csv", "temp,co\n-20,100\n1,1\n");
  const std::string config = settings(audit_flags);
  const std::string command = "audit " + data + " --config " + config;
  expect_refused(jme(command + " --change 401 --with " + other), 2, "one of the 400 rows");
  expect_refused(jme(command + " --change 0 --with " + other), 2, "change");
  expect_refused(jme(command + " --change 4 --with " + two), 2, "one row");
  expect_refused(jme(command + " --change 4"), 2, "with");
  expect_refused(jme(command), 2, "change");
  expect_refused(jme(command + " --change-person p1"), 2, "no rows");
  const std::string durable = settings(audit_flags + " --state " + (folder_.path() / "state").string());
  expect_refused(jme("audit " + data + " --config " + durable + " --change 4 --with " + other), 2, "state");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "state"));
}

}  // namespace
}  // namespace jme::test
