#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "serve/server.hpp"

namespace jme::test {
namespace {

using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using namespace std::chrono_literals;

class HostileClient : public Served {
 protected:
  /// The status of the answer to these bytes; 0 where the connection was closed without one.
  [[nodiscard]] int status_of(const std::string& text) const {
    Connection connection(port());
    connection.say(text);
    return connection.reply().status;
  }
  [[nodiscard]] std::string with_host(const std::string& line, const std::string& more = "") const {
    return fmt::format("{}\r\nHost: 127.0.0.1:{}\r\n{}\r\n", line, port(), more);
  }
  [[nodiscard]] std::string bearer() const { return fmt::format("Authorization: Bearer {}\r\n", admin_); }
};

TEST_F(HostileClient, WhoSendsTooMuchGetsAClearAnswer) {
  start({"--header-bytes", "4096", "--body-bytes", "10000"});
  create();
  EXPECT_EQ(status_of(with_host("GET /healthz HTTP/1.1", "X: " + std::string(5000, 'x') + "\r\n")), 431);
  EXPECT_EQ(status_of("GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n"), 431);
  EXPECT_EQ(post_rows(std::string(10'001, '1')).status, 413);
  EXPECT_EQ(ask(port(), "POST", "/v1/streams", admin_, std::string(70'000, '[')).status, 413);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams", admin_, "body").status, 413);
  const std::string chunked =
      with_host("POST /v1/streams/air/rows HTTP/1.1",
                bearer() + "Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n");
  std::string long_body = chunked;
  for (int i = 0; i < 30; ++i) long_body += "400\r\n" + std::string(1024, '1') + "\r\n";
  EXPECT_EQ(status_of(long_body), 413);
  EXPECT_EQ(status_of(chunked + "10\r\ntemp,co\n1,2\n3,4\n\r\n0\r\n\r\n"), 202);
  EXPECT_EQ(rows(), 2U);
}

TEST_F(HostileClient, WhoBreaksTheFramingIsRefused) {
  start();
  create();
  const std::string rows_of = "POST /v1/streams/air/rows HTTP/1.1";
  const std::string csv = "Content-Type: text/csv\r\n";
  const auto refused = AnyOf(Eq(400), Eq(0));
  EXPECT_THAT(
      status_of(with_host(rows_of, bearer() + csv + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") +
                "0\r\n\r\n"),
      refused);
  EXPECT_THAT(
      status_of(with_host(rows_of, bearer() + csv + "Content-Length: 5\r\nContent-Length: 6\r\n") + "12345"),
      refused);
  EXPECT_THAT(status_of(with_host(rows_of, bearer() + csv + "Content-Length: -1\r\n")), refused);
  EXPECT_THAT(status_of(with_host(rows_of, bearer() + csv + "Content-Length: 99999999999999999999\r\n")),
              AnyOf(Eq(400), Eq(413)));
  EXPECT_THAT(status_of(with_host(rows_of, bearer() + csv + "Transfer-Encoding: chunked\r\n") +
                        "zz\r\nab\r\n0\r\n\r\n"),
              refused);
  EXPECT_THAT(status_of(with_host(rows_of, bearer() + csv + "Transfer-Encoding: chunked\r\n") +
                        "fffffffffffffffff\r\nab\r\n0\r\n\r\n"),
              AnyOf(Eq(400), Eq(413)));
  EXPECT_THAT(status_of("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n"), refused);
  EXPECT_THAT(status_of("GET /healthz\r\n\r\n"), refused);
  EXPECT_THAT(status_of("GET /healthz HTTP/3.0\r\n\r\n"), refused);
  EXPECT_THAT(status_of("GET  /healthz HTTP/1.1\r\nHost : a\r\n\r\n"), refused);
  EXPECT_THAT(status_of(with_host("GET /healthz HTTP/1.1", "A\x01: b\r\n")), refused);
  EXPECT_EQ(rows(), 0U);
}

TEST_F(HostileClient, WhoTriesPathsFindsNothing) {
  start();
  create();
  for (const char* path : {"/../etc/passwd", "//v1/streams", "/v1/streams/", "/v1//streams", "/v1/streams/..",
                           "/v1/streams/%61ir", "/v1/streams/air/rows/", "/v1/streams/air%00",
                           "/v1/streams/a ir", "/v1/streams/\xff\xfe", "/v1/streams/air/blocks/",
                           "/tokens.json", "/V1/streams", "*"}) {
    EXPECT_THAT(status_of(with_host(fmt::format("GET {} HTTP/1.1", path), bearer())), AnyOf(Eq(404), Eq(400)))
        << path;
  }
  EXPECT_EQ(ask(port(), "DELETE", "/v1/streams/air", admin_).status, 405);
  EXPECT_EQ(ask(port(), "TRACE", "/v1/streams/air", admin_).status, 405);
  EXPECT_EQ(ask(port(), "DELETE", "/v1/streams/air", admin_).fields["allow"], "GET, HEAD");
}

TEST_F(HostileClient, WhoComesThroughSomebodysBrowserIsRefused) {
  start({"--host", "stats.example.org"});
  const auto hosted = [&](const std::string& host, const std::string& more = "") {
    return status_of(fmt::format("GET /healthz HTTP/1.1\r\nHost: {}\r\n{}\r\n", host, more));
  };
  EXPECT_EQ(hosted("evil.example.org"), 421);
  EXPECT_EQ(hosted(fmt::format("127.0.0.1.evil.org:{}", port())), 421);
  EXPECT_EQ(hosted(""), 421);
  EXPECT_EQ(hosted(fmt::format("127.0.0.1:{}\r\nHost: evil.org", port())), 421);
  EXPECT_EQ(status_of("GET /healthz HTTP/1.1\r\n\r\n"), 421);
  EXPECT_EQ(hosted(fmt::format("localhost:{}", port())), 200);
  EXPECT_EQ(hosted("stats.example.org"), 200);
  EXPECT_EQ(hosted("stats.example.org", "Origin: https://stats.example.org\r\n"), 200);
  EXPECT_EQ(hosted("stats.example.org", "Origin: https://evil.org\r\n"), 403);
  EXPECT_EQ(hosted("stats.example.org", "Origin: null\r\n"), 403);
  EXPECT_EQ(ask(port(), "POST", "/v1/streams", admin_, "{}", {{"Sec-Fetch-Site", "cross-site"}}).status, 403);
}

TEST_F(HostileClient, WhoIsSlowOrSilentIsLetGo) {
  start({"--timeout", "0.15"});
  create();
  Connection silent(port()), half(port()), slow_body(port());
  ASSERT_TRUE(half.say("GET /healthz HTTP/1.1\r\nHo"));
  ASSERT_TRUE(slow_body.say(with_host("POST /v1/streams/air/rows HTTP/1.1",
                                      bearer() + "Content-Type: text/csv\r\nContent-Length: 100\r\n") +
                            "temp"));
  EXPECT_TRUE(half.is_closed_within(3s));
  EXPECT_TRUE(slow_body.is_closed_within(4s));
  EXPECT_TRUE(silent.is_closed_within(4s));
  Connection drip(port());
  bool open = true;
  for (int i = 0; i < 60 && open; ++i) {
    open = drip.say("x") && !drip.is_closed_within(30ms);
  }
  EXPECT_FALSE(open);
}

TEST_F(HostileClient, WhoSendsRequestsTogetherGetsTheAnswersInTheirOrder) {
  start();
  create();
  std::string text;
  for (const char* path : {"/healthz", "/nothing-here", "/readyz"})
    text += with_host(fmt::format("GET {} HTTP/1.1", path));
  Connection connection(port());
  ASSERT_TRUE(connection.say(text));
  EXPECT_EQ(connection.reply().status, 200);
  EXPECT_EQ(connection.reply().status, 404);  // after a refusal the connection ends
  EXPECT_EQ(connection.reply().status, 0);
  const std::string csv = some_csv(5);
  const std::string post =
      with_host("POST /v1/streams/air/rows HTTP/1.1",
                fmt::format("{}Content-Type: text/csv\r\nContent-Length: {}\r\n", bearer(), csv.size())) +
      csv;
  Connection writer(port());
  ASSERT_TRUE(writer.say(post + post + post));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(writer.reply().json().at("first"), 5 * i);
}

TEST_F(HostileClient, WhoPlaysWithChunksGetsNoMoreThanABody) {
  start({"--body-bytes", "1000", "--header-bytes", "4096"});
  create();
  const std::string chunked =
      with_host("POST /v1/streams/air/rows HTTP/1.1",
                bearer() + "Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n");
  const std::string end = "0\r\n\r\n", row = "temp,co\n1,2\n";
  std::string in_letters = chunked;
  for (const char letter : row) in_letters += fmt::format("1\r\n{}\r\n", letter);
  EXPECT_EQ(status_of(in_letters + end), 202);
  EXPECT_EQ(status_of(chunked + "c;name=\"value\"\r\n" + row + "\r\n0\r\nTrailer: x\r\n\r\n"), 202);
  // Too much of anything: an extension, a trailer, chunks, a size with a sign, one that ends early.
  for (const std::string& body :
       {"c;" + std::string(100'000, 'x') + "\r\n" + row + "\r\n" + end,
        "c\r\n" + row + "\r\n0\r\nTrailer: " + std::string(100'000, 'x') + "\r\n\r\n",
        "+c\r\n" + row + "\r\n" + end, "0xc\r\n" + row + "\r\n" + end, "c \r\n" + row + "X" + end,
        "fffffffe\r\n" + row + "\r\n" + end}) {
    EXPECT_THAT(status_of(chunked + body), AnyOf(Eq(400), Eq(413), Eq(431))) << body.substr(0, 40);
  }
  EXPECT_EQ(status_of(with_host("POST /v1/streams/air/rows HTTP/1.1",
                                bearer() + "Content-Type: text/csv\r\nTransfer-Encoding: gzip, chunked\r\n") +
                      "c\r\n" + row + "\r\n" + end),
            400);
  EXPECT_EQ(rows(), 2U);
}

TEST_F(HostileClient, WhoSendsBrokenTextIsToldOfTheFieldAndHarmsNobody) {
  start();
  create();
  const auto made = [&](const std::string& settings) {
    return ask(port(), "POST", "/v1/streams", admin_, settings);
  };
  for (const std::string& settings :
       {std::string("\xff\xfe{}"), std::string("{\"name\":\"\xc3\x28\"}"), std::string(60'000, '['),
        "{\"name\":" + std::string(30'000, '[') + std::string(30'000, ']') + "}",
        std::string("{\"name\":\"a\",\"epsilon\":1e999}"),
        std::string("{\"name\":\"a\",\"bounds\":{\"x\":[[[[[0]]]]]}}"),
        std::string("{\"name\":\"a\\u0000b\"}"), std::string(1, '\0')}) {
    const HttpReply refused = made(settings);
    EXPECT_EQ(refused.status, 422) << refused.body;
    EXPECT_TRUE(refused.json().contains("field"));
  }
  // Rows that nobody can read are rows; what is beside them counts.
  const std::string lines = "{\"temp\":1,\"co\":2}\n" + std::string(20'000, '[') + "\n\xff\xfe\xfd\n" +
                            std::string(3, '\0') + "\n{\"temp\":\"\xc3\x28\",\"co\":1}\n";
  const HttpReply taken =
      ask(port(), "POST", "/v1/streams/air/rows", admin_, lines, {{"Content-Type", "application/x-ndjson"}});
  ASSERT_EQ(taken.status, 202) << taken.body;
  EXPECT_EQ(taken.json().at("rows"), 5);
  EXPECT_EQ(taken.json().at("unread"), 4);
  EXPECT_EQ(post_rows(some_csv(1), "\xff\xfe\x80").status, 202);  // a key is bytes
  EXPECT_EQ(post_rows(some_csv(1), std::string(257, 'k')).status, 400);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air/releases?since=\xff", admin_).status, 400);
}

TEST_F(HostileClient, WhoGuessesTokensLearnsNothing) {
  start();
  create();
  std::string body;
  const std::string other = token("read", "other");
  for (const std::string& guess :
       {std::string("x"), admin_ + "x", admin_.substr(0, admin_.size() - 1), std::string(10'000, 'a'),
        admin_.substr(0, admin_.rfind('_') + 1),
        other.substr(0, other.rfind('_')) + admin_.substr(admin_.rfind('_')), std::string("\xff\xfe")}) {
    HttpReply refused = ask(port(), "GET", "/v1/streams", guess);
    EXPECT_EQ(refused.status, 401);
    // The same words for every guess.
    const std::string said = refused.json().at("detail");
    if (body.empty()) body = said;
    EXPECT_EQ(said, body);
  }
  EXPECT_EQ(ask(port(), "GET", "/v1/streams", "", "", {{"Authorization", "Basic " + admin_}}).status, 401);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams?token=" + admin_).status, 401);
}

TEST_F(HostileClient, WhoNeverReadsEventsOrNeverEndsAHeaderHoldsBackNobody) {
  start({"--timeout", "2"});
  create();
  std::vector<std::unique_ptr<Connection>> lazy;
  for (int i = 0; i < 200; ++i) {
    lazy.push_back(std::make_unique<Connection>(port()));
    lazy.back()->say(i % 2 == 0 ? with_host("GET /v1/streams/air/events HTTP/1.1", bearer())
                                : "GET /healthz HTTP/1.1\r\nX: ");
  }
  ASSERT_EQ(post_rows(some_csv(1000)).status, 202);
  const long before = server_->memory();
  // Far more than the buffers of a hundred connections hold.
  for (int i = 0; i < 20; ++i) ASSERT_EQ(post_rows(some_csv(2000)).status, 202);
  expect_growth_below(30'000, before);
  EXPECT_EQ(rows(), 41'000U);
}

TEST_F(HostileClient, CostsBoundedMemory) {
  start({"--waiting-bytes", "20000000", "--connections", "100", "--timeout", "5"});
  create();
  const std::string rubbish = [] {
    std::string text = "temp,co\n";
    for (int i = 0; i < 2000; ++i) text += "\xff\xfe,\"" + std::string(400, '[') + "\n";
    return text;
  }();
  const auto attack = [&] {
    static_cast<void>(post_rows(rubbish));
    static_cast<void>(ask(port(), "POST", "/v1/streams", admin_, std::string(60'000, '{')));
    static_cast<void>(ask(port(), "POST", "/v1/streams", admin_, "{\"name\":" + std::string(60'000, '[')));
    static_cast<void>(post_rows(some_csv(2), std::string(1000, 'k')));
    static_cast<void>(status_of(std::string(20'000, 'A')));
  };
  for (int i = 0; i < 10; ++i) attack();
  const long before = server_->memory();
  for (int i = 0; i < 30; ++i) attack();
  std::vector<std::unique_ptr<Connection>> many;
  for (int i = 0; i < 150; ++i) {
    many.push_back(std::make_unique<Connection>(port()));
    many.back()->say(with_host("POST /v1/streams/air/rows HTTP/1.1",
                               bearer() + "Content-Type: text/csv\r\nContent-Length: 15000000\r\n") +
                     "temp");
  }
  std::this_thread::sleep_for(200ms);
  expect_growth_below(40'000, before);
  many.clear();
  for (int i = 0; i < 100 && ask(port(), "GET", "/healthz").status != 200; ++i)
    std::this_thread::sleep_for(20ms);
  EXPECT_EQ(ask(port(), "GET", "/healthz").status, 200);
  EXPECT_EQ(post_rows(some_csv(1)).status, 202);
}

}  // namespace
}  // namespace jme::test
