// One token takes at most half of what all of them share.
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "serve/room.hpp"
#include "serve/server.hpp"

namespace jme::test {
namespace {

using serve::Room;

TEST(SharesOfARoom, AreHalfOfItAtMost) {
  Room room(10);
  auto first = room.take(3, "a"), second = room.take(2, "a");
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(room.take(1, "a"));
  auto other = room.take(5, "b");
  EXPECT_TRUE(other);
  EXPECT_FALSE(room.take(1, "c")) << "all of it is held";
  second.reset();
  EXPECT_TRUE(room.take(2, "a"));
}

TEST(SharesOfARoom, AreOnePartOfAnySizeForWhoHoldsNothing) {
  Room room(10);
  auto large = room.take(9, "a");
  EXPECT_TRUE(large);
  EXPECT_FALSE(room.take(1, "a"));
  EXPECT_TRUE(room.take(1, "b"));
  large.reset();
  EXPECT_FALSE(room.take(11, "a"));
  EXPECT_TRUE(room.take(10, "a"));
}

class ServerShares : public Served {
 protected:
  [[nodiscard]] std::string request(const std::string& line, const std::string& token,
                                    const std::string& more = "") const {
    return fmt::format("{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n{}\r\n", line,
                       port(), token, more);
  }
  [[nodiscard]] std::unique_ptr<Connection> say(const std::string& line, const std::string& token,
                                                const std::string& more = "") const {
    auto connection = std::make_unique<Connection>(port());
    connection->say(request(line, token, more));
    return connection;
  }
  /// A body that was announced and is never sent; the server has asked for it, or refused it.
  [[nodiscard]] std::pair<std::unique_ptr<Connection>, std::string> announce(const std::string& token) const {
    auto connection = say("POST /v1/streams/air/rows", token,
                          "Content-Type: text/csv\r\nContent-Length: 400000\r\nExpect: 100-continue\r\n");
    const std::string head = connection->read_until("\r\n");
    return {std::move(connection), head.substr(9, 3)};
  }
};

TEST_F(ServerShares, OfBodiesLeaveHalfToOtherTokens) {
  start({"--waiting-bytes", "1000000", "--body-bytes", "400000"});
  create();
  const std::string other = token("write", "air");
  const auto first = announce(admin_), second = announce(admin_), third = announce(other);
  EXPECT_EQ(first.second, "100");
  EXPECT_EQ(second.second, "503");
  EXPECT_EQ(third.second, "100");
}

TEST_F(ServerShares, OfLongAnswersLeaveHalfToOtherTokens) {
  start();
  create();
  const std::string other = token("read", "air");
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(post_rows(some_csv(20'000)).status, 202);
  const std::size_t length = releases().size();
  ASSERT_GT(length, 1'000'000U);
  // Room for two answers and a bit, of which one token has that for one.
  start({"--waiting-bytes", fmt::format("{}", length * 28 / 10)});
  std::vector<std::unique_ptr<Connection>> lazy;
  for (int i = 0; i < 20; ++i) {
    lazy.push_back(std::make_unique<Connection>(port(), INADDR_LOOPBACK, 64 << 10));
    lazy.back()->say(request("GET /v1/streams/air/releases", admin_));
  }
  // Refusals come at once, so that the others are being sent by now.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air/releases", other).status, 200);
  std::map<int, int> statuses;
  for (const auto& connection : lazy) ++statuses[connection->reply().status];
  EXPECT_GE(statuses[200], 1);
  EXPECT_GE(statuses[503], 1);
}

TEST_F(ServerShares, OfConnectionsThatWaitForEventsLeaveHalfToOtherTokens) {
  start({"--connections", "8"});
  create();
  const std::string other = token("read", "air");
  std::vector<std::unique_ptr<Connection>> readers;
  std::map<int, int> statuses;
  for (int i = 0; i < 6; ++i) {
    readers.push_back(say("GET /v1/streams/air/events", admin_));
    ++statuses[readers.back()->reply().status];
  }
  EXPECT_EQ(statuses[200], 4);
  EXPECT_EQ(statuses[503], 2);
  readers.pop_back(), readers.pop_back();
  readers.push_back(say("GET /v1/streams/air/events", other));
  EXPECT_EQ(readers.back()->reply().status, 200);
  EXPECT_EQ(ask(port(), "GET", "/healthz").status, 200);
}

}  // namespace
}  // namespace jme::test
