// What the server refuses, ends or leaves out so that nobody gets more than is theirs.
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/command.hpp"
#include "serve/server.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;
using namespace std::chrono_literals;

/// A stream of so many columns, whose releases are long.
std::string wide_settings(std::size_t columns) {
  std::string bounds;
  for (std::size_t i = 0; i < columns; ++i) bounds += fmt::format("{}\"c{}\":[0,1]", i == 0 ? "" : ",", i);
  return fmt::format(R"({{"name":"wide","epsilon":1,"delta":1e-6,"bounds":{{{}}},"rows":100000,"every":10}})",
                     bounds);
}

std::string wide_csv(std::size_t columns, std::size_t rows) {
  std::string text;
  for (std::size_t i = 0; i < columns; ++i) text += fmt::format("{}c{}", i == 0 ? "" : ",", i);
  for (std::size_t row = 0; row < rows; ++row) {
    text += '\n';
    for (std::size_t i = 0; i < columns; ++i) text += i == 0 ? "0.5" : ",0.5";
  }
  return text + '\n';
}

class ServerGuards : public Served {
 protected:
  [[nodiscard]] std::string request(const std::string& line, const std::string& token,
                                    const std::string& more = "") const {
    return fmt::format("{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n{}\r\n", line,
                       port(), token, more);
  }
  [[nodiscard]] HttpReply reply_to(const std::string& text) const {
    Connection connection(port());
    connection.say(text);
    return connection.reply();
  }
  void create_wide(std::size_t columns) const {
    ASSERT_EQ(ask(port(), "POST", "/v1/streams", admin_, wide_settings(columns)).status, 201);
  }
  [[nodiscard]] HttpReply post_wide(const std::string& csv) const {
    return ask(port(), "POST", "/v1/streams/wide/rows", admin_, csv, {{"Content-Type", "text/csv"}});
  }
  [[nodiscard]] std::string audit() const { return read_text(state() / "audit.log"); }
};

TEST_F(ServerGuards, SendNoEventsToATokenThatWasRevokedOrHasExpired) {
  start();
  create();
  const std::string revoked = token("read", "air"), good = token("read", "air");
  // Long enough to follow with it where a sanitizer makes processes slow.
  const std::string shortly = token("read", "air", "2s");
  const auto expired = std::chrono::steady_clock::now() + 2100ms;
  Connection first(port()), second(port()), third(port());
  const auto follow = [&](Connection& connection, const std::string& with) {
    ASSERT_TRUE(connection.say(request("GET /v1/streams/air/events", with)));
    HttpReply head = connection.reply();
    ASSERT_EQ(head.status, 200);
    EXPECT_EQ(head.fields["x-request-id"].size(), 16U);
    EXPECT_THAT(head.fields["content-security-policy"], HasSubstr("default-src 'none'"));
    EXPECT_EQ(connection.read_until("\n\n"), "retry: 2000\n\n");
  };
  follow(second, shortly);
  follow(first, revoked);
  follow(third, good);
  ASSERT_EQ(jme({"token", "revoke", revoked.substr(4, 12), "--state", state().string()}).code, 0);
  std::this_thread::sleep_until(expired);
  ASSERT_EQ(post_rows(some_csv(10)).status, 202);
  EXPECT_EQ(first.read_until("\n\n"), "");
  EXPECT_EQ(second.read_until("\n\n"), "");
  EXPECT_THAT(third.read_until("\n\n"), HasSubstr("id: 10\n"));
}

TEST_F(ServerGuards, SendLongReleasesAsEventsInPieces) {
  start();
  create_wide(120);
  ASSERT_EQ(post_wide(wide_csv(120, 30)).status, 202);
  const std::string all = ask(port(), "GET", "/v1/streams/wide/releases", admin_).body;
  ASSERT_GT(all.size(), 3 * (64U << 10U)) << "a release must be longer than a piece";
  Connection reader(port());
  ASSERT_TRUE(reader.say(request("GET /v1/streams/wide/events", admin_)));
  ASSERT_EQ(reader.reply().status, 200);
  static_cast<void>(reader.read_until("\n\n"));
  std::size_t at = 0;
  for (int t = 10; t <= 30; t += 10) {
    const std::size_t end = all.find('\n', at);
    EXPECT_EQ(reader.read_until("\n\n"), fmt::format("id: {}\ndata: {}\n\n", t, all.substr(at, end - at)));
    at = end + 1;
  }
}

TEST_F(ServerGuards, RefuseRowsThatWouldNeedFarMoreMemoryThanTheirBytes) {
  start({"--body-bytes", "1000000"});
  create_wide(200);
  const std::string header = wide_csv(200, 0);
  ASSERT_EQ(post_wide(header + std::string(100, '\n')).status, 202);
  const long before = server_->memory();
  // Each blank line is a row of 200 cells.
  const HttpReply refused = post_wide(header + std::string(900'000, '\n'));
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.json().at("field"), "body");
  expect_growth_below(60'000, before);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/wide", admin_).json().at("writer").at("rows"), 100);
  EXPECT_EQ(post_wide(wide_csv(200, 1000)).status, 202);
}

TEST_F(ServerGuards, HoldNoMoreAnswersThanTheyMayAndWritersNoLongerThanOthers) {
  start({"--waiting-bytes", "12000000"});
  create_wide(120);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(post_wide(wide_csv(120, 100)).status, 202);
  const HttpReply whole = ask(port(), "GET", "/v1/streams/wide/releases", admin_);
  ASSERT_GT(whole.body.size(), 2'000'000U);
  const long before = server_->memory();
  std::vector<std::unique_ptr<Connection>> lazy;
  for (int i = 0; i < 60; ++i) {
    lazy.push_back(std::make_unique<Connection>(port(), INADDR_LOOPBACK, 64 << 10));
    lazy.back()->say(request("GET /v1/streams/wide/releases", admin_));
  }
  // Those that were refused are told at once; the others would have to read first.
  std::this_thread::sleep_for(1s);
  EXPECT_EQ(post_wide(wide_csv(120, 1)).status, 202);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams", admin_).status, 200);
  expect_growth_below(60'000, before);
  std::map<int, int> statuses;
  for (const auto& connection : lazy) ++statuses[connection->reply().status];
  EXPECT_GE(statuses[200], 1);
  EXPECT_GE(statuses[503], 1);
  EXPECT_EQ(statuses[200] + statuses[503], 60);
}

TEST_F(ServerGuards, TakeNoParameterThatACallDoesNotKnow) {
  start();
  const std::string wide = wide_settings(2);
  for (const char* query : {"dryrun=1", "dry_run=1&dry_run=0", "dry_run=1&x", "=1", "&dry_run=1"}) {
    const HttpReply refused = ask(port(), "POST", fmt::format("/v1/streams?{}", query), admin_, wide);
    EXPECT_EQ(refused.status, 400) << query;
    EXPECT_EQ(refused.json().at("field"), "query");
  }
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/wide", admin_).status, 404);
  EXPECT_EQ(ask(port(), "POST", "/v1/streams?dry_run=1", admin_, wide).status, 200);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams?limit=1", admin_).status, 400);
  EXPECT_EQ(ask(port(), "GET", "/healthz?", admin_).status, 200);
}

TEST_F(ServerGuards, TakeNoRowsUnderAnEmptyKeyAndNoPartOfSums) {
  start();
  create();
  const Fields csv{{"Content-Type", "text/csv"}, {"Idempotency-Key", ""}};
  const HttpReply refused = ask(port(), "POST", "/v1/streams/air/rows", admin_, some_csv(1), csv);
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.json().at("field"), "idempotency_key");
  EXPECT_EQ(ask(port(), "POST", "/v1/streams/air/rows", admin_, some_csv(1),
                {{"Content-Type", "text/csv"}, {"Content-Range", ""}})
                .status,
            400);
  EXPECT_EQ(ask(port(), "PUT", "/v1/streams/air/blocks/b", admin_, "sums", {{"Content-Range", "bytes 0-3/9"}})
                .json()
                .at("field"),
            "content_range");
  EXPECT_EQ(rows(), 0U);
}

TEST_F(ServerGuards, TellReadersOfTheFirstRowByTheFirstRelease) {
  start();
  create();
  const std::string reader = token("read", "air"), writer = token("write", "air");
  const auto spent = [&](const std::string& with) {
    return ask(port(), "GET", "/v1/streams/air", with).json().at("budget").at("spent").get<bool>();
  };
  const std::string before = ask(port(), "GET", "/v1/streams/air", reader).body;
  EXPECT_FALSE(spent(writer));
  ASSERT_EQ(post_rows(some_csv(9)).status, 202);
  EXPECT_TRUE(spent(writer));
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air", reader).body, before);
  ASSERT_EQ(post_rows(some_csv(1)).status, 202);
  EXPECT_TRUE(spent(reader));
}

TEST_F(ServerGuards, NeverSayWhatWasInARow) {
  start();
  create();
  ASSERT_EQ(ask(port(), "POST", "/v1/streams", admin_,
                R"({"name":"strict","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},)"
                R"("rows":100,"every":10,"on_bad_row":"fail"})")
                .status,
            201);
  const auto refused = [&](const std::string& stream, const std::string& type, const std::string& body) {
    const HttpReply got = ask(port(), "POST", "/v1/streams/" + stream + "/rows", admin_, body,
                              {{"Content-Type", type}, {"Idempotency-Key", "k"}});
    EXPECT_EQ(got.status, 422) << got.body;
    for (const char* secret : {"17.125", "43.5", "arsenic"}) EXPECT_THAT(got.body, Not(HasSubstr(secret)));
  };
  refused("air", "text/csv", "17.125,43.5\n17.125,43.5\n");  // a body without its header
  refused("air", "text/csv", "arsenic\n17.125\n");
  refused("strict", "text/csv", "temp,co\n1,2\n17.125,arsenic\n");
  refused("strict", "text/csv", "temp,co\n17.125,43.5,arsenic\n");
  refused("strict", "text/csv", "temp,co\n\"17.125,43.5\n");
  refused("strict", "application/x-ndjson", "{\"temp\":\"arsenic\",\"co\":43.5}\n");
  refused("strict", "application/x-ndjson", "{\"temp\":17.125,\"co\":43.5\n");
  refused("strict", "application/x-ndjson", "[17.125,43.5,\"arsenic\"]\n");
  for (const char* secret : {"17.125", "43.5", "arsenic"}) EXPECT_THAT(audit(), Not(HasSubstr(secret)));
}

TEST_F(ServerGuards, AnswerHeadAsGetWithoutTheBody) {
  start();
  create();
  ASSERT_EQ(post_rows(some_csv(10)).status, 202);
  const std::size_t length = ask(port(), "GET", "/v1/streams/air/latest", admin_).body.size();
  Connection connection(port());
  ASSERT_TRUE(
      connection.say(request("HEAD /v1/streams/air/latest", admin_) + request("GET /healthz", admin_)));
  const std::string head = connection.read_until("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("HTTP/1.1 200 "));
  EXPECT_THAT(head, HasSubstr(fmt::format("\r\nContent-Length: {}\r\n", length)));
  EXPECT_EQ(connection.reply().body, "ok\n") << "the next answer follows the header";
  EXPECT_THAT(Connection(port()).say(request("HEAD /v1/streams/air/events", admin_)), true);
  EXPECT_EQ(ask(port(), "HEAD", "/v1/streams/air/events", admin_).fields["allow"], "GET");
}

TEST_F(ServerGuards, RefuseFramingThatAProxyCouldReadInAnotherWay) {
  start();
  create();
  const std::string csv = "temp,co\n1,2\n";
  const auto status_of = [&](const std::string& fields, const std::string& body,
                             const std::string& version = "1.1") {
    return reply_to(fmt::format(
                        "POST /v1/streams/air/rows HTTP/{}\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n"
                        "Content-Type: text/csv\r\n{}\r\n{}",
                        version, admin_, fields, body))
        .status;
  };
  const std::string length = fmt::format("Content-Length: {}\r\n", csv.size());
  const std::string chunks = fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", csv.size(), csv);
  ASSERT_EQ(status_of(length, csv), 202);
  EXPECT_EQ(status_of(length + length, csv), 400);
  EXPECT_EQ(status_of("Content-Length: 12, 12\r\n", csv), 400);
  EXPECT_EQ(status_of("Content-Length: +12\r\n", csv), 400);
  EXPECT_EQ(status_of(length + "Transfer-Encoding: chunked\r\n", chunks), 400);
  EXPECT_EQ(status_of("Transfer-Encoding: chunked\r\n" + length, chunks), 400);
  EXPECT_EQ(status_of("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunks), 400);
  EXPECT_EQ(status_of("Transfer-Encoding: identity\r\n" + length, csv), 400);
  EXPECT_EQ(status_of("Transfer-Encoding: xchunked\r\n", chunks), 400);
  EXPECT_EQ(status_of("Transfer-Encoding: chunked\r\n", chunks, "1.0"), 400);
  EXPECT_EQ(status_of("Transfer-Encoding : chunked\r\n", chunks), 400);
  EXPECT_EQ(status_of("X: a\nTransfer-Encoding: chunked\r\n", chunks), 400);
  EXPECT_EQ(rows(), 1U);
}

TEST_F(ServerGuards, KnowTheirNamesInCapitalsAndTheAddressTheyListenAt) {
  start({"--host", "Stats.example.org", "--listen", "127.0.0.2:0"});
  const auto hosted = [&](const std::string& host) {
    Connection connection(port(), INADDR_LOOPBACK + 1);
    connection.say(fmt::format("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", host));
    return connection.reply().status;
  };
  EXPECT_EQ(hosted(fmt::format("127.0.0.2:{}", port())), 200);
  EXPECT_EQ(hosted("STATS.example.ORG"), 200);
  EXPECT_EQ(hosted(fmt::format("127.0.0.3:{}", port())), 421);
  EXPECT_EQ(hosted(fmt::format("0.0.0.0:{}", port())), 421);
}

TEST_F(ServerGuards, WriteOnlySomeRequestsOfStrangersIntoTheirLog) {
  start();
  Connection connection(port());
  const auto count = [&] {
    const std::string text = audit();
    return std::count(text.begin(), text.end(), '\n');
  };
  for (int i = 0; i < 1500; ++i) {
    ASSERT_EQ(ask(port(), "GET", "/v1/streams?token=" + admin_).status, 401);
  }
  // A thousand at once, then ten per second.
  EXPECT_GE(count(), 1000);
  const auto written = count();
  ASSERT_LT(written, 1500) << "this machine made 1500 requests in more than 50 seconds";
  EXPECT_THAT(audit(), Not(HasSubstr(admin_.substr(admin_.rfind('_')))));
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(ask(port(), "GET", "/nothing").status, 404);
  EXPECT_THAT(audit(), HasSubstr("\"left_out\":"));
  // Who is known is in the log however many others there are.
  EXPECT_EQ(ask(port(), "GET", "/v1/streams", admin_).status, 200);
  EXPECT_THAT(audit(), HasSubstr(fmt::format("\"token\":\"{}\"", admin_.substr(4, 12))));
}

TEST_F(ServerGuards, KeepFilesForStreamsHoweverManyConnectionsAreOpened) {
  start({}, {}, 80);
  create("first");
  Connection owner(port());
  std::vector<std::unique_ptr<Connection>> many;
  for (int i = 0; i < 200; ++i) {
    many.push_back(std::make_unique<Connection>(port()));
    many.back()->say("GET /healthz");
  }
  std::this_thread::sleep_for(200ms);
  const std::string body = wide_settings(2);
  ASSERT_TRUE(owner.say(
      request("POST /v1/streams", admin_, fmt::format("Content-Length: {}\r\n", body.size())) + body));
  EXPECT_EQ(owner.reply().status, 201);
  ASSERT_TRUE(owner.say(
      request("POST /v1/streams/wide/rows", admin_, "Content-Type: text/csv\r\nContent-Length: 10\r\n") +
      "c0,c1\n0,1\n"));
  EXPECT_EQ(owner.reply().status, 202);
}

TEST_F(ServerGuards, LeadToFurtherReleasesWithTheSameLimit) {
  start();
  create();
  ASSERT_EQ(post_rows(some_csv(50)).status, 202);
  std::string target = "/v1/streams/air/releases?limit=2", all;
  int answers = 0;
  for (; !target.empty() && answers < 10; ++answers) {
    HttpReply got = ask(port(), "GET", target, admin_);
    ASSERT_EQ(got.status, 200);
    EXPECT_LE(std::count(got.body.begin(), got.body.end(), '\n'), 2);
    all += got.body;
    const std::string link = got.fields["link"];
    target = link.empty() ? "" : link.substr(1, link.find('>') - 1);
  }
  EXPECT_EQ(answers, 3);
  EXPECT_EQ(all, releases());
}

}  // namespace
}  // namespace jme::test
