#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <jme/data/input_reader.hpp>

#include "sections.hpp"

namespace jme::bench {
namespace {

/// Six columns as sensors write them: a sign here and there, three to six decimals.
struct CsvFile {
  std::size_t rows = 0, bytes = 0;
};
CsvFile write_csv(const std::string& path, std::size_t bytes) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> value(-1, 1);
  std::ofstream file(path, std::ios::binary);
  std::string text = "temp,humidity,pressure,co,no2,ozone\n";
  CsvFile written;
  while (written.bytes < bytes) {
    for (std::size_t row = 0; row < 1000; ++row) {
      fmt::format_to(std::back_inserter(text), "{:.3f},{:.3f},{:.6f},{:.4f},{:.5f},{:.6f}\n",
                     40 * value(generator), 100 * value(generator), value(generator), 10 * value(generator),
                     value(generator), value(generator));
    }
    file << text;
    written.rows += 1000;
    written.bytes += text.size();
    text.clear();
  }
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
  return written;
}

void read_rows(const std::string& path, std::size_t threads = 1) {
  const auto reader = open_input(path, {}, threads);
  for (RowBatch batch; reader->next(batch);) {
  }
}

/// Only reads the bytes, from the page cache: no parser can be faster.
void read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(std::size_t{1} << 18);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
  }
}

}  // namespace

Json ingest_section(const Options& options) {
  if (options.scratch.empty()) throw std::runtime_error("ingest: needs --scratch DIR for its file");
  const std::string path = options.scratch + "/rows.csv";
  const CsvFile csv = write_csv(path, options.quick ? 16'000'000 : 64'000'000);
  const double bytes = static_cast<double>(csv.bytes);
  return {{"file", path},
          {"rows", csv.rows},
          {"bytes", csv.bytes},
          {"read", rate(bytes, timed(options.effort, [&] { read_rows(path); }))},
          {"bytes_limit", rate(bytes, timed(options.effort.shorter(0.2), [&] { read_bytes(path); }))}};
}

// What `jme run` cannot do without: `../bench --run` sets it beside the command and its peers.
Json reading_section(const Options& options) {
  if (options.scratch.empty()) throw std::runtime_error("reading: needs --scratch DIR for its file");
  const std::string path = options.scratch + "/large.csv";
  constexpr std::size_t bytes = 248'250'000;
  if (!std::filesystem::exists(path)) write_csv(path, options.quick ? bytes / 10 : bytes);
  const auto best = [&](const std::function<void()>& work) {
    return std::ranges::min(timed({.seconds = 0, .repetitions = 3}, work, Clock::wall));
  };
  return {{"file", path},
          {"bytes_alone", best([&] { read_bytes(path); })},
          {"rows_alone", {best([&] { read_rows(path, 1); }), best([&] { read_rows(path, 2); })}}};
}

}  // namespace jme::bench
