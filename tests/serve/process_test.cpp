#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command.hpp"
#include "serve/server.hpp"

namespace jme::test {
namespace {

class ServerLife : public Served {};

/// For a server to which every write from this one on finds no room.
Fields full_disk_from(int write) {
  return {{"LD_PRELOAD", JME_FAULT_SHIM},
          {"JME_FAULT", fmt::format("full:{}", write)},
          {"ASAN_OPTIONS", "verify_asan_link_order=0"}};  // the shim comes before the sanitizer
}

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
  start({}, full_disk_from(150));
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

// Wherever the disk fills up: a row that is refused was not taken, so that it can be sent again without a
// key.
TEST_F(ServerLife, TakesNoRowThatItRefusesWhereTheDiskIsFull) {
  std::size_t refused = 0;
  for (int call = 100; call < 124; ++call) {
    start({}, full_disk_from(call));
    create();
    std::size_t taken = 0;
    while (post_rows(some_csv(5)).status == 202) taken += 5;
    EXPECT_EQ(post_rows(some_csv(5)).status, 507);
    start();
    EXPECT_EQ(rows(), taken) << call;
    const std::string lines = releases();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), static_cast<std::ptrdiff_t>(taken / 10)) << call;
    refused += taken < 1000 ? 1 : 0;
    forget_state();
  }
  EXPECT_EQ(refused, 24U);
}

class SlowServerLife : public ServerLife {};

// Wherever the disk fills up while a stream is made: the stream is there or it is not, and can be made again
// in a later slot.
TEST_F(SlowServerLife, MakesAStreamOfSlotsOnceWhereverTheDiskIsFull) {
  const std::string settings =
      R"({"name":"clock","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"every":"1s","steps":1000})";
  const auto make = [&] { return ask(port(), "POST", "/v1/streams", admin_, settings).status; };
  int made = 0, refused = 0;
  for (int call = 4; made < 3; ++call) {  // it writes three times to say where it listens
    start({}, full_disk_from(call));
    const int status = make();
    ++(status == 201 ? made : refused);
    EXPECT_THAT(status, testing::AnyOf(201, 507)) << call;
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // into another slot
    start();
    EXPECT_EQ(make(), status == 201 ? 200 : 201) << call;
    EXPECT_EQ(
        ask(port(), "POST", "/v1/streams/clock/rows", admin_, some_csv(5), {{"Content-Type", "text/csv"}})
            .status,
        202)
        << call;
    forget_state();
  }
  EXPECT_GT(refused, 5);
}

}  // namespace
}  // namespace jme::test
