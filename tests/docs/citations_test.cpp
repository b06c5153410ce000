// A comment that cites something the reader does not have explains nothing. Everything that is cited, in code
// and in documents, is a page of this repository and a heading on it.
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "docs/repository.hpp"

namespace jme::docs {
namespace {

std::string in_capitals(std::string word) {
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return word;
}

/// Comments once cited pages of these names, in capitals, that no reader of the repository has.
const std::vector<std::string> missing_pages = {"math",     "safety", "shaping", "architecture", "interfaces",
                                                "geometry", "people", "fronts",  "sampler"};

/// Standards that are cited by a number, as (FIPS 197).
const std::set<std::string> standards = {"FIPS", "IEEE", "WCAG", "RFC", "ISO"};

/// Where the text cites one of them, as a word of its own, or all of them as the design's.
std::vector<std::string> cited_missing_pages(const std::string& text) {
  std::string names;
  for (const std::string& page : missing_pages) names += (names.empty() ? "" : "|") + in_capitals(page);
  std::vector<std::string> found = matches(text, std::regex("\\b((?:" + names + ")\\b[^\\n]{0,12})"));
  const std::regex as_a_whole("\\b(design[ \\n/*]+notes?)\\b", std::regex::ECMAScript | std::regex::icase);
  const auto more = matches(text, as_a_whole);
  found.insert(found.end(), more.begin(), more.end());
  return found;
}

/// Any name in capitals with a section after it, in brackets: the form in which such pages are cited.
std::vector<std::string> cited_sections(const std::string& text) {
  const std::regex with_section(R"re(\((([A-Z]{4,})(?: [0-9]+[a-z]?|, (?:"|[A-Z]?[0-9]))[^\n]{0,12}))re");
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), with_section), end; it != end; ++it) {
    if (!standards.contains((*it)[2])) found.push_back((*it)[1]);
  }
  return found;
}

/// Where comments and prose are; elsewhere capitals in brackets are code.
bool has_prose(const fs::path& file) {
  return file.extension() == ".cpp" || file.extension() == ".hpp" || file.extension() == ".md";
}

/// Pages named by their path from the root, with or without a heading, and "room/GUARANTEES.md".
std::vector<std::string> cited_pages(const std::string& text) {
  const std::string folder = "(?:docs|src|apps|tests|experiments|examples|benchmarks|scripts|include)";
  return matches(text, std::regex("(?:^|[^\\w/.-])((?:" + folder +
                                  "/[\\w./-]*[\\w-]+|[a-z]+/GUARANTEES)\\.md(?:#[\\w-]+)?)"));
}

/// The headings of a page, read once.
const std::set<std::string>& anchors_of(const fs::path& page) {
  static std::map<fs::path, std::set<std::string>> known;
  const auto found = known.find(page);
  return found != known.end() ? found->second : known[page] = anchors_in(text_of(page));
}

/// Empty where the page and its heading exist, else what is wrong.
std::string complaint(const std::string& citation) {
  const auto hash = citation.find('#');
  const std::string path = citation.substr(0, hash);
  fs::path page = root / path;
  for (const char* folder : {"src", "apps"}) {  // room/GUARANTEES.md
    if (!fs::exists(page) && path.ends_with("/GUARANTEES.md")) page = root / folder / path;
  }
  if (!fs::exists(page)) return "is not in the repository";
  if (hash == std::string::npos) return {};
  if (!anchors_of(page).contains(citation.substr(hash + 1))) return "names a heading that is not there";
  return {};
}

/// Text files; pictures and the like have a zero byte.
bool is_text(const std::string& content) {
  return content.find('\0') == std::string::npos;
}

/// Link targets in a Markdown page are relative to it and checked with the links.
std::string without_links(const std::string& markdown) {
  return std::regex_replace(markdown, std::regex(R"(\]\([^)\n]*\))"), "]");
}

TEST(Citations, AreOfNothingOutsideTheRepository) {
  std::size_t texts = 0;
  for (const fs::path& file : files()) {
    const std::string text = text_of(file);
    if (!is_text(text)) continue;
    ++texts;
    std::vector<std::string> citations = cited_missing_pages(text);
    if (has_prose(file)) {
      const auto more = cited_sections(text);
      citations.insert(citations.end(), more.begin(), more.end());
    }
    for (const std::string& citation : citations)
      ADD_FAILURE() << file.lexically_relative(root) << " cites " << citation;
  }
  EXPECT_GT(texts, 500U) << "the check has lost its files";
}

TEST(Citations, OfPagesNameAPageAndAHeadingThatExist) {
  std::size_t of_theory = 0;
  for (const fs::path& file : files()) {
    std::string text = text_of(file);
    if (!is_text(text) || file.filename() == "citations_test.cpp") continue;
    if (file.extension() == ".md") text = without_links(text);
    for (const std::string& citation : cited_pages(text)) {
      if (citation.starts_with("docs/theory/")) ++of_theory;
      const std::string wrong = complaint(citation);
      EXPECT_EQ(wrong, "") << file.lexically_relative(root) << ": " << citation << " " << wrong;
    }
  }
  EXPECT_GT(of_theory, 100U) << "the check has lost its citations";
}

/// "Theorem 4.2" and the like, from the first cells of the tables of a page.
std::vector<std::string> items_in(const std::string& markdown) {
  return matches(markdown, std::regex(R"(\n\| ((?:Algorithm|Theorem|Lemma|Corollary|Definition|Problem|)"
                                      R"(Proposition|Figure|Table) [A-D0-9.]+)[ ,|])"));
}

TEST(PaperToCode, HasEveryNumberedItemOfThePaperOnce) {
  const std::vector<std::string> expected = {
      "Algorithm 1", "Algorithm 2",     "Algorithm 3",     "Algorithm 4",    "Algorithm 5", "Algorithm 6",
      "Theorem 3.1", "Theorem 3.2",     "Theorem 3.3",     "Definition 3.4", "Lemma 3.5",   "Theorem 3.6",
      "Theorem 3.7", "Lemma 3.8",       "Corollary 3.9",   "Theorem 4.1",    "Theorem 4.2", "Theorem 4.3",
      "Lemma 4.4",   "Figure 1",        "Figure 2",        "Figure 3",       "Figure 4",    "Figure 5",
      "Figure 6",    "Figure 7",        "Table 1",         "Table 2",        "Table 3",     "Problem 1",
      "Theorem A.1", "Theorem A.2",     "Corollary A.3",   "Lemma A.4",      "Lemma A.5",   "Definition D.1",
      "Lemma D.2",   "Proposition D.3", "Proposition D.4", "Lemma D.5"};
  EXPECT_EQ(items_in(text_of(root / "docs/paper-to-code.md")), expected);
}

TEST(PaperToCode, NamesATestForEveryItem) {
  const std::string page = text_of(root / "docs/paper-to-code.md");
  const auto lines = matches(page, std::regex(R"(\n(\| [^\n]*))"));
  std::size_t items = 0;
  for (const std::string& line : lines) {
    if (line.starts_with("| paper |") || line.starts_with("|---")) continue;
    ++items;
    EXPECT_TRUE(std::regex_search(line, std::regex(R"(`[A-Z]\w+\.[A-Z]\w+`)"))) << line;
  }
  EXPECT_GE(items, 40U);
}

TEST(CitationChecks, FindAMissingPageByItsNameOrItsForm) {
  for (const std::string& page : missing_pages) {
    const std::string name = in_capitals(page);
    const std::vector<std::string> texts = {"// the gain (" + name + " 3).", "/// " + name + "'s table",
                                            "see " + name + ", Streaming", name + ".md", name + "\n/// 7"};
    for (const std::string& text : texts) EXPECT_EQ(cited_missing_pages(text).size(), 1U) << text;
  }
  const std::string notes = "notes";
  EXPECT_EQ(cited_missing_pages("from the Design " + notes).size(), 1U);
  EXPECT_EQ(cited_missing_pages("// from the design\n// " + notes).size(), 1U);
  const std::string other = in_capitals("roadmap");
  EXPECT_EQ(cited_sections("// as planned (" + other + " 4b)").size(), 1U);
  EXPECT_EQ(cited_sections("// (" + other + ", \"Later\")").size(), 1U);
}

TEST(CitationChecks, LeaveOtherCapitalsAlone) {
  const std::vector<std::string> texts = {"AES-256 (FIPS 197), IEEE 754, A1 (X + C^-1 Z1)",
                                          "JME_" + in_capitals("math") + "_H, SQL (SELECT *)",
                                          "the safety of math, shaping and people", "(NDJSON, CSV and .npy)"};
  for (const std::string& text : texts) {
    EXPECT_TRUE(cited_missing_pages(text).empty()) << text;
    EXPECT_TRUE(cited_sections(text).empty()) << text;
  }
}

TEST(CitationChecks, FindAPageOrAHeadingThatIsNotThere) {
  EXPECT_EQ(complaint("docs/theory/sensitivity.md#columns"), "");
  EXPECT_EQ(complaint("docs/theory/sensitivity.md"), "");
  EXPECT_EQ(complaint("noise/GUARANTEES.md"), "");
  EXPECT_EQ(complaint("train/GUARANTEES.md"), "");
  EXPECT_EQ(complaint("docs/theory/sensitivity.md#rows-of-the-moon"), "names a heading that is not there");
  EXPECT_EQ(complaint("docs/theory/astrology.md#columns"), "is not in the repository");
  EXPECT_EQ(complaint("astrology/GUARANTEES.md"), "is not in the repository");
}

TEST(CitationChecks, ReadPathsFromTheRootWithTheirHeadings) {
  EXPECT_EQ(
      cited_pages("/// sup (docs/theory/a.md#b-c): src/noise/GUARANTEES.md, noise/GUARANTEES.md."),
      (std::vector<std::string>{"docs/theory/a.md#b-c", "src/noise/GUARANTEES.md", "noise/GUARANTEES.md"}));
  EXPECT_EQ(cited_pages("README.md, copy/x.md, ../docs/x.md and https://example.org/docs/y.md").size(), 0U);
  EXPECT_EQ(without_links("a [b](c.md#d) e"), "a [b] e");
}

}  // namespace
}  // namespace jme::docs
