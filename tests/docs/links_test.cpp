// Documents become wrong without anybody noticing: a file moves, a test is renamed, a path of somebody's
// machine gets in. These tests find each of these.
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "docs/repository.hpp"

namespace jme::docs {
namespace {

std::string without_code(const std::string& markdown) {
  return std::regex_replace(without_fences(markdown), std::regex("`[^`\n]*`"), "");
}

/// Targets of [text](target), ![text](target), [name]: target, and src="target".
std::vector<std::string> links_in(const std::string& markdown) {
  const std::string prose = without_code(markdown);
  std::vector<std::string> found = matches(prose, std::regex(R"re(\]\(\s*<?([^)\s>]+)>?[^)]*\))re"));
  for (const auto* pattern :
       {R"re((?:^|\n)\[[^\]\n]+\]:\s*(\S+))re", R"re((?:src|srcset|href)="([^"]+)")re"}) {
    const auto more = matches(prose, std::regex(pattern));
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

bool leaves_the_repository(const std::string& link) {
  return std::regex_search(link, std::regex("^[a-z][a-z0-9+.-]*:"));
}

/// Empty where the link resolves, else what is wrong with it.
std::string complaint(const std::string& link, const fs::path& document) {
  if (leaves_the_repository(link)) return {};
  const auto hash = link.find('#');
  const std::string path = link.substr(0, hash);
  if (path.starts_with('/')) return "is absolute";
  const fs::path target = path.empty() ? document : (document.parent_path() / path).lexically_normal();
  if (target.lexically_relative(root).string().starts_with("..")) return "points out of the repository";
  if (!fs::exists(target)) return "points to nothing";
  if (hash == std::string::npos || target.extension() != ".md") return {};
  if (!anchors_in(text_of(target)).contains(link.substr(hash + 1)))
    return "names a heading that is not there";
  return {};
}

/// Folders that exist on one machine and not on the reader's.
std::vector<std::string> machine_paths_in(const std::string& text) {
  return matches(
      text, std::regex(R"((?:^|[\s`'"(=])((?:/(?:home|root|work|tmp|mnt|Users)/|[A-Za-z]:\\)[^\s`'")]*))"));
}

/// Tests named in a document as `Suite.Claim`.
std::vector<std::string> cited_tests(const std::string& markdown) {
  return matches(without_fences(markdown), std::regex("`([A-Z][A-Za-z0-9]+\\.[A-Z][A-Za-z0-9]{7,})`"));
}

std::set<std::string> defined_tests(const std::string& source) {
  std::set<std::string> names;
  const std::regex definition(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
  for (std::sregex_iterator it(source.begin(), source.end(), definition), end; it != end; ++it) {
    names.insert((*it)[1].str() + "." + (*it)[2].str());
  }
  return names;
}

/// Rooms and what they may use, from "jme_module(room USES a b LINKS ...)".
std::map<std::string, std::set<std::string>> rooms_in_cmake(const std::string& cmake) {
  std::map<std::string, std::set<std::string>> rooms;
  const std::regex line(R"(jme_module\((\w+)(?:\s+USES((?:\s+[a-z]+)*))?)");
  for (std::sregex_iterator it(cmake.begin(), cmake.end(), line), end; it != end; ++it) {
    std::istringstream words((*it)[2].str());
    auto& uses = rooms[(*it)[1]];
    for (std::string word; words >> word;) uses.insert(word);
  }
  return rooms;
}

/// The same from "| room | holds | a, b |".
std::map<std::string, std::set<std::string>> rooms_in_table(const std::string& markdown) {
  std::map<std::string, std::set<std::string>> rooms;
  const std::regex line(R"(\n\| ([a-z]+) \|[^|\n]*\| ((?:[a-z]+(?:, )?)+|-) \|)");
  for (std::sregex_iterator it(markdown.begin(), markdown.end(), line), end; it != end; ++it) {
    auto& uses = rooms[(*it)[1]];
    for (const auto& word : matches((*it)[2].str(), std::regex("([a-z]+)"))) uses.insert(word);
  }
  return rooms;
}

TEST(Documents, ShowTheRoomsAsTheyAreBuilt) {
  const auto built = rooms_in_cmake(text_of(root / "CMakeLists.txt"));
  ASSERT_GE(built.size(), 14U);
  EXPECT_EQ(rooms_in_table(text_of(root / "docs/architecture.md")), built);
}

TEST(Documents, LinksResolve) {
  std::size_t links = 0;
  for (const auto& document : files_with_extension(".md")) {
    for (const auto& link : links_in(text_of(document))) {
      ++links;
      const std::string wrong = complaint(link, document);
      EXPECT_EQ(wrong, "") << document.lexically_relative(root) << ": the link " << link << " " << wrong;
    }
  }
  EXPECT_GT(links, 50U) << "the check has lost its links";
}

TEST(Documents, NameNoPathOfOneMachine) {
  for (const auto& document : files_with_extension(".md")) {
    for (const auto& path : machine_paths_in(text_of(document))) {
      ADD_FAILURE() << document.lexically_relative(root) << " mentions " << path;
    }
  }
}

TEST(Documents, CiteOnlyTestsThatExist) {
  std::set<std::string> defined;
  for (const auto& source : files_with_extension(".cpp")) {
    if (source.lexically_relative(root).string().starts_with("tests"))
      defined.merge(defined_tests(text_of(source)));
  }
  std::size_t cited = 0;
  for (const auto& document : files_with_extension(".md")) {
    for (const auto& name : cited_tests(text_of(document))) {
      ++cited;
      EXPECT_TRUE(defined.contains(name)) << document.lexically_relative(root) << " cites " << name;
    }
  }
  EXPECT_GT(cited, 20U) << "the check has lost its citations";
}

TEST(DocumentChecks, FindABrokenLinkAndAWrongHeading) {
  const fs::path document = root / "docs" / "page.md";
  EXPECT_EQ(complaint("../CMakeLists.txt", document), "");
  EXPECT_EQ(complaint("https://example.org/nothing", document), "");
  EXPECT_EQ(complaint("no-such-file.md", document), "points to nothing");
  EXPECT_EQ(complaint("../../elsewhere.md", document), "points out of the repository");
  EXPECT_EQ(complaint("/CMakeLists.txt", document), "is absolute");
  EXPECT_EQ(complaint("README.md#no-such-heading", document), "names a heading that is not there");
}

TEST(DocumentChecks, ReadLinksButNotCode) {
  EXPECT_EQ(links_in("a [b](c.md) and `[d](e.md)`\n```\n[f](g.md)\n```\n![h](i.svg)\n[j]: k.md\n"),
            (std::vector<std::string>{"c.md", "i.svg", "k.md"}));
  EXPECT_EQ(anchors_in("# The way of a row\n```\n# no heading\n```\n## 1. `C = I`, twice\n"),
            (std::set<std::string>{"the-way-of-a-row", "1-c--i-twice"}));
}

TEST(DocumentChecks, FindMachinePathsAndTestNames) {
  EXPECT_EQ(machine_paths_in("see /home/me/x.csv, not docs/work/x or https://example.org/home/x").size(), 1U);
  EXPECT_EQ(cited_tests("`Suite.IsAClaimInWords`, `README.md`, `jme::mean`"),
            std::vector<std::string>{"Suite.IsAClaimInWords"});
  EXPECT_TRUE(defined_tests("TEST_P(Suite,\n     IsAClaimInWords) {").contains("Suite.IsAClaimInWords"));
}

}  // namespace
}  // namespace jme::docs
