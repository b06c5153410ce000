// Writes the files of the tree that are made from the tables of settings and calls.
// Usage: jme_generate [--check] FOLDER     FOLDER has the project; --check names what differs, and writes
// nothing
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <serve/api.hpp>

#include "generated.hpp"

namespace {

using namespace jme::cli::generate;

struct Generated {
  const char* path;
  std::string (*make)(std::string present);
};

const std::vector<Generated> all{
    {"apps/cli/completions/_jme", zsh_completion},
    {"apps/cli/completions/jme.bash", bash_completion},
    {"apps/cli/completions/jme.fish", fish_completion},
    {"docs/man/jme.1", manual},
    {"docs/reference/openapi.json", [](std::string) { return jme::serve::openapi(); }},
    {"docs/reference/settings.md", [](std::string) { return settings_page(); }},
    {"python/jme/_keywords.pyi", [](std::string) { return python_keywords(); }},
};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// How many files differ.
int run(const std::filesystem::path& root, bool only_checks) {
  int other = 0;
  for (const Generated& one : all) {
    const std::string present = text_of(root / one.path), wanted = one.make(present);
    if (present == wanted) continue;
    ++other;
    std::printf("%s %s\n", only_checks ? "not what its table gives:" : "written:", one.path);
    if (only_checks) continue;
    std::filesystem::create_directories((root / one.path).parent_path());
    std::ofstream(root / one.path, std::ios::binary) << wanted;
  }
  return other;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const bool only_checks = !words.empty() && words.front() == "--check";
  if (words.size() != (only_checks ? 2 : 1)) {
    std::fputs("usage: jme_generate [--check] FOLDER\n", stderr);
    return 2;
  }
  try {
    const int other = run(words.back(), only_checks);
    if (only_checks && other > 0) std::puts("run scripts/generate");
    return only_checks && other > 0 ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "jme_generate: %s\n", error.what());
    return 1;
  }
}
