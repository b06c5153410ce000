// Plans take seconds, and hold back nobody who asks for something else.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>

#include "cli/command.hpp"
#include "serve/server.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

class ServerPlans : public Served {
 protected:
  /// A dry run that takes a good part of a second, and is not waited for.
  [[nodiscard]] std::unique_ptr<Connection> plan_something(const std::string& token, int rows = 480) const {
    const std::string body = fmt::format(
        R"({{"name":"dense","epsilon":1,"delta":1e-6,"bounds":{{"x":[0,1]}},"shape":"dense","rows":{}}})",
        rows);
    auto connection = std::make_unique<Connection>(port());
    connection->say(
        fmt::format("POST /v1/streams?dry_run=1 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"
                    "Authorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{}",
                    port(), token, body.size(), body));
    return connection;
  }
  /// Dry runs that were answered with their plan.
  [[nodiscard]] std::size_t plans_made() const {
    const std::string audit = read_text(state() / "audit.log"), wanted = "dry_run=1\",\"status\":200";
    std::size_t count = 0;
    for (std::size_t at = audit.find(wanted); at != std::string::npos; at = audit.find(wanted, at + 1))
      ++count;
    return count;
  }
};

TEST_F(ServerPlans, HoldBackNeitherHealthNorReadersNorWriters) {
  start();
  create();
  ASSERT_EQ(post_rows(some_csv(10)).status, 202);
  const std::string other = token("admin");
  std::vector<std::unique_ptr<Connection>> planned;
  for (int i = 0; i < 16; ++i) planned.push_back(plan_something(i % 2 == 0 ? admin_ : other));
  EXPECT_EQ(ask(port(), "GET", "/healthz").status, 200);
  EXPECT_EQ(ask(port(), "GET", "/readyz").status, 200);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams", admin_).status, 200);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air", admin_).status, 200);
  EXPECT_EQ(ask(port(), "GET", "/metrics", admin_).status, 200);
  EXPECT_EQ(post_rows(some_csv(10)).status, 202);
  // Two workers that shared plans with others would have made fourteen of the sixteen before.
  EXPECT_LT(plans_made(), 12U);
}

TEST_F(ServerPlans, AreDroppedWhereTheirClientsHaveGone) {
  start();
  const std::string other = token("admin");
  std::vector<std::unique_ptr<Connection>> planned;
  for (int i = 0; i < 8; ++i) planned.push_back(plan_something(admin_));
  planned.clear();
  const auto last = plan_something(other, 20);
  EXPECT_EQ(last->reply().status, 200);
  EXPECT_LT(plans_made(), 8U) << "some of the eight, and the last";
}

TEST_F(ServerPlans, WaitInAQueueOfWhichOneTokenHasHalf) {
  start();
  const std::string other = token("admin");
  std::vector<std::unique_ptr<Connection>> planned;
  for (int i = 0; i < 30; ++i) planned.push_back(plan_something(admin_));
  // The newest one is refused at once, while the first ones are computed.
  HttpReply refused = planned.back()->reply();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.fields["retry-after"], "1");
  const auto fair = plan_something(other, 20);
  planned.clear();
  EXPECT_EQ(fair->reply().status, 200);
}

TEST_F(ServerPlans, ThatWouldTakeLongAreRefusedAtOnceWithTheFigure) {
  start();
  const auto connection = plan_something(admin_, 2048);
  const HttpReply refused = connection->reply();
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.json().at("field"), "shape");
  EXPECT_THAT(refused.body, HasSubstr("this server spends at most 5 s and 256 MB"));
}

TEST_F(ServerPlans, EndWithTheServer) {
  start({"--drain", "0.1"});
  std::vector<std::unique_ptr<Connection>> planned;
  for (int i = 0; i < 8; ++i) planned.push_back(plan_something(admin_));
  ASSERT_EQ(ask(port(), "GET", "/healthz").status, 200);
  server_->send(SIGTERM);
  EXPECT_EQ(server_->wait(), 0);
  EXPECT_LT(plans_made(), 8U);
}

TEST_F(ServerPlans, SayWhatTheSourceHasLeft) {
  start();
  create("air", R"(,"source":"city","max_mu":0.3)");
  ASSERT_EQ(post_rows(some_csv(1)).status, 202);
  const std::string second =
      R"({"name":"b","epsilon":1,"delta":1e-6,"bounds":{"x":[0,1]},"rows":100,"source":"city","max_mu":0.3})";
  EXPECT_EQ(ask(port(), "POST", "/v1/streams?dry_run=1", admin_, second).status, 409);
  EXPECT_EQ(ask(port(), "POST", "/v1/streams", admin_, second).status, 409);
}

}  // namespace
}  // namespace jme::test
