// The library is reached from a command, from C++ and from other languages: its messages name parameters,
// which each front spells in its own way, and not the flags of one of them.
#include <cctype>
#include <filesystem>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "architecture/repository.hpp"

namespace jme::architecture {
namespace {

/// The string literals of a C++ file as they are written; those that stand side by side count as one.
std::vector<std::string> literals_in(const std::string& source) {
  std::vector<std::string> found;
  bool is_open = false;
  const auto take = [&](std::size_t begin, std::size_t end) {
    if (!is_open) found.emplace_back();
    found.back() += source.substr(begin, end - begin);
    is_open = true;
  };
  // The quote that ends what the quote at `begin` opens.
  const auto closing = [&](std::size_t begin) {
    std::size_t at = begin + 1;
    while (at < source.size() && source[at] != source[begin]) at += source[at] == '\\' ? 2 : 1;
    return at;
  };
  for (std::size_t at = 0; at < source.size(); ++at) {
    const auto begins = [&](std::string_view text) { return source.compare(at, text.size(), text) == 0; };
    const bool in_word = at > 0 && std::isalnum(static_cast<unsigned char>(source[at - 1])) != 0;
    if (begins("//")) {
      at = source.find('\n', at);
    } else if (begins("/*")) {
      at = source.find("*/", at) + 1;
    } else if (begins("R\"") && !in_word) {
      const std::size_t open = source.find('(', at);
      const std::string end = ")" + source.substr(at + 2, open - at - 2) + "\"";
      const std::size_t close = source.find(end, open);
      take(open + 1, close);
      at = close + end.size() - 1;
    } else if (begins("\"")) {
      const std::size_t close = closing(at);
      take(at + 1, close);
      at = close;
    } else if (begins("'") && !in_word) {  // not the quote of 1'000
      at = closing(at);
      is_open = false;
    } else if (std::isspace(static_cast<unsigned char>(source[at])) == 0) {
      is_open = false;
    }
    if (at >= source.size()) break;
  }
  return found;
}

/// Flags, which begin a word; "--name:" is a variable of a style sheet.
std::vector<std::string> flags_in(const std::string& literal) {
  std::vector<std::string> found;
  const std::regex flag(R"re((?:^|[\s(`'=])(--[a-z][a-z0-9-]*)(?![a-z0-9:)-]))re");
  for (std::sregex_iterator it(literal.begin(), literal.end(), flag), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

TEST(Messages, OfTheLibraryNameParametersAndNotFlags) {
  std::size_t literals = 0;
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      for (const std::string& literal : literals_in(text_of(entry.path()))) {
        ++literals;
        for (const std::string& flag : flags_in(literal))
          ADD_FAILURE() << entry.path().lexically_relative(root) << " says " << flag << " in \"" << literal
                        << "\"";
      }
    }
  }
  EXPECT_GT(literals, 1000U) << "the check has lost its literals";
}

TEST(MessageChecks, FindAFlagInALiteral) {
  for (const char* literal : {"use --compression none", "--records quoted reads them", "with `--json`",
                              "(--missing fills cells)", "by --bounds or", "see --help."}) {
    EXPECT_EQ(flags_in(literal).size(), 1U) << literal;
  }
  EXPECT_TRUE(flags_in("style=\"--least:{}px\" --ink: red; var(--ink) a -- b, i--").empty());
}

TEST(MessageChecks, ReadLiteralsAndNotComments) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(literals_in("f(\"a\" // \"no\"\n  \"b\\\"c\", '\"', /* \"no\" */ R\"(d\"e)\" + x, \"\")"),
            (Texts{"ab\\\"c", "d\"e", ""}));
  EXPECT_EQ(literals_in("// don't \"a\"\nconst char c = '\\''; use(\"b\"); 1'000 / 2"), (Texts{"b"}));
}

}  // namespace
}  // namespace jme::architecture
