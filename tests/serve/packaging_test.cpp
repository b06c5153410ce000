#include <regex>
#include <set>

#include <gmock/gmock.h>

#include "cli/command.hpp"
#include "serve/server.hpp"

namespace jme::test {
namespace {

class ServerFiles : public Served {
 protected:
  static std::string file(const std::string& name) {
    return read_text(std::filesystem::path(JME_SOURCE_DIR) / "packaging/server" / name);
  }
};

TEST_F(ServerFiles, OfGrafanaShowMetricsThatTheServerHas) {
  start();
  create();
  const std::string exposed =
      ask(port(), "GET", "/metrics", admin_).body + ask(port(), "GET", "/internal/metrics", admin_).body;
  std::set<std::string> known, shown;
  const std::regex type("# TYPE (jme_[a-z_]+)"), name("jme_[a-z_]+");
  for (std::sregex_iterator found(exposed.begin(), exposed.end(), type), end; found != end; ++found) {
    known.insert((*found)[1]);
  }
  const nlohmann::json board = nlohmann::json::parse(file("grafana.json"));
  for (const nlohmann::json& panel : board.at("panels")) {
    ASSERT_FALSE(panel.at("targets").empty()) << panel.at("title");
    for (const nlohmann::json& target : panel.at("targets")) {
      const std::string expression = target.at("expr");
      for (std::sregex_iterator found(expression.begin(), expression.end(), name), end; found != end;
           ++found) {
        shown.insert(found->str());
      }
    }
  }
  // The name of a column is any text: as a regular expression it would be another one.
  EXPECT_EQ(board.dump().find("=~"), std::string::npos);
  for (const nlohmann::json& variable : board.at("templating").at("list")) {
    EXPECT_FALSE(variable.value("multi", false) || variable.value("includeAll", false)) << variable;
  }
  EXPECT_THAT(known, testing::IsSupersetOf(shown));
  EXPECT_GE(shown.size(), 10U);
  EXPECT_TRUE(shown.contains("jme_mean_noise_std"));
}

TEST_F(ServerFiles, OfDockerRunTheServerAsAnOrdinaryUserFromTheDebianPackage) {
  const std::string image = file("Dockerfile");
  const std::size_t last_stage = image.rfind("\nFROM debian:12-slim\n");
  ASSERT_NE(last_stage, std::string::npos);
  const std::string stage = image.substr(last_stage);
  EXPECT_NE(stage.find("\nUSER jme\n"), std::string::npos);
  EXPECT_NE(stage.find("jme_*.deb"), std::string::npos);
  // Of a tree that was built: caches with the paths of that machine are not copied.
  EXPECT_NE(image.find("\nCOPY . .\n"), std::string::npos);
  EXPECT_NE(read_text(std::filesystem::path(JME_SOURCE_DIR) / ".dockerignore").find("\nbuild\n"),
            std::string::npos);
  // What the container runs is a command that the program takes.
  std::smatch command;
  ASSERT_TRUE(std::regex_search(stage, command, std::regex("\nCMD (\\[.*\\])")));
  std::vector<std::string> words = nlohmann::json::parse(command[1].str()).get<std::vector<std::string>>();
  ASSERT_EQ(words.at(2), "/state");
  words[2] = state().string();
  words.push_back("--connections");
  words.emplace_back("0");  // the only thing that is wrong
  expect_refused(jme(words), 2, "connections");
}

}  // namespace
}  // namespace jme::test
