#include <regex>
#include <set>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/report/page.hpp>

#include "report/outline.hpp"
#include "report/samples.hpp"

namespace jme::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Page sample_page() {
  Page page("A page");
  std::vector<Figure> figures;
  for (const Drawing& drawing : Samples("word").drawings()) figures.push_back({drawing, text("caption")});
  page.lead(text("Lead.")).facts({{"3", "rows"}});
  page.section("First").figures(figures).section("Second").table(
      {.columns = {{"a"}, {"b", true}}, .rows = {{text("x"), text("1")}}});
  page.footer(text("End."));
  return page;
}

TEST(Page, IsWellFormedAndTheSameEveryTime) {
  EXPECT_NO_THROW(Outline(sample_page().html()));
  EXPECT_EQ(sample_page().html(), sample_page().html());
}

TEST(Page, LoadsNothingAndRunsNothing) {
  const std::string html = sample_page().html();
  const Outline outline(html);
  for (const Element& element : outline.elements()) {
    for (const char* name :
         {"script", "link", "img", "iframe", "object", "embed", "use", "image", "base", "form"}) {
      EXPECT_NE(element.name, name);
    }
    for (const auto& [key, value] : element.attributes) {
      EXPECT_THAT(key, Not(testing::StartsWith("on")));
      EXPECT_TRUE(key != "src" && key != "srcset" && key != "data") << key;
      EXPECT_TRUE(key != "href" || value.starts_with('#')) << value;
    }
  }
  EXPECT_THAT(html, Not(HasSubstr("url(")));
  EXPECT_THAT(html, Not(HasSubstr("@import")));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST(Page, IsForPhonesAndDarkScreensAndPaper) {
  const std::string html = sample_page().html();
  EXPECT_THAT(html, HasSubstr("width=device-width"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(html, HasSubstr("@media print"));
}

TEST(Page, GivesEveryIdOnceAndLinksToItsSections) {
  const Outline outline(sample_page().html());
  std::set<std::string> ids;
  for (const Element& element : outline.elements()) {
    const std::string id = element.attribute("id");
    EXPECT_TRUE(id.empty() || ids.insert(id).second) << id;
  }
  std::size_t links = 0;
  for (const Element& element : outline.named("a")) {
    EXPECT_TRUE(ids.contains(element.attribute("href").substr(1)));
    ++links;
  }
  EXPECT_EQ(links, 2U);
}

TEST(Page, DefinesEveryColourItUses) {
  const std::string html = sample_page().html();
  const std::regex use(R"(var\(--([a-z0-9-]+)\))");
  std::set<std::string> used;
  for (std::sregex_iterator it(html.begin(), html.end(), use), end; it != end; ++it) used.insert((*it)[1]);
  EXPECT_GT(used.size(), 20U);
  for (const std::string& name : used) EXPECT_THAT(html, HasSubstr("--" + name + ":"));
}

TEST(Page, RefusesARaggedTable) {
  EXPECT_THROW(Page("x").table({.columns = {{"a"}, {"b"}}, .rows = {{text("1")}}}), InvalidParameter);
}

}  // namespace
}  // namespace jme::report
