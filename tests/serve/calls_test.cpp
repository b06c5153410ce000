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

class ServerCalls : public Served {};

std::string settings(const std::string& name, const std::string& more = "") {
  return fmt::format(
      R"({{"name":"{}","epsilon":1,"delta":1e-6,"bounds":{{"temp":[-20,45],"co":[0,100]}},"rows":100000,"every":10{}}})",
      name, more);
}

/// Whether a value has the form that OpenAPI's schema says: what our schemas use of JSON Schema.
bool fits(const Json& value, const Json& schema, const Json& document) {
  if (schema.contains("$ref")) {
    const std::string reference = schema["$ref"];
    return fits(value, document.at("components").at("schemas").at(reference.substr(reference.rfind('/') + 1)),
                document);
  }
  if (schema.contains("enum"))
    return std::find(schema["enum"].begin(), schema["enum"].end(), value) != schema["enum"].end();
  if (schema.contains("type") && schema["type"].is_array()) {
    return std::any_of(schema["type"].begin(), schema["type"].end(), [&](const Json& type) {
      Json one = schema;
      one["type"] = type;
      return fits(value, one, document);
    });
  }
  const std::string type = schema.value("type", "object");
  if (type == "null") return value.is_null();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer() && value >= schema.value("minimum", value);
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  if (type == "array") {
    return value.is_array() && std::all_of(value.begin(), value.end(), [&](const Json& item) {
             return !schema.contains("items") || fits(item, schema["items"], document);
           });
  }
  if (!value.is_object()) return false;
  for (const Json& key : schema.value("required", Json::array())) {
    if (!value.contains(key.get<std::string>())) return false;
  }
  const Json known = schema.value("properties", Json::object());
  return std::all_of(known.items().begin(), known.items().end(), [&](const auto& property) {
    return !value.contains(property.key()) || fits(value[property.key()], property.value(), document);
  });
}

TEST_F(ServerCalls, AreDescribedByOpenApiAndAnswerAsItSays) {
  start();
  const HttpReply description = ask(port(), "GET", "/openapi.json");
  ASSERT_EQ(description.status, 200);
  const Json document = description.json();
  std::size_t checked = 0;
  const auto expect = [&](const std::string& path, const std::string& method, const HttpReply& got,
                          int status) {
    EXPECT_EQ(got.status, status) << path << ": " << got.body;
    const Json& answers = document.at("paths").at(path).at(method).at("responses");
    const std::string code = std::to_string(got.status);
    const Json& answer = answers.contains(code) ? answers.at(code) : answers.at("default");
    const std::string type = got.fields.at("content-type").substr(0, got.fields.at("content-type").find(';'));
    ASSERT_TRUE(answer.at("content").contains(type)) << path << " answers with " << type;
    ++checked;
    if (type == "application/json" || type == "application/problem+json") {
      EXPECT_TRUE(fits(got.json(), answer.at("content").at(type).at("schema"), document))
          << path << ": " << got.body;
    }
  };
  expect("/healthz", "get", ask(port(), "GET", "/healthz"), 200);
  expect("/readyz", "get", ask(port(), "GET", "/readyz"), 200);
  expect("/openapi.json", "get", description, 200);
  expect("/v1/streams", "post", ask(port(), "POST", "/v1/streams?dry_run=1", admin_, settings("air")), 200);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air", admin_).status, 404);
  expect("/v1/streams", "post", ask(port(), "POST", "/v1/streams", admin_, settings("air")), 201);
  expect("/v1/streams", "post", ask(port(), "POST", "/v1/streams", admin_, settings("air")), 200);
  expect("/v1/streams", "post",
         ask(port(), "POST", "/v1/streams", admin_, settings("air", R"(,"shape":"identity")")), 409);
  const HttpReply wrong = ask(port(), "POST", "/v1/streams", admin_, settings("b", R"(,"workload":"sum")"));
  expect("/v1/streams", "post", wrong, 422);
  EXPECT_EQ(wrong.json().at("field"), "workload");
  expect("/v1/streams/{S}/latest", "get", ask(port(), "GET", "/v1/streams/air/latest", admin_), 404);
  expect("/v1/streams/{S}/rows", "post", post_rows(some_csv(25)), 202);
  expect("/v1/streams/{S}/latest", "get", ask(port(), "GET", "/v1/streams/air/latest", admin_), 200);
  expect("/v1/streams/{S}/releases", "get", ask(port(), "GET", "/v1/streams/air/releases", admin_), 200);
  expect("/v1/streams/{S}/compare", "get",
         ask(port(), "GET", "/v1/streams/air/compare?from=10&to=20", admin_), 200);
  expect("/v1/streams/{S}/compare", "get", ask(port(), "GET", "/v1/streams/air/compare", admin_), 400);
  expect("/v1/streams/{S}/compare", "get", ask(port(), "GET", "/v1/streams/air/compare?from=11", admin_),
         422);
  expect("/v1/streams/{S}", "get", ask(port(), "GET", "/v1/streams/air", admin_), 200);
  expect("/v1/streams", "get", ask(port(), "GET", "/v1/streams", admin_), 200);
  expect("/v1/ledger", "get", ask(port(), "GET", "/v1/ledger", admin_), 200);
  expect("/metrics", "get", ask(port(), "GET", "/metrics", admin_), 200);
  expect("/internal/metrics", "get", ask(port(), "GET", "/internal/metrics", admin_), 200);
  expect("/v1/streams/{S}/blocks/{ID}", "put",
         ask(port(), "PUT", "/v1/streams/air/blocks/b1", admin_, "no sums",
             {{"Content-Type", "application/octet-stream"}}),
         422);
  EXPECT_EQ(checked, 21U);
  // Every path that is described exists.
  for (const auto& [path, calls] : document.at("paths").items()) {
    std::string target = path;
    if (const auto at = target.find("{S}"); at != std::string::npos) target.replace(at, 3, "air");
    if (const auto at = target.find("{ID}"); at != std::string::npos) target.replace(at, 4, "b");
    EXPECT_EQ(ask(port(), "DELETE", target, admin_).status, 405) << path;
  }
}

TEST_F(ServerCalls, ThatNeedNoTokenAreDescribedWithoutOne) {
  start();
  const Json document = ask(port(), "GET", "/openapi.json").json();
  std::size_t without = 0;
  for (const auto& [path, calls] : document.at("paths").items()) {
    if (!calls.contains("get") || path.find('{') != std::string::npos) continue;
    const bool needs_none = ask(port(), "GET", path).status == 200;
    const Json security = calls.at("get").value("security", document.at("security"));
    EXPECT_EQ(security == Json::array(), needs_none) << path;
    without += needs_none ? 1 : 0;
  }
  EXPECT_EQ(without, 4U);
}

TEST_F(ServerCalls, ToCreateStreamsTakeTheSettingsThatAreDescribedAndNoOthers) {
  start();
  const Json schema =
      ask(port(), "GET", "/openapi.json").json().at("components").at("schemas").at("Settings");
  const Json& known = schema.at("properties");
  EXPECT_GT(known.size(), 30U);
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_EQ(known.at("on_bad_row").at("default"), "zero");
  // A value of a wrong type is refused by the name of its setting; one that is not described, as unknown.
  for (const auto& [name, property] : known.items()) {
    Json settings{{"name", "air"}};
    settings[name] = nullptr;
    const HttpReply refused = ask(port(), "POST", "/v1/streams?dry_run=1", admin_, settings.dump());
    EXPECT_EQ(refused.status, 422) << name;
    EXPECT_EQ(refused.json().at("field"), name);
  }
  for (const char* name : {"state", "stream", "follow", "insecure_test_seed", "nonsense"}) {
    EXPECT_FALSE(known.contains(name)) << name;
    const std::string body =
        settings("air", fmt::format(R"(,"{}":{})", name, name == std::string("follow") ? "true" : "\"1\""));
    EXPECT_EQ(ask(port(), "POST", "/v1/streams?dry_run=1", admin_, body).status, 422) << name;
  }
}

TEST_F(ServerCalls, RefuseNamesOfColumnsThatShowAsOthers) {
  start();
  const HttpReply refused =
      ask(port(), "POST", "/v1/streams", admin_,
          R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"ok":[0,1],"a\u202eb":[0,1]},"rows":10})");
  EXPECT_EQ(refused.status, 422) << refused.body;
  EXPECT_EQ(refused.json().at("field"), "columns");
  EXPECT_THAT(refused.body, HasSubstr("column 2 has the character U+202E"));
}

TEST_F(ServerCalls, InAbsoluteFormAreThoseOfTheirPath) {
  start();
  create();
  const std::string here = fmt::format("http://127.0.0.1:{}", port());
  EXPECT_EQ(ask(port(), "GET", here + "/healthz").status, 200);
  EXPECT_EQ(ask(port(), "GET", here).status, 200) << "an empty path is that of the page";
  EXPECT_EQ(ask(port(), "GET", "HTTP" + here.substr(4) + "/v1/streams", admin_).status, 200);
  EXPECT_EQ(ask(port(), "GET", here + "/v1/streams/air/releases?since=0", admin_).status, 200);
  EXPECT_EQ(ask(port(), "GET", here + "/v1/streams").status, 401);
  // The host is that of the address, whatever the Host field says.
  EXPECT_EQ(ask(port(), "GET", "http://elsewhere.example/healthz").status, 421);
  EXPECT_EQ(ask(port(), "GET", fmt::format("http://me@127.0.0.1:{}/healthz", port())).status, 421);
  EXPECT_EQ(ask(port(), "GET", "ftp://127.0.0.1/healthz").status, 404);
  EXPECT_EQ(ask(port(), "GET", "/metrics", admin_).fields.at("content-type"),
            "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(ServerCalls, GiveReleasesAfterARowAndTheNewestOne) {
  start();
  create();
  const HttpReply taken = post_rows(some_csv(25));
  EXPECT_EQ(taken.status, 202);
  EXPECT_EQ(taken.json(),
            Json::parse(R"({"rows":25,"unread":0,"first":0,"released":[10,20],"repeated":false})"));
  const std::string all = releases();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 2);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air/releases?since=10", admin_).body,
            all.substr(all.find('\n') + 1));
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air/releases?since=20", admin_).body, "");
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air/releases?since=-1", admin_).status, 400);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air/latest", admin_).body, all.substr(all.find('\n') + 1));
  const HttpReply json =
      ask(port(), "POST", "/v1/streams/air/rows", admin_, "{\"temp\":1,\"co\":2}\nnonsense\n",
          {{"Content-Type", "application/x-ndjson; charset=utf-8"}});
  EXPECT_EQ(json.status, 202) << json.body;
  EXPECT_EQ(json.json().at("unread"), 1);
  EXPECT_EQ(rows(), 27U);
  EXPECT_EQ(
      ask(port(), "POST", "/v1/streams/air/rows", admin_, "1,2", {{"Content-Type", "text/plain"}}).status,
      415);
  EXPECT_EQ(
      ask(port(), "POST", "/v1/streams/none/rows", admin_, "1,2", {{"Content-Type", "text/csv"}}).status,
      404);
}

TEST_F(ServerCalls, ToWriteNeedATokenOfTheRightRoleAndStream) {
  start();
  create();
  create("other");
  const std::string writer = token("write", "air"), reader = token("read", "air"),
                    stranger = token("admin", "other");
  EXPECT_EQ(
      ask(port(), "POST", "/v1/streams/air/rows", "", some_csv(1), {{"Content-Type", "text/csv"}}).status,
      401);
  EXPECT_EQ(post_rows(some_csv(1), "", "jme_000000000000_1").status, 401);
  EXPECT_EQ(post_rows(some_csv(1), "", reader).status, 403);
  EXPECT_EQ(post_rows(some_csv(1), "", stranger).status, 403);
  EXPECT_EQ(post_rows(some_csv(25), "", writer).status, 202);
  const auto status = [&](const std::string& target, const std::string& with) {
    return ask(port(), "GET", target, with).status;
  };
  for (const char* call : {"/v1/streams/air/releases", "/v1/streams/air/latest"}) {
    EXPECT_EQ(status(call, ""), 401) << call;
    EXPECT_EQ(status(call, writer), 403) << call;
    EXPECT_EQ(status(call, stranger), 403) << call;
    EXPECT_EQ(status(call, reader), 200) << call;
  }
  EXPECT_EQ(status("/metrics", writer), 403);
  EXPECT_EQ(status("/v1/ledger", writer), 403);
  EXPECT_EQ(status("/v1/ledger", stranger), 403);
  EXPECT_EQ(status("/internal/metrics", stranger), 403);
  EXPECT_EQ(ask(port(), "POST", "/v1/streams", writer, settings("new")).status, 403);
  EXPECT_EQ(ask(port(), "POST", "/v1/streams", stranger, settings("new")).status, 403);
  EXPECT_EQ(ask(port(), "POST", "/v1/streams", stranger, settings("other")).status, 200);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams", reader).json().at("streams").size(), 1U);
}

TEST_F(ServerCalls, TellReadersNoNumberOfRows) {
  start();
  create();
  const std::string reader = token("read", "*"), writer = token("write", "air");
  ASSERT_EQ(post_rows(some_csv(27) + "bad,row\n", "", writer).status, 202);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air", writer).json().at("writer").at("rows"), 28);
  for (const char* call : {"/v1/streams", "/v1/streams/air", "/v1/streams/air/releases", "/metrics"}) {
    const std::string body = ask(port(), "GET", call, reader).body;
    for (const char* count : {":28,", ":28}", " 28\n"}) EXPECT_THAT(body, Not(HasSubstr(count))) << call;
    EXPECT_THAT(body, Not(HasSubstr("writer"))) << call;
    EXPECT_THAT(body, Not(HasSubstr("bad_rows"))) << call;
  }
  const std::string metrics = ask(port(), "GET", "/metrics", reader).body;
  EXPECT_THAT(metrics, HasSubstr("jme_releases_total{stream=\"air\"} 2\n"));
  EXPECT_THAT(metrics, HasSubstr("jme_mean{stream=\"air\",column=\"temp\"} "));
  const std::string internal = ask(port(), "GET", "/internal/metrics", admin_).body;
  EXPECT_THAT(internal, HasSubstr("jme_rows_total{stream=\"air\"} 28\n"));
  EXPECT_THAT(internal, HasSubstr("jme_rows_changed_total{stream=\"air\",kind=\"bad_rows\"} 1\n"));
}

// Exact counts of cells are data. They are for whoever sent these cells, and nobody else.
TEST_F(ServerCalls, TellClampedCellsInTheAnswerToTheirRequestAndNowhereElse) {
  start();
  create();
  const HttpReply taken = post_rows("temp,co\n98.6,1\n-30,1\n20,1\n99,100\n");
  ASSERT_EQ(taken.status, 202) << taken.body;
  EXPECT_EQ(taken.json().at("clamped"), Json::parse(R"([{"column":"temp","cells":4,"low":1,"high":2}])"));
  EXPECT_FALSE(post_rows("temp,co\n45,0\n").json().contains("clamped"));
  EXPECT_EQ(rows(), 5U);
  for (const char* call : {"/v1/streams/air", "/v1/streams", "/metrics", "/internal/metrics"}) {
    const HttpReply reply = ask(port(), "GET", call, admin_);
    ASSERT_EQ(reply.status, 200) << call;
    EXPECT_THAT(reply.body, Not(HasSubstr("clamped_"))) << call;
    EXPECT_THAT(reply.body, Not(HasSubstr("\"clamped\""))) << call;
  }
}

// Whether a person had a row before could be read off such a number.
TEST_F(ServerCalls, TellWritersNothingAboutOthersRowsWhereCountsArePrivate) {
  start();
  const std::string limited =
      R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":100,"every":10,"person":"who","rows_per_person":1})";
  ASSERT_EQ(ask(port(), "POST", "/v1/streams", admin_, limited).status, 201);
  const std::string writer = token("write", "air");
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(post_rows("temp,co,who\n1,2,somebody\n", "", writer).status, 202);
    EXPECT_FALSE(ask(port(), "GET", "/v1/streams/air", writer).json().at("writer").contains("notes"));
    EXPECT_THAT(ask(port(), "GET", "/internal/metrics", admin_).body, Not(HasSubstr("over_limit")));
  }
}

TEST_F(ServerCalls, TellWritersNothingAboutCellsThatOthersLeftOut) {
  start();
  const std::string filled =
      R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":100,"every":10,"missing":"centre"})";
  ASSERT_EQ(ask(port(), "POST", "/v1/streams", admin_, filled).status, 201);
  ASSERT_EQ(post_rows("temp,co\n1,\n", "", token("write", "air")).status, 202);
  const auto other = ask(port(), "GET", "/v1/streams/air", token("write", "air")).json().at("writer");
  EXPECT_EQ(other.at("rows"), 1);
  EXPECT_FALSE(other.contains("notes"));
  const auto owner = ask(port(), "GET", "/v1/streams/air", admin_).json().at("writer").at("notes");
  ASSERT_EQ(owner.size(), 2U);
  EXPECT_EQ(owner.at(1).at("column"), "co");
}

TEST_F(ServerCalls, ReadPublicReleasesWithoutATokenOnlyWhereThatWasAskedFor) {
  start({"--public-releases"});
  create();
  ASSERT_EQ(post_rows(some_csv(10)).status, 202);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams/air/latest").status, 200);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams").status, 200);
  EXPECT_THAT(ask(port(), "GET", "/v1/streams/air").body, Not(HasSubstr("writer")));
  EXPECT_EQ(ask(port(), "GET", "/v1/ledger").status, 401);
  EXPECT_EQ(ask(port(), "GET", "/internal/metrics").status, 401);
  EXPECT_EQ(
      ask(port(), "POST", "/v1/streams/air/rows", "", some_csv(1), {{"Content-Type", "text/csv"}}).status,
      401);
}

TEST_F(ServerCalls, LetARenewedTokenSendAgainWhatItSentBefore) {
  start();
  create();
  const std::string old = token("write", "air"), id = old.substr(4, 12), folder = state().string();
  EXPECT_EQ(post_rows(some_csv(2), "monday", old).status, 202);
  const CommandResult renewed = jme({"token", "renew", id, "--state", folder});
  ASSERT_EQ(renewed.code, 0) << renewed.err;
  const std::string writer = renewed.out.substr(0, renewed.out.find('\n'));
  EXPECT_EQ(post_rows(some_csv(2), "monday", old).status, 401);
  const HttpReply again = post_rows(some_csv(2), "monday", writer);
  EXPECT_EQ(again.status, 202) << again.body;
  EXPECT_EQ(again.json().at("repeated"), true);
  EXPECT_EQ(post_rows(some_csv(2), "monday", token("write", "air")).status, 403);
  EXPECT_EQ(rows(), 2U);
  EXPECT_EQ(jme({"token", "renew", id, "--state", folder, "--expires", "30d"}).code, 0);
  expect_refused(jme({"token", "renew", id, "--state", folder}), 2, "or never");
  EXPECT_EQ(jme({"token", "renew", id, "--state", folder, "--expires", "never"}).code, 0);
  expect_refused(jme({"token", "renew", "000000000000", "--state", folder}), 2, "id");
}

TEST_F(ServerCalls, SayWhatACallTakesWhereItIsNotAsked) {
  start();
  create();
  const auto detail = [&](const std::string& target, const Fields& fields = {}) {
    return ask(port(), "GET", target, fields.empty() ? admin_ : "", "", fields)
        .json()
        .at("detail")
        .get<std::string>();
  };
  EXPECT_THAT(detail("/v1/streams/air/releases?form=2"), HasSubstr("it knows since, limit"));
  EXPECT_THAT(detail("/v1/streams/air?x"), HasSubstr("it knows none"));
  EXPECT_THAT(detail("/v1/streams", {{"Authorization", admin_}}), HasSubstr("Bearer TOKEN"));
  const HttpReply events =
      ask(port(), "GET", "/v1/streams/air/events", admin_, "", {{"Last-Event-ID", "abc"}});
  EXPECT_EQ(events.json().at("field"), "last_event_id");
}

TEST_F(ServerCalls, KnowTokensThatWereMadeRevokedOrExpiredWhileTheServerRuns) {
  start();
  create();
  const std::string writer = token("write", "air"), shortly = token("write", "air", "1s");
  EXPECT_EQ(post_rows(some_csv(1), "", writer).status, 202);
  const CommandResult list = jme({"token", "list", "--state", state().string(), "--json"});
  EXPECT_EQ(list.json().at("tokens").size(), 3U);
  EXPECT_THAT(list.out, Not(HasSubstr(writer.substr(writer.rfind('_')))));
  const std::string id = writer.substr(4, 12);
  EXPECT_EQ(jme({"token", "revoke", id, "--state", state().string()}).code, 0);
  EXPECT_EQ(jme({"token", "revoke", id, "--state", state().string()}).code, 2);
  EXPECT_EQ(post_rows(some_csv(1), "", writer).status, 401);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_EQ(post_rows(some_csv(1), "", shortly).status, 401);
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(jme({"token", "add", "--state", state().string(), "--stream", "a b", "--role", "read"}).code, 2);
  EXPECT_EQ(jme({"token", "add", "--state", state().string(), "--stream", "a", "--role", "owner"}).code, 2);
}

TEST_F(ServerCalls, ThatConflictSayNothingAboutTheRowsThatWereThere) {
  start();
  create();
  const std::string other = token("write", "air");
  ASSERT_EQ(post_rows(some_csv(3), "key").status, 202);
  const HttpReply again = post_rows(some_csv(3), "key");
  EXPECT_EQ(again.status, 202);
  EXPECT_TRUE(again.json().at("repeated").get<bool>());
  const auto without_id = [](const HttpReply& got) {
    Json body = got.json();
    body.erase("request");
    return std::to_string(got.status) + body.dump();
  };
  EXPECT_THAT(without_id(post_rows(some_csv(3, 1), "key")), HasSubstr("409"));
  EXPECT_EQ(without_id(post_rows(some_csv(3, 1), "key")), without_id(post_rows(some_csv(30), "key")));
  EXPECT_THAT(without_id(post_rows(some_csv(3), "key", other)), HasSubstr("403"));
  EXPECT_EQ(without_id(post_rows(some_csv(3), "key", other)),
            without_id(post_rows(some_csv(9), "key", other)));
  const auto ranged = [&](const std::string& range, const std::string& with) {
    return ask(port(), "POST", "/v1/streams/air/rows", with, some_csv(2),
               {{"Content-Type", "text/csv"}, {"Content-Range", range}});
  };
  EXPECT_EQ(ranged("rows 0-1/*", other).status, 403);
  EXPECT_EQ(ranged("rows 0-1/*", admin_).status, 409);
  EXPECT_EQ(ranged("rows 3-4/*", admin_).status, 202);
  EXPECT_TRUE(ranged("rows 3-4/*", admin_).json().at("repeated").get<bool>());
  EXPECT_EQ(ranged("rows 3-5/*", admin_).status, 422);
  EXPECT_EQ(ranged("bytes 0-1/*", admin_).status, 400);
  EXPECT_EQ(post_rows(some_csv(1), "", other).status, 403);
  EXPECT_EQ(rows(), 5U);
}

TEST_F(ServerCalls, ForEventsSendWhatWasReleasedAndWhatComes) {
  start();
  create();
  ASSERT_EQ(post_rows(some_csv(25)).status, 202);
  const auto follow = [&](Connection& connection, const std::string& more) {
    ASSERT_TRUE(connection.say(fmt::format(
        "GET /v1/streams/air/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n{}\r\n",
        port(), admin_, more)));
    const HttpReply head = connection.reply();
    ASSERT_EQ(head.status, 200);
    EXPECT_EQ(head.fields.at("content-type"), "text/event-stream");
    EXPECT_EQ(connection.read_until("\n\n"), "retry: 2000\n\n");
  };
  Connection first(port()), resumed(port());
  follow(first, "");
  follow(resumed, "Last-Event-ID: 10\r\n");
  const std::string all = releases();
  const auto event = [&](int t, const std::string& lines) {
    std::string line = lines.substr(lines.find(fmt::format("{{\"t\":{},", t)));
    line.resize(line.find('\n'));
    return fmt::format("id: {}\ndata: {}\n\n", t, line);
  };
  EXPECT_EQ(first.read_until("\n\n"), event(10, all));
  EXPECT_EQ(first.read_until("\n\n"), event(20, all));
  EXPECT_EQ(resumed.read_until("\n\n"), event(20, all));
  ASSERT_EQ(post_rows(some_csv(5)).status, 202);
  const std::string later = releases();
  EXPECT_EQ(first.read_until("\n\n"), event(30, later));
  EXPECT_EQ(resumed.read_until("\n\n"), event(30, later));
}

TEST_F(ServerCalls, OfStreamsWithSlotsOfTimeTellNobodyNumbersOfRowsAndGiveReleasesOnTime) {
  start();
  const std::string settings =
      R"({"name":"clock","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"every":"1s","steps":1000})";
  ASSERT_EQ(ask(port(), "POST", "/v1/streams", admin_, settings).status, 201);
  EXPECT_EQ(ask(port(), "POST", "/v1/streams", admin_, settings).status, 200);
  const std::string writer = token("write", "clock");
  const auto post = [&](const Fields& more) {
    Fields fields{{"Content-Type", "text/csv"}};
    fields.insert(fields.end(), more.begin(), more.end());
    return ask(port(), "POST", "/v1/streams/clock/rows", writer, some_csv(28), fields);
  };
  const HttpReply taken = post({{"Idempotency-Key", "a"}});
  ASSERT_EQ(taken.status, 202) << taken.body;
  EXPECT_FALSE(taken.json().contains("first"));
  EXPECT_EQ(post({{"Idempotency-Key", "a"}}).json().at("slot"), taken.json().at("slot"));
  EXPECT_EQ(post({{"Content-Range", "rows 0-27/*"}}).status, 422);
  Connection reader(port());
  ASSERT_TRUE(reader.say(fmt::format(
      "GET /v1/streams/clock/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
      port(), admin_)));
  ASSERT_EQ(reader.reply().status, 200);
  static_cast<void>(reader.read_until("\n\n"));
  for (int t = 1; t <= 2; ++t) {
    EXPECT_THAT(reader.read_until("\n\n"),
                HasSubstr(fmt::format("id: {}\ndata: {{\"t\":{},\"time\":", t, t)));
  }
  const Json shown = ask(port(), "GET", "/v1/streams/clock", writer).json();
  EXPECT_FALSE(shown.contains("writer"));
  EXPECT_TRUE(shown.at("due").is_string());
  EXPECT_EQ(shown.at("budget").at("spent"), true);
  EXPECT_THAT(ask(port(), "GET", "/metrics", admin_).body,
              HasSubstr("jme_next_release_timestamp_seconds{stream=\"clock\"} "));
  const std::string internal = ask(port(), "GET", "/internal/metrics", admin_).body;
  EXPECT_THAT(internal, Not(HasSubstr("jme_rows_total{")));
  EXPECT_THAT(internal, Not(HasSubstr("jme_write_requests_total{")));
  EXPECT_THAT(read_text(state() / "audit.log"), Not(HasSubstr("\"rows\":")));
}

TEST_F(ServerCalls, AreInAnAuditLogWithoutTokensOrRows) {
  start();
  create();
  ASSERT_EQ(post_rows("temp,co\n17.125,43.5\n").status, 202);
  static_cast<void>(releases());
  const std::string log = read_text(state() / "audit.log");
  EXPECT_THAT(log, HasSubstr("\"action\":\"POST /v1/streams\",\"status\":201"));
  EXPECT_THAT(log, HasSubstr("\"action\":\"POST /v1/streams/air/rows\",\"status\":202,\"rows\":1}"));
  EXPECT_THAT(log, HasSubstr("\"action\":\"GET /v1/streams/air/releases\",\"status\":200}"));
  EXPECT_THAT(log, HasSubstr("\"token\":\"" + admin_.substr(4, 12) + "\""));
  EXPECT_THAT(log, Not(HasSubstr(admin_.substr(admin_.rfind('_')))));
  EXPECT_THAT(log, Not(HasSubstr("17.125")));
}

TEST_F(ServerCalls, OfATokenAreLimitedInTheirRate) {
  start({"--rate", "1"});
  std::map<int, int> statuses;
  HttpReply last;
  for (int i = 0; i < 10; ++i) {
    last = ask(port(), "GET", "/v1/streams", admin_);
    ++statuses[last.status];
  }
  EXPECT_GE(statuses[200], 1);
  EXPECT_GE(statuses[429], 3);
  EXPECT_EQ(ask(port(), "GET", "/v1/streams", admin_).fields["retry-after"], "1");
  EXPECT_EQ(ask(port(), "GET", "/healthz").status, 200);
}

}  // namespace
}  // namespace jme::test
