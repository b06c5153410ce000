// The folder tree is the architecture: a room includes only what its line in CMakeLists.txt allows.
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "architecture/repository.hpp"

namespace jme::architecture {
namespace {

using Rules = std::map<std::string, std::set<std::string>>;

Rules rules_in(const std::string& cmake) {
  Rules rules;
  const std::regex line(R"(jme_module\((\w+)([^)]*)\))");
  for (std::sregex_iterator it(cmake.begin(), cmake.end(), line), end; it != end; ++it) {
    auto& allowed = rules[(*it)[1]];
    allowed.insert((*it)[1]);
    std::istringstream words((*it)[2].str());
    bool uses = false;
    for (std::string word; words >> word;) {
      if (std::isupper(static_cast<unsigned char>(word.front())) && word.find("::") == std::string::npos) {
        uses = word == "USES";  // LINKS and options end the list
      } else if (uses) {
        allowed.insert(word);
      }
    }
  }
  return rules;
}

std::vector<std::string> violations(const Rules& rules, const std::string& room, const std::string& source) {
  std::vector<std::string> found;
  const std::regex include(R"(#include\s+(?:<jme/(\w+)/|"(\w+)/))");
  for (std::sregex_iterator it(source.begin(), source.end(), include), end; it != end; ++it) {
    const std::string other = (*it)[1].matched ? (*it)[1].str() : (*it)[2].str();
    if (!rules.at(room).contains(other)) found.push_back(other);
  }
  return found;
}

TEST(Architecture, EveryRoomIncludesOnlyWhatItsCMakeLineAllows) {
  const Rules rules = rules_in(text_of(root / "CMakeLists.txt"));
  ASSERT_GE(rules.size(), 14U);
  std::size_t files = 0;
  for (const auto& [room, allowed] : rules) {
    for (const fs::path& folder : {root / "src" / room, root / "include/jme" / room}) {
      if (!fs::exists(folder)) continue;
      for (const auto& entry : fs::directory_iterator(folder)) {
        const auto extension = entry.path().extension();
        if (extension != ".cpp" && extension != ".hpp") continue;
        ++files;
        for (const auto& other : violations(rules, room, text_of(entry.path()))) {
          ADD_FAILURE() << entry.path().lexically_relative(root) << " includes " << other
                        << "/, which the line of " << room << " in CMakeLists.txt does not allow";
        }
      }
    }
  }
  EXPECT_GT(files, 40U);
}

/// Where an include of the project's own leads: a public header, or one of a room's own.
std::optional<fs::path> header_of(const std::smatch& include) {
  const fs::path candidate =
      include[1].matched ? root / "include/jme" / include[1].str() : root / "src" / include[2].str();
  return fs::exists(candidate) ? std::optional(candidate) : std::nullopt;
}

std::string room_of(const fs::path& file) {
  return file.parent_path().filename();
}

/// The project's headers that a file sees, directly or through others.
std::set<fs::path> seen_by(const fs::path& file) {
  const std::regex include(R"re(#include\s+(?:<jme/(\w+/\w+\.hpp)>|"(\w+/[\w-]+\.hpp)"))re");
  std::set<fs::path> seen;
  std::vector<fs::path> open{file};
  while (!open.empty()) {
    const std::string source = text_of(open.back());
    open.pop_back();
    for (std::sregex_iterator it(source.begin(), source.end(), include), end; it != end; ++it) {
      const std::optional<fs::path> header = header_of(*it);
      if (header && seen.insert(*header).second) open.push_back(*header);
    }
  }
  return seen;
}

std::vector<fs::path> files_of(const std::string& room) {
  std::vector<fs::path> files;
  for (const fs::path& folder : {root / "src" / room, root / "include/jme" / room}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp") {
        files.push_back(entry.path());
      }
    }
  }
  return files;
}

// Not through a header of a room that it may include, either.
TEST(Architecture, TheoryNeverSeesNoiseOrData) {
  const Rules rules = rules_in(text_of(root / "CMakeLists.txt"));
  const std::set<std::string> hidden{"noise", "random", "moments", "data", "store"};
  for (const std::string& room : hidden) EXPECT_FALSE(rules.at("theory").contains(room));
  const std::vector<fs::path> files = files_of("theory");
  ASSERT_GT(files.size(), 5U);
  for (const fs::path& file : files) {
    for (const fs::path& header : seen_by(file)) {
      EXPECT_FALSE(hidden.contains(room_of(header))) << file << " sees " << header;
    }
  }
}

// Mathematics knows no draws, and whoever only runs a stream or writes its releases knows no sampler.
TEST(Architecture, NoHeaderLetsARoomSeeWhatIsHiddenFromIt) {
  const std::set<std::string> draws{"noise", "random", "moments", "data", "store"};
  const std::set<std::string> sampler{"noise", "data"};
  const std::map<std::string, std::set<std::string>> hidden{
      {"filter", draws},   {"workload", draws},    {"shaping", draws},  {"sensitivity", draws},
      {"privacy", draws},  {"calibration", draws}, {"models", sampler}, {"store", sampler},
      {"output", sampler}, {"pipeline", sampler}};
  for (const auto& [room, others] : hidden) {
    for (const fs::path& file : files_of(room)) {
      for (const fs::path& header : seen_by(file)) {
        EXPECT_FALSE(others.contains(room_of(header))) << file << " sees " << header;
      }
    }
  }
}

// What is installed must not need what is not; hints for the processor and kernels are nobody's business.
TEST(Architecture, PublicHeadersIncludePublicHeadersAlone) {
  std::size_t headers = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root / "include")) {
    if (entry.path().extension() != ".hpp") continue;
    ++headers;
    EXPECT_EQ(text_of(entry.path()).find("#include \""), std::string::npos) << entry.path();
    for (const fs::path& header : seen_by(entry.path())) {
      const std::string room = room_of(header);
      EXPECT_TRUE(room != "noise" && header.filename().string().find("kernels") == std::string::npos)
          << entry.path() << " shows " << header;
    }
  }
  EXPECT_GT(headers, 50U);
}

/// The room and all that it uses, directly or through others.
std::set<std::string> reach(const Rules& rules, const std::string& room) {
  std::set<std::string> reached{room};
  std::vector<std::string> open{room};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    for (const std::string& other : rules.at(next)) {
      if (reached.insert(other).second) open.push_back(other);
    }
  }
  return reached;
}

// A program whose rows do not come from a file needs neither the file readers nor the libraries that they
// link.
TEST(Architecture, RunsAndTheirOutputReachNoFileReader) {
  const std::string cmake = text_of(root / "CMakeLists.txt");
  const Rules rules = rules_in(cmake);
  for (const char* front : {"pipeline", "output"}) {
    for (const std::string& room : reach(rules, front)) {
      EXPECT_NE(room, "data") << front;
      std::smatch line;
      ASSERT_TRUE(std::regex_search(cmake, line, std::regex("jme_module\\(" + room + "\\b[^)]*\\)")));
      EXPECT_FALSE(std::regex_search(line.str(), std::regex("simdjson|ZLIB|LZMA|CLI11"))) << line.str();
    }
  }
  EXPECT_TRUE(reach(rules, "data").contains("base"));
}

// Whoever trains has a tensor library already, and it need not be ours.
TEST(Architecture, NoRoomSeesLibtorch) {
  const std::regex torch(R"(#include\s+[<"](?:ATen|c10|torch)/)");
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file()) continue;
      EXPECT_FALSE(std::regex_search(text_of(entry.path()), torch)) << entry.path().lexically_relative(root);
    }
  }
  EXPECT_TRUE(std::regex_search(text_of(root / "apps/train/network.hpp"), torch));
}

TEST(Architecture, TheCheckFindsAForbiddenInclude) {
  const Rules rules =
      rules_in("jme_module(base LINKS fmt)\njme_module(theory USES base)\njme_module(noise USES base)");
  EXPECT_EQ(violations(rules, "theory", R"(#include "noise/shaped_noise.hpp"
#include <jme/base/errors.hpp>)"),
            std::vector<std::string>{"noise"});
}

TEST(Architecture, EveryFolderOfSourceIsARoom) {
  const Rules rules = rules_in(text_of(root / "CMakeLists.txt"));
  for (const auto& entry : fs::directory_iterator(root / "src")) {
    EXPECT_TRUE(rules.contains(entry.path().filename()))
        << entry.path().filename() << " has no line in CMakeLists.txt";
  }
}

}  // namespace
}  // namespace jme::architecture
