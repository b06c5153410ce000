#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <jme/data/row_reader.hpp>

#include "sections.hpp"

namespace jme::bench {
namespace {

constexpr std::size_t columns = 6;

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

void read_rows(const std::string& path) {
  RowReader reader(path, {});
  std::vector<double> row(columns);
  while (reader.next(row)) {
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

}  // namespace jme::bench
