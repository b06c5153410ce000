// What training costs, beside what one would do without privacy or with torch's own normals; ./bench --train
// runs it.
//
//     jme_train_bench [--quick] [--threads N] [adam] [step]
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "train_sections.hpp"

namespace jme::bench {

namespace {

/// The most memory that this process has while `work` runs, with what it holds already. On Linux, writing 5
/// to clear_refs resets the mark.
double peak_bytes_of(const std::function<void()>& work) {
  std::ofstream("/proc/self/clear_refs") << 5 << std::flush;
  work();
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return 1024 * std::stod(line.substr(6));
  return 0;
}

}  // namespace

Comparison in_turns(const std::string& what, const Effort& effort, const std::function<void()>& ours,
                    const std::function<void()>& beside, Clock clock, double target, bool more_is_better) {
  const double our_peak = peak_bytes_of(ours), beside_peak = peak_bytes_of(beside);
  std::vector<double> our_seconds, beside_seconds, ratios;
  for (double total = 0; ratios.size() < effort.repetitions || total < effort.seconds;) {
    our_seconds.push_back(seconds_of(ours, clock));
    beside_seconds.push_back(seconds_of(beside, clock));
    ratios.push_back(more_is_better ? beside_seconds.back() / our_seconds.back()
                                    : our_seconds.back() / beside_seconds.back());
    total += our_seconds.back() + beside_seconds.back();
  }
  return {.what = what,
          .ours = median(our_seconds),
          .beside = median(beside_seconds),
          .ratio = median(ratios),
          .target = target,
          .more_is_better = more_is_better,
          .our_peak = our_peak,
          .beside_peak = beside_peak};
}

}  // namespace jme::bench

namespace {

void print(const jme::bench::Comparison& line) {
  fmt::print("{:<58}{:>7.1f} ms{:>9.1f} ms{:>8.2f}x", line.what, 1e3 * line.ours, 1e3 * line.beside,
             line.ratio);
  if (line.target > 0) {
    fmt::print("   {} {}x  {}\n", line.more_is_better ? ">=" : "<=", line.target,
               line.holds() ? "PASS" : "MISS");
    fmt::print("{:<58}{:>7.0f} MB", "  peak memory of the process", 1e-6 * line.our_peak);
    fmt::print("{:>9.0f} MB", 1e-6 * line.beside_peak);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

int usage() {
  std::fputs("usage: jme_train_bench [--quick] [--threads N] [adam] [step]\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) try {
  using namespace jme::bench;
  Effort effort{.seconds = 6, .repetitions = 7};
  std::vector<unsigned> thread_counts{1, 2};
  std::vector<std::string> wanted;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--quick") {
      effort = {.seconds = 1, .repetitions = 3};
    } else if (words[i] == "--threads" && i + 1 < words.size()) {
      thread_counts = {static_cast<unsigned>(std::stoul(words[++i]))};
    } else if (words[i] == "adam" || words[i] == "step") {
      wanted.push_back(words[i]);
    } else {
      return usage();
    }
  }
  if (wanted.empty()) wanted = {"adam", "step"};
  fmt::print("{:<58}{:>10}{:>12}{:>9}   {}\n", "what", "ours", "beside", "ratio", "target");
  for (const std::string& name : wanted) {
    for (const unsigned threads : thread_counts) {
      for (const auto& line : name == "adam" ? adam_steps(effort, threads) : training_steps(effort, threads))
        print(line);
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "jme_train_bench: %s\n", error.what());
  return 1;
}
