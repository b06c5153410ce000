#include <atomic>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "serve/server.hpp"

namespace jme::test {
namespace {

/// Where the server is now. Clients wait here instead of knocking at a door that nobody opens.
class Place {
 public:
  void is_at(unsigned port) {
    const std::lock_guard lock(mutex_);
    port_ = port;
    changed_.notify_all();
  }
  /// Another port than `known`, or the same after a while.
  [[nodiscard]] unsigned port(unsigned known = 0) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(20), [&] { return port_ != known && port_ != 0; });
    return port_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned port_ = 0;
};

/// Writers that send each request until it is answered, and readers that follow the releases by server-sent
/// events, while the server is killed again and again. The stream "air" has a release every 20 rows, and
/// "clock" one every second.
class Clients {
 public:
  static constexpr std::size_t rows_of_request = 7, rows_of_request_to_clock = 100, every = 20;

  Clients(std::string token, int writers, int readers)
      : token_(std::move(token)), last_(static_cast<std::size_t>(readers)) {
    for (int i = 0; i < writers; ++i) writers_.emplace_back([this, i] { write(i); });
    for (auto& last : last_) readers_.emplace_back([this, &last] { read(last); });
  }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;
  ~Clients() {  // where a test has failed before its end
    end_writers();
    end_readers();
  }
  Place place{};
  /// Every request that was begun is answered when the call returns.
  void end_writers() {
    writers_end_ = true;
    for (std::thread& writer : writers_) writer.join();
    writers_.clear();
  }
  /// False where not all readers have seen release `t` within ten seconds.
  bool wait_for_readers(std::uint64_t t) {
    for (int i = 0; i < 1000; ++i) {
      if (std::all_of(last_.begin(), last_.end(), [&](const auto& last) { return last >= t; })) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  /// The server must be gone: readers wait for more.
  void end_readers() {
    readers_end_ = true;
    for (std::thread& reader : readers_) reader.join();
    readers_.clear();
  }
  [[nodiscard]] std::uint64_t rows(const std::string& stream) const { return rows_.at(stream); }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] const std::map<std::uint64_t, std::string>& seen() const { return seen_; }

 private:
  void write(int writer) {
    for (int i = 0; !writers_end_; ++i) {
      const bool to_clock = i % 3 == 2;
      const std::string stream = to_clock ? "clock" : "air", key = fmt::format("{}-{}", writer, i);
      const std::size_t count = to_clock ? rows_of_request_to_clock : rows_of_request;
      const std::string csv = some_csv(count, static_cast<std::size_t>(i));
      unsigned port = place.port();
      for (;;) {
        const HttpReply got = ask(port, "POST", fmt::format("/v1/streams/{}/rows", stream), token_, csv,
                                  {{"Content-Type", "text/csv"}, {"Idempotency-Key", key}});
        if (got.status == 202) break;
        if (got.status != 0) return fail(fmt::format("{}: {}", got.status, got.body));
        port = place.port(port);
      }
      const std::lock_guard lock(mutex_);
      rows_[stream] += count;
    }
  }

  void read(std::atomic<std::uint64_t>& last) {
    unsigned port = 0;
    while (!readers_end_) {
      port = place.port(port);
      Connection connection(port);
      if (!connection.say(fmt::format(
              "GET /v1/streams/air/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer "
              "{}\r\nLast-Event-ID: {}\r\n\r\n",
              port, token_, last.load())) ||
          connection.reply().status != 200) {
        continue;
      }
      while (!readers_end_) {
        const std::string event = connection.read_until("\n\n");
        if (!event.ends_with("\n\n")) break;
        if (event.starts_with("id: ")) take(event, last);
      }
    }
  }

  void take(const std::string& event, std::atomic<std::uint64_t>& last) {
    const std::uint64_t t = std::stoul(event.substr(4));
    if (t != last + every) fail(fmt::format("a reader went from {} to {}", last.load(), t));
    const std::size_t data = event.find("data: ") + 6;
    const std::lock_guard lock(mutex_);
    const auto [place_of_t, is_new] = seen_.emplace(t, event.substr(data, event.size() - data - 1));
    if (!is_new && event.substr(data, event.size() - data - 1) != place_of_t->second) {
      fault_ = fmt::format("release {} has two values", t);
    }
    last = t;
  }

  void fail(const std::string& what) {
    const std::lock_guard lock(mutex_);
    fault_ = what;
  }

  std::string token_;
  std::atomic<bool> writers_end_ = false, readers_end_ = false;
  std::mutex mutex_;  // of what follows
  std::map<std::string, std::uint64_t> rows_{{"air", 0}, {"clock", 0}};
  std::string fault_;
  std::map<std::uint64_t, std::string> seen_;
  std::vector<std::atomic<std::uint64_t>> last_;
  std::vector<std::thread> writers_, readers_;
};

class KilledServer : public Served {
 protected:
  /// Each at a random moment, all in the life of one state folder.
  void kill_often(int rounds, unsigned seed);

 private:
  void create_streams() const;
  void kill() {
    server_->send(SIGKILL);
    ASSERT_EQ(server_->wait(), 128 + SIGKILL);
  }
  [[nodiscard]] std::map<std::uint64_t, std::string> all_releases(const std::string& stream) const;
  /// The number of rows in the newest release of "clock".
  [[nodiscard]] double noisy_rows() const;
};
class SlowKilledServer : public KilledServer {};

// The budget of "clock" is so large that a request that was lost or counted twice is far outside of the
// noise.
void KilledServer::create_streams() const {
  constexpr const char* start = R"({"name":"%","delta":1e-3,"bounds":{"temp":[-20,45],"co":[0,100]},)";
  const auto create_one = [&](const std::string& name, const std::string& more) {
    std::string settings = start + more + "}";
    settings.replace(settings.find('%'), 1, name);
    const HttpReply made = ask(port(), "POST", "/v1/streams", admin_, settings);
    ASSERT_EQ(made.status, 201) << made.body;
  };
  create_one("air", R"("epsilon":1,"rows":200000,"every":20)");
  create_one("clock", R"("epsilon":40,"every":"1s","steps":600,"emit":["mean"])");
}

std::map<std::uint64_t, std::string> KilledServer::all_releases(const std::string& stream) const {
  std::map<std::uint64_t, std::string> releases;
  for (std::uint64_t since = 0;;) {
    const HttpReply some =
        ask(port(), "GET", fmt::format("/v1/streams/{}/releases?since={}", stream, since), admin_);
    EXPECT_EQ(some.status, 200) << some.body;
    std::istringstream lines(some.body);
    for (std::string line; std::getline(lines, line);) {
      since = nlohmann::json::parse(line).at("t");
      releases.emplace(since, line + "\n");
    }
    if (!some.fields.contains("link")) return releases;
  }
}

double KilledServer::noisy_rows() const {
  const HttpReply newest = ask(port(), "GET", "/v1/streams/clock/latest", admin_);
  if (newest.status != 200) return -1;
  EXPECT_LT(newest.json().at("noise_std").at("rows"), 4);
  return newest.json().at("rows");
}

void KilledServer::kill_often(int rounds, unsigned seed) {
  start();
  create_streams();
  Clients clients(admin_, 8, 50);
  std::mt19937 random(seed);
  for (int round = 0; round < rounds; ++round) {
    clients.place.is_at(port());
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 100));
    kill();
    start();
  }
  clients.place.is_at(port());
  clients.end_writers();
  const std::map<std::uint64_t, std::string> all = all_releases("air");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.size(), clients.rows("air") / Clients::every);
  EXPECT_EQ(all.rbegin()->first, Clients::every * all.size());
  EXPECT_EQ(rows(), clients.rows("air"));
  EXPECT_TRUE(clients.wait_for_readers(all.rbegin()->first));
  // The open slot ends within a second.
  const std::map<std::uint64_t, std::string> slots = all_releases("clock");
  const auto expected = static_cast<double>(clients.rows("clock"));
  // Ten standard deviations, and less than half of a request.
  const auto is_counted = [&] { return std::abs(noisy_rows() - expected) < 40; };
  for (int i = 0; i < 500 && !is_counted(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_GT(expected, 0);
  EXPECT_TRUE(is_counted()) << noisy_rows() << " of " << expected;
  kill();
  clients.end_readers();
  EXPECT_EQ(clients.fault(), "");
  EXPECT_EQ(clients.seen(), all);
  start();
  EXPECT_EQ(all_releases("air"), all);
  const std::map<std::uint64_t, std::string> slots_after = all_releases("clock");
  for (const auto& [t, line] : slots) EXPECT_EQ(slots_after.at(t), line);
  EXPECT_EQ(slots_after.rbegin()->first, slots_after.size());
}

TEST_F(KilledServer, CountsEveryAcknowledgedRowOnceThroughThirtyKillsAndChangesNoRelease) {
  kill_often(30, 7);
}

TEST_F(SlowKilledServer, CountsEveryAcknowledgedRowOnceThroughFiveHundredKillsAndChangesNoRelease) {
  for (unsigned life = 0; life < 10 && !HasFailure(); ++life) {
    kill_often(50, life);
    forget_state();
  }
}

}  // namespace
}  // namespace jme::test
