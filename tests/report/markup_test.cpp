#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/report/markup.hpp>
#include <jme/report/page.hpp>

#include "report/outline.hpp"
#include "report/samples.hpp"
#include "report/unicode.hpp"

namespace jme::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Escaped, SignsOfMarkupBecomeReferences) {
  EXPECT_EQ(escaped(R"(<b a="x" b='y'> & µ)"), "&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt; &amp; µ");
}

TEST(Escaped, WhatNoDocumentMayHoldIsReplaced) {
  const std::string r = "\uFFFD";
  EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a" + r + "b");
  EXPECT_EQ(escaped("a\x1b[31mb\x7f"), "a" + r + "[31mb" + r);
  EXPECT_EQ(escaped("\xff\xfe"), r + r);
  EXPECT_EQ(escaped("\xc3"), r);                          // cut short
  EXPECT_EQ(escaped("\xc0\xbc"), r + r);                  // '<' encoded in two bytes
  EXPECT_EQ(escaped("\xe0\x80\xbc"), r + r + r);          // three bytes
  EXPECT_EQ(escaped("\xed\xa0\x80"), r);                  // half a surrogate pair
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), r + r + r + r);  // beyond Unicode
  EXPECT_EQ(escaped("\u202Etxt.exe"), r + "txt.exe");     // reverses what follows
  EXPECT_EQ(escaped("tab\tline\n µ 测 🙂"), "tab\tline\n µ 测 🙂");
}

TEST(Escaped, RandomBytesComeOutAsTextAndStayAsTheyAreWhenReadAgain) {
  unsigned state = 1;
  for (int run = 0; run < 2000; ++run) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) {
      state = state * 1664525 + 1013904223;
      bytes += static_cast<char>(state >> 24);
    }
    const std::string once = encoded(decoded(bytes));
    EXPECT_EQ(encoded(decoded(once)), once);
    EXPECT_THAT(escaped(bytes), Not(HasSubstr("<")));
  }
}

TEST(Link, GoesToPagesAndNeverRuns) {
  EXPECT_EQ(link("https://example.org/?a=1&b=2", "x<y").html(),
            "<a href=\"https://example.org/?a=1&amp;b=2\">x&lt;y</a>");
  EXPECT_EQ(link("figure.csv", "data").html(), "<a href=\"figure.csv\">data</a>");
  EXPECT_EQ(link("#section2", "below").html(), "<a href=\"#section2\">below</a>");
  for (const char* address :
       {"javascript:alert(1)", "JAVASCRIPT:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)",
        "data:text/html,x", "//example.org", "\\\\example.org", ""}) {
    EXPECT_THROW(static_cast<void>(link(address, "x")), InvalidParameter) << address;
  }
}

const std::vector<std::string> hostile{"<script>alert(1)</script>",
                                       "\"><img src=x onerror=alert(1)>",
                                       "' onload='alert(1)",
                                       "</title></svg></style><script>alert(1)</script>",
                                       "--><!--",
                                       "]]>",
                                       "&lt;script&gt;",
                                       "{}{0}%s%n",
                                       std::string("nul\0byte", 8),
                                       "\xff\xfe\x80",
                                       "a\nb\tc\r"};

TEST(HostileText, ChangesNoStructureOfAnyDrawing) {
  const std::vector<Drawing> harmless = Samples("word").drawings();
  for (const std::string& words : hostile) {
    const std::vector<Drawing> drawings = Samples(words).drawings();
    for (std::size_t i = 0; i < drawings.size(); ++i) {
      const Outline file(drawings[i].file());
      for (const Element& element : file.elements()) {
        EXPECT_THAT((std::set<std::string>{"svg", "title", "desc", "style", "rect", "path", "text", "g"}),
                    testing::Contains(element.name));
        for (const auto& [key, value] : element.attributes) EXPECT_THAT(key, Not(testing::StartsWith("on")));
      }
      // Widths differ, so texts may move or turn; elements do not appear.
      EXPECT_EQ(file.named("title").size(), Outline(harmless[i].file()).named("title").size());
      EXPECT_EQ(file.named("style").size(), 1U);
    }
  }
}

Page page_of(const std::string& words) {
  Page page(words);
  page.lead(text(words))
      .warning(text(words))
      .facts({{words, words}})
      .section(words)
      .subsection(words)
      .paragraph(text(words) + code(words) + strong(words))
      .list({text(words)})
      .listing(words)
      .table({.caption = words, .columns = {{words}, {words, true}}, .rows = {{text(words), text(words)}}})
      .folded_table(words, {.columns = {{words}}, .rows = {{text(words)}}})
      .section(words)
      .footer(text(words));
  return page;
}

TEST(HostileText, ChangesNoStructureOfAPage) {
  const std::vector<std::string> expected = Outline(page_of("word").html()).structure();
  for (const std::string& words : hostile)
    EXPECT_EQ(Outline(page_of(words).html()).structure(), expected) << words;
}

TEST(TextWidth, GrowsWithTheTextAndElisionFits) {
  EXPECT_GT(text_width("mm", 12), text_width("m", 12));
  EXPECT_EQ(text_width("abc", 24), 2 * text_width("abc", 12));
  const std::string name = "a rather long name of a column, ünïcode 测量 🙂";
  EXPECT_EQ(elided(name, 12, 1000), name);
  for (double width = 12; width < 200; width += 7) {
    const std::string cut = elided(name, 12, width);
    EXPECT_LE(text_width(cut, 12), width);
    EXPECT_THAT(cut, testing::EndsWith("…"));
  }
}

TEST(Wrapped, BreaksAtSpacesAndElidesTheLastLine) {
  const std::string title = "Second-moment error against sigma, prefix sums, a thousand columns";
  const auto lines = wrapped(title, 12, 200, 9);
  std::string joined;
  for (const std::string& line : lines) {
    EXPECT_LE(text_width(line, 12), 200);
    joined += (joined.empty() ? "" : " ") + line;
  }
  EXPECT_EQ(joined, title);
  EXPECT_EQ(wrapped(title, 12, 200, 2).size(), 2U);
  EXPECT_THAT(wrapped(title, 12, 200, 2)[1], testing::EndsWith("…"));
  EXPECT_TRUE(wrapped("", 12, 200, 2).empty());
  EXPECT_EQ(wrapped(std::string(1000, 'x'), 12, 100, 3).size(), 1U);
}

}  // namespace
}  // namespace jme::report
