#include <atomic>
#include <csignal>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command.hpp"
#include "serve/server.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;

class ServerLife : public Served {};
class SlowServerLife : public Served {};

TEST_F(ServerLife, IsRefusedBesideAnotherServerOfTheFolderWhichIsNamed) {
  start();
  const CommandResult second = jme({"serve", "--state", state().string(), "--listen", "127.0.0.1:0"});
  expect_refused(second, 5, fmt::format("process {} (http://127.0.0.1:{})", server_->pid(), port()));
  server_->send(SIGKILL);
  ASSERT_EQ(server_->wait(), 128 + SIGKILL);
  start();
  EXPECT_EQ(ask(port(), "GET", "/healthz").status, 200);
}

TEST_F(ServerLife, IsRefusedAtAnAddressOfTheNetworkWithoutAProxy) {
  const std::string folder = state().string();
  expect_refused(jme({"serve", "--state", folder, "--listen", "0.0.0.0:0"}), 2, "listen");
  expect_refused(jme({"serve", "--state", folder, "--listen", "example.org:80"}), 2, "listen");
  expect_refused(jme({"serve", "--state", folder, "--listen", "127.0.0.1"}), 2, "listen");
  expect_refused(jme({"serve", "--state", folder, "--listen", "127.0.0.1:99999"}), 2, "listen");
  EXPECT_FALSE(std::filesystem::exists(state()));
}

TEST_F(ServerLife, EndsAtSigtermAfterTheRequestsThatAreUnderWay) {
  start({"--drain", "8"});
  create();
  const std::string csv = some_csv(15);
  Connection writer(port()), idle(port()), reader(port());
  ASSERT_TRUE(reader.say(fmt::format(
      "GET /v1/streams/air/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n", port(),
      admin_)));
  ASSERT_EQ(reader.reply().status, 200);
  ASSERT_TRUE(writer.say(fmt::format("POST /v1/streams/air/rows HTTP/1.1\r\nHost: "
                                     "127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: "
                                     "text/csv\r\nContent-Length: {}\r\n\r\n",
                                     port(), admin_, csv.size()) +
                         csv.substr(0, 20)));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  server_->send(SIGTERM);
  EXPECT_TRUE(idle.is_closed_within(std::chrono::seconds(5)));
  EXPECT_TRUE(reader.is_closed_within(std::chrono::seconds(5)));
  EXPECT_FALSE(server_->wait(std::chrono::milliseconds(100)));
  ASSERT_TRUE(writer.say(csv.substr(20)));
  EXPECT_EQ(writer.reply().status, 202);
  EXPECT_EQ(server_->wait(), 0);
  start();
  EXPECT_EQ(rows(), 15U);
}

TEST_F(ServerLife, EndsAtSigtermThoughAClientNeverFinishes) {
  start({"--drain", "0.3"});
  Connection writer(port());
  ASSERT_TRUE(writer.say("GET /healthz HTT"));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server_->send(SIGTERM);
  EXPECT_EQ(server_->wait(), 0);
}

TEST_F(ServerLife, AnswersWith507WhereTheDiskIsFullAndKeepsReadersServed) {
  start({}, {{"LD_PRELOAD", JME_FAULT_SHIM}, {"JME_FAULT", "full:150"}});
  create();
  std::size_t taken = 0;
  HttpReply last;
  for (int i = 0; i < 200 && last.status != 507; ++i) {
    last = post_rows(some_csv(5), std::to_string(i));
    if (last.status == 202) taken += 5;
  }
  ASSERT_EQ(last.status, 507) << last.body;
  EXPECT_GT(taken, 0U);
  EXPECT_EQ(post_rows(some_csv(5), "more").status, 507);
  const std::string before = releases();
  EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), static_cast<std::ptrdiff_t>(taken / 10));
  EXPECT_EQ(ask(port(), "GET", "/healthz").status, 200);
  start();
  EXPECT_EQ(rows(), taken);
  EXPECT_EQ(releases(), before);
  for (std::size_t i = 0; i <= taken / 5; ++i)
    EXPECT_EQ(post_rows(some_csv(5), std::to_string(i)).status, 202);
  EXPECT_EQ(rows(), taken + 5);
}

/// Writers that send each request until it is answered, and readers that remember what they saw of every
/// release, while the server is killed again and again.
class CrashedServer {
 public:
  CrashedServer(std::string token, int writers, int readers) : token_(std::move(token)) {
    for (int i = 0; i < writers; ++i) threads_.emplace_back([this, i] { write(i); });
    for (int i = 0; i < readers; ++i) threads_.emplace_back([this] { read(); });
  }
  void is_at(unsigned port) { port_ = port; }
  void finish() {
    ended_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] const std::map<std::string, std::string>& seen() const { return seen_; }

 private:
  static constexpr std::size_t rows_of_request = 7;

  void write(int writer) {
    for (int i = 0; !ended_; ++i) {
      const std::string key = fmt::format("{}-{}", writer, i),
                        csv = some_csv(rows_of_request, static_cast<std::size_t>(i));
      for (;;) {
        const HttpReply got = ask(port_, "POST", "/v1/streams/air/rows", token_, csv,
                                  {{"Content-Type", "text/csv"}, {"Idempotency-Key", key}});
        if (got.status == 202) break;
        if (got.status != 0) return fail(fmt::format("{}: {}", got.status, got.body));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      rows_ += rows_of_request;
    }
  }

  void read() {
    std::string last = "0";
    while (!ended_) {
      Connection connection(port_);
      if (!connection.say(fmt::format(
              "GET /v1/streams/air/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer "
              "{}\r\nLast-Event-ID: {}\r\n\r\n",
              port_.load(), token_, last)) ||
          connection.reply().status != 200) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      while (!ended_) {
        const std::string event = connection.read_until("\n\n");
        if (!event.ends_with("\n\n")) break;
        if (!event.starts_with("id: ")) continue;
        const std::string t = event.substr(4, event.find('\n') - 4);
        if (std::stoul(t) != std::stoul(last) + 10) fail(fmt::format("a reader went from {} to {}", last, t));
        last = t;
        const std::lock_guard lock(mutex_);
        const auto [place, is_new] = seen_.emplace(t, event);
        if (!is_new && place->second != event) fault_ = "release " + t + " has two values";
      }
    }
  }

  void fail(const std::string& what) {
    const std::lock_guard lock(mutex_);
    fault_ = what;
  }

  std::string token_;
  std::atomic<unsigned> port_ = 0;
  std::atomic<bool> ended_ = false;
  std::atomic<std::uint64_t> rows_ = 0;
  std::mutex mutex_;
  std::string fault_;
  std::map<std::string, std::string> seen_;
  std::vector<std::thread> threads_;
};

void crash(Served& test, int rounds, int writers, int readers, const std::function<unsigned()>& restart,
           const std::function<void()>& kill, const std::string& token,
           const std::function<std::uint64_t()>& rows, const std::function<std::string()>& releases) {
  static_cast<void>(test);
  CrashedServer crashed(token, writers, readers);
  std::mt19937 random(7);
  for (int round = 0; round < rounds; ++round) {
    crashed.is_at(restart());
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 120));
    kill();
  }
  crashed.is_at(restart());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::thread ending([&] { crashed.finish(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // Readers wait for a further event.
  static_cast<void>(rows());
  kill();
  crashed.is_at(restart());
  ending.join();
  EXPECT_EQ(crashed.fault(), "");
  EXPECT_GT(crashed.rows(), 0U);
  EXPECT_EQ(rows(), crashed.rows());
  const std::string all = releases();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), static_cast<std::ptrdiff_t>(crashed.rows() / 10));
  EXPECT_GT(crashed.seen().size(), 0U);
  for (const auto& [t, event] : crashed.seen()) {
    EXPECT_THAT(all,
                HasSubstr(event.substr(event.find("data: ") + 6, event.size() - event.find("data: ") - 7)))
        << t;
  }
}

TEST_F(ServerLife, CountsEveryAcknowledgedRowOnceThroughTwelveKillsAndChangesNoRelease) {
  start();
  create();
  crash(
      *this, 12, 8, 4,
      [&] {
        start();
        return port();
      },
      [&] {
        server_->send(SIGKILL);
        server_->wait();
      },
      admin_, [&] { return rows(); }, [&] { return releases(); });
}

TEST_F(SlowServerLife, CountsEveryAcknowledgedRowOnceThroughFiveHundredKillsAndChangesNoRelease) {
  start();
  create("air", R"(,"source":"slow")");
  crash(
      *this, 500, 8, 50,
      [&] {
        start();
        return port();
      },
      [&] {
        server_->send(SIGKILL);
        server_->wait();
      },
      admin_, [&] { return rows(); }, [&] { return releases(); });
}

}  // namespace
}  // namespace jme::test
