// Streams that cannot be opened, and machines that are too small.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command.hpp"
#include "serve/server.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

class BrokenState : public Served {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(state() / name, std::ios::binary | std::ios::trunc) << text;
    std::filesystem::permissions(state() / name,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  /// Takes the first file with this ending away.
  void remove_file(const std::string& ending) const {
    for (const auto& entry : std::filesystem::directory_iterator(state())) {
      if (!entry.path().string().ends_with(ending)) continue;
      std::filesystem::remove(entry.path());
      return;
    }
    FAIL() << "no file " << ending;
  }
  [[nodiscard]] HttpReply get(const std::string& target, const std::string& token = "") const {
    return ask(port(), "GET", target, token.empty() ? admin_ : token);
  }
};

TEST_F(BrokenState, OfAStreamIsSaidAndNotPassedForAnEmptyOne) {
  start();
  create();
  ASSERT_EQ(post_rows(some_csv(25)).status, 202);
  server_.reset();
  remove_file(".key");
  start();
  const std::string reader = token("read"), writer = token("write");
  for (const std::string& who : {admin_, reader}) {
    const Json shown = get("/v1/streams/air", who).json();
    EXPECT_EQ(shown.at("condition"), "problem");
    EXPECT_TRUE(shown.at("releases").is_null());
    EXPECT_TRUE(shown.at("t").is_null());
    EXPECT_TRUE(shown.at("budget").at("spent").is_null());
    EXPECT_GT(shown.at("budget").at("mu"), 0.1);
    EXPECT_EQ(shown.contains("problem"), who == admin_);
    EXPECT_EQ(get("/v1/streams", who).json().at("streams").at(0), shown);
  }
  for (const char* call : {"releases", "latest", "compare", "events"}) {
    EXPECT_EQ(get(fmt::format("/v1/streams/air/{}", call)).status, 503) << call;
  }
  EXPECT_EQ(post_rows(some_csv(1), "", writer).status, 503);
  EXPECT_THAT(get("/metrics").body, Not(HasSubstr("jme_releases_total{")));
  EXPECT_THAT(get("/internal/metrics").body, HasSubstr("jme_problem{stream=\"air\"} 1\n"));
  // The whole budget of a stream whose configuration can be read is in the total.
  const Json ledger = get("/v1/ledger").json();
  EXPECT_EQ(ledger.at("streams").at(0).at("condition"), "problem");
  EXPECT_GT(ledger.at("total").at(0).at("mu"), 0.1);
  EXPECT_EQ(ledger.at("unknown"), 0);
}

TEST_F(BrokenState, OfOneStreamLeavesTheOthersServed) {
  start();
  create();
  ASSERT_EQ(post_rows(some_csv(25)).status, 202);
  create("torn");
  const std::string settings = read_text(state() / "torn.stream.json");
  server_.reset();
  write("torn.stream.json", settings.substr(0, settings.size() / 2));
  start();
  const Json streams = get("/v1/streams").json().at("streams");
  ASSERT_EQ(streams.size(), 2U);
  EXPECT_EQ(streams.at(0).at("condition"), "open");
  EXPECT_EQ(streams.at(1), get("/v1/streams/torn").json());
  EXPECT_EQ(streams.at(1).at("condition"), "problem");
  EXPECT_THAT(streams.at(1).at("problem").get<std::string>(), HasSubstr("torn.stream.json"));
  EXPECT_TRUE(streams.at(1).at("budget").is_null());
  EXPECT_FALSE(get("/v1/streams/torn", token("read")).json().contains("problem"));
  EXPECT_EQ(get("/v1/streams/torn", token("read", "air")).status, 403);
  EXPECT_EQ(get("/v1/streams", token("read", "air")).json().at("streams").size(), 1U);
  EXPECT_EQ(get("/v1/streams/torn/releases").status, 503);
  EXPECT_EQ(get("/v1/streams/none").status, 404);
  EXPECT_EQ(ask(port(), "POST", "/v1/streams/torn/rows", admin_, some_csv(1), {{"Content-Type", "text/csv"}})
                .status,
            503);
  EXPECT_THAT(get("/internal/metrics").body, HasSubstr("jme_problem{stream=\"torn\"} 1\n"));
  EXPECT_EQ(post_rows(some_csv(5)).status, 202);
  EXPECT_EQ(get("/readyz").status, 200);
}

TEST_F(BrokenState, OfALedgersFileMakesTotalsIncomplete) {
  start();
  create();
  create("other");
  for (const char* name : {"air", "other"}) {
    EXPECT_EQ(ask(port(), "POST", fmt::format("/v1/streams/{}/rows", name), admin_, some_csv(10),
                  {{"Content-Type", "text/csv"}})
                  .status,
              202);
  }
  const double mu = get("/v1/ledger").json().at("total").at(0).at("mu");
  server_.reset();
  for (const auto& entry : std::filesystem::directory_iterator(state())) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with("default.air") || file.find(".db") == std::string::npos) continue;
    std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << std::string(4096, 'x');
  }
  start();
  const Json ledger = get("/v1/ledger").json();
  EXPECT_LT(ledger.at("total").at(0).at("mu"), mu);
  EXPECT_EQ(ledger.at("total").at(0).at("incomplete"), true);
  EXPECT_EQ(ledger.at("unknown"), 1);
  EXPECT_THAT(jme({"ledger", state().string()}).out,
              HasSubstr("Incomplete: 1 damaged stream may have spent"));
}

TEST_F(BrokenState, OfTheTokensIsTheReasonWhyTheServerIsNotReady) {
  start();
  EXPECT_EQ(get("/readyz").status, 200);
  const std::string tokens = read_text(state() / "tokens.json");
  write("tokens.json", tokens.substr(0, tokens.size() / 2));
  const HttpReply ready = get("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.json().at("detail").get<std::string>(), HasSubstr("tokens.json: is damaged"));
  EXPECT_THAT(ready.body, Not(HasSubstr(state().string()))) << "anybody may ask";
  EXPECT_EQ(get("/healthz").status, 200);
  write("tokens.json", tokens);
  EXPECT_EQ(get("/readyz").status, 200);
}

class SmallMachine : public Served {
 protected:
  [[nodiscard]] HttpReply made(const std::string& name, const std::string& more) const {
    return ask(
        port(), "POST", "/v1/streams", admin_,
        fmt::format(R"({{"name":"{}","epsilon":1,"delta":1e-6,"norm_bound":1,"rows":1000,{}}})", name, more));
  }
};

TEST_F(SmallMachine, RefusesALargeStreamWith507AndFiguresAndStartsAgain) {
  start({"--memory", "2G", "--memory-per-stream", "512M"});
  const long before = server_->memory();
  const HttpReply refused = made("large", R"("dimension":10000)");
  EXPECT_EQ(refused.status, 507) << refused.body;
  EXPECT_THAT(refused.json().at("detail").get<std::string>(), testing::ContainsRegex("GiB .* 512.0 MiB"));
  expect_growth_below(100 << 10, before);
  EXPECT_EQ(made("wide", R"("dimension":300)").status, 201);
  EXPECT_EQ(made("narrow", R"("dimension":2)").status, 201);
  // The limit holds at the start too, and then one stream does not keep the others from being served.
  start({"--memory-per-stream", "24M"});
  const auto condition = [&](const std::string& name) {
    return ask(port(), "GET", "/v1/streams/" + name, admin_).json();
  };
  EXPECT_EQ(condition("wide").at("condition"), "problem");
  EXPECT_THAT(condition("wide").at("problem").get<std::string>(), HasSubstr("24.0 MiB"));
  EXPECT_EQ(condition("narrow").at("condition"), "open");
  start();
  EXPECT_EQ(condition("wide").at("condition"), "open");
}

TEST_F(SmallMachine, RefusesStreamsForWhichItMayOpenNoFiles) {
  start({}, {}, 128);  // 64 for connections, 32 for what the process has besides, and 8 for each stream
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(made(fmt::format("s{}", i), R"("dimension":2)").status, i < 4 ? 201 : 507) << i;
  }
  EXPECT_THAT(made("s4", R"("dimension":2)").body, HasSubstr("LimitNOFILE"));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ask(port(), "POST", fmt::format("/v1/streams/s{}/rows", i), admin_, "1,2\n0.1,0.2\n",
                  {{"Content-Type", "text/csv"}})
                  .status,
              202);
  }
}

TEST_F(SmallMachine, MustHaveMemoryThatCanBeRead) {
  for (const char* text : {"0", "", "-1", "12T", "M", "5000000G"}) {
    expect_refused(jme({"serve", "--state", state().string(), "--memory", text}), 2, "memory");
  }
}

}  // namespace
}  // namespace jme::test
