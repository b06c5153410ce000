// Raw measurements of the library as one JSON document on standard output. ./bench runs this beside its peers
// and compares; here nothing is compared.
//
//     jme_bench [--quick] [--scratch DIR] [SECTION...]
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "sections.hpp"

namespace {

using namespace jme::bench;

const std::vector<std::pair<std::string, Json (*)(const Options&)>> sections{
    {"sampler", sampler_section},
    {"wide", wide_section},
    {"middle", middle_section},
    {"long", long_section},
    {"dimension", dimension_section},
    {"block", block_section},
    {"bulk", bulk_section},
    {"wide_memory", wide_memory_section},
    {"long_memory", long_memory_section},
    {"ingest", ingest_section},
    {"reading", reading_section},
    {"people", people_section},
    {"shape", shape_section},
    {"start", start_section},
    {"unbounded", unbounded_section}};

int usage() {
  std::fputs("usage: jme_bench [--quick] [--scratch DIR] [SECTION...]\nsections:", stderr);
  for (const auto& [name, run] : sections) std::fprintf(stderr, " %s", name.c_str());
  std::fputs("\nWithout a section: all but ingest and reading, which need a scratch folder.\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options{.effort = {.seconds = 2, .repetitions = 5}, .quick = false, .scratch = {}};
  std::vector<std::string> wanted;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--quick") {
      options.quick = true;
      options.effort = {.seconds = 0.4, .repetitions = 3};
    } else if (words[i] == "--scratch" && i + 1 < words.size()) {
      options.scratch = words[++i];
    } else if (words[i].starts_with("-")) {
      return usage();
    } else {
      wanted.push_back(words[i]);
    }
  }
  const bool all = wanted.empty();
  Json result = Json::object();
  for (const auto& [name, run] : sections) {
    const bool named = std::erase(wanted, name) > 0;
    if (named || (all && ((name != "ingest" && name != "reading") || !options.scratch.empty())))
      result[name] = run(options);
  }
  if (!wanted.empty()) return usage();
  std::cout << result.dump(1) << '\n';
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "jme_bench: %s\n", error.what());
  return 1;
}
