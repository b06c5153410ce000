// The page's files as a browser gets them. What the page does is tested in a browser (tests/browser).
#include <regex>
#include <set>

#include <gmock/gmock.h>

#include "serve/server.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ServedPage : public Served {
 protected:
  [[nodiscard]] HttpReply get(const std::string& target, const Fields& fields = {}) const {
    return ask(port(), "GET", target, "", "", fields);
  }
};

/// All first groups of a pattern.
std::set<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> result;
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it) {
    result.insert((*it)[1]);
  }
  return result;
}

/// Files that the page names, and those that its scripts import, directly or not.
std::set<std::string> files_of(const std::string& html,
                               const std::function<std::string(const std::string&)>& read) {
  std::set<std::string> known;
  std::vector<std::string> open;
  for (const std::string& path : found(html, R"re((?:src|href)="page/([^"]+)")re")) open.push_back(path);
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (!known.insert(name).second || !name.ends_with(".js") || name == "uplot.js") continue;
    for (const std::string& import : found(read(name), R"re(from "\./([^"]+)")re")) open.push_back(import);
  }
  return known;
}

TEST_F(ServedPage, NeedsNoTokenAndAllowsNothingButItsOwnFiles) {
  start();
  const HttpReply page = get("/");
  ASSERT_EQ(page.status, 200);
  EXPECT_EQ(page.fields.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(
      page.fields.at("content-security-policy"),
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  EXPECT_EQ(page.fields.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.fields.at("referrer-policy"), "no-referrer");
  EXPECT_EQ(ask(port(), "POST", "/", admin_, "{}").status, 405);
  EXPECT_EQ(get("/page/server.json").json().at("public_releases"), false);
  // The rest of the server keeps its own, stricter policy.
  EXPECT_EQ(get("/healthz").fields.at("content-security-policy"),
            "default-src 'none'; frame-ancestors 'none'");
}

TEST_F(ServedPage, HasNoScriptOrStyleInsideAndNothingFromElsewhere) {
  start();
  const std::string html = get("/").body;
  EXPECT_FALSE(std::regex_search(html, std::regex(R"(<script(?![^>]*\ssrc=))"))) << "a script inside";
  EXPECT_THAT(html, Not(HasSubstr("<style")));
  EXPECT_FALSE(std::regex_search(html, std::regex(R"(\s(style|on\w+)=)"))) << "a style or handler inside";
  const auto read = [&](const std::string& name) { return get("/page/" + name).body; };
  for (const std::string& name : files_of(html, read)) {
    if (name.starts_with("uplot.")) continue;
    const std::string text = read(name);
    for (const std::string& address : found(text, R"re((https?://[^\s"'`)]+))re")) {
      EXPECT_EQ(address, "http://www.w3.org/2000/svg") << name;  // a name space, not a place
    }
    EXPECT_FALSE(
        std::regex_search(text, std::regex(R"(innerHTML|insertAdjacentHTML|document\.write|\beval\()")))
        << name << " could read text of a stream as markup";
    EXPECT_THAT(text, Not(HasSubstr("localStorage"))) << name << ": a token must end with its tab";
  }
}

TEST_F(ServedPage, GivesEveryFileThatItNamesWithItsTypeAndATag) {
  start();
  const std::map<std::string, std::string> types{
      {"css", "text/css; charset=utf-8"}, {"js", "text/javascript; charset=utf-8"}, {"svg", "image/svg+xml"}};
  const std::string html = get("/").body;
  std::size_t bytes = html.size();
  const std::set<std::string> names =
      files_of(html, [&](const std::string& name) { return get("/page/" + name).body; });
  EXPECT_GE(names.size(), 20U) << "the check has lost its files";
  for (const std::string& name : names) {
    const HttpReply file = get("/page/" + name);
    ASSERT_EQ(file.status, 200) << name;
    EXPECT_EQ(file.fields.at("content-type"), types.at(name.substr(name.rfind('.') + 1))) << name;
    EXPECT_EQ(file.fields.at("cache-control"), "no-cache") << name;
    const std::string tag = file.fields.at("etag");
    const HttpReply again = get("/page/" + name, {{"If-None-Match", tag}});
    EXPECT_EQ(again.status, 304) << name;
    EXPECT_FALSE(again.fields.contains("content-length")) << "it would be that of the file";
    EXPECT_EQ(again.body, "") << name;
    EXPECT_EQ(again.fields.at("etag"), tag) << name;
    EXPECT_EQ(get("/page/" + name, {{"If-None-Match", "\"another\""}}).status, 200) << name;
    bytes += file.body.size();
  }
  EXPECT_LT(bytes, 200'000U) << "the page has become heavy";
}

TEST_F(ServedPage, GivesNothingElse) {
  start();
  for (const char* path : {"/page/", "/page/index.html", "/page/nothing.js", "/page/../api.cpp",
                           "/page/%2e%2e", "/page/vendor/uplot.js", "/index.html", "/page/LICENSE.uplot"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
}

TEST_F(ServedPage, IsRefusedUnderANameThatIsNotTheServers) {
  start();
  Connection connection(port());
  ASSERT_TRUE(connection.say("GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n"));
  EXPECT_EQ(connection.reply().status, 421);
}

TEST_F(ServedPage, ReadsSingleReleasesOfALongStream) {
  start();
  create();
  ASSERT_EQ(post_rows(some_csv(200)).status, 202);
  const auto releases_from = [&](const std::string& query) {
    return ask(port(), "GET", "/v1/streams/air/releases?" + query, admin_);
  };
  const HttpReply one = releases_from("since=35&limit=1");
  ASSERT_EQ(one.status, 200);
  EXPECT_EQ(one.json().at("t"), 40);
  EXPECT_THAT(one.fields.at("link"), HasSubstr("since=40"));
  const std::string three = releases_from("limit=3").body;
  EXPECT_EQ(std::count(three.begin(), three.end(), '\n'), 3);
  EXPECT_EQ(releases_from("since=195&limit=7").fields.count("link"), 0U);
  for (const char* wrong : {"limit=0", "limit=-1", "limit=x", "limit="}) {
    const HttpReply refused = releases_from(wrong);
    EXPECT_EQ(refused.status, 400) << wrong;
    EXPECT_EQ(refused.json().at("field"), "limit") << wrong;
  }
}

}  // namespace
}  // namespace jme::test
