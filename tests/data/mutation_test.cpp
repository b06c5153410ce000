#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "data/memory_file.hpp"
#include "data/sample_file.hpp"
#include "support/npy.hpp"

namespace jme {
namespace {

using testing::SampleDirectory;

// Whatever the bytes are, the reader gives finite rows or throws one of our errors, and it ends.
void read_or_refuse(const std::string& path, const InputOptions& options) {
  try {
    RowReader reader(path, options);
    std::vector<double> row(reader.dimension());
    while (reader.next(row))
      for (const double x : row) ASSERT_TRUE(std::isfinite(x));
  } catch (const Error& error) {
    const std::string_view message = error.what();
    ASSERT_FALSE(message.empty());
    // A message is one line of printable text: nothing of a binary file leaks to the terminal.
    for (const char c : message) ASSERT_GE(static_cast<unsigned char>(c), 0x20) << message;
  }
}

void mutate(std::string& content, std::mt19937_64& random) {
  static constexpr std::string_view telling =
      "\n\r\",;\t 0123456789.eE+-xN{}[]:\\'()\0\x93\xff\xef\xbb\xbf\x1f\x8b";
  const std::size_t edits = 1 + random() % 6;
  for (std::size_t i = 0; i < edits; ++i) {
    const std::size_t at = content.empty() ? 0 : random() % content.size();
    switch (random() % 6) {
      case 0:
        if (!content.empty()) content[at] = static_cast<char>(random());
        break;
      case 1:
        if (!content.empty()) content[at] = telling[random() % telling.size()];
        break;
      case 2:
        content.insert(at, 1, telling[random() % telling.size()]);
        break;
      case 3:
        content.erase(at, 1 + random() % 8);
        break;
      case 4:
        content.insert(at, content.substr(at, 1 + random() % 20));
        break;
      default:
        content.resize(at);
        break;
    }
  }
}

void fuzz(const std::vector<std::string>& seeds, InputOptions options, int count, std::uint64_t seed) {
  const testing::MemoryFile file;
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) {
    std::string content = seeds[random() % seeds.size()];
    mutate(content, random);
    options.on_bad_row = random() % 2 == 0 ? OnBadRow::fail : OnBadRow::zero;
    options.header = random() % 3 != 0;
    const bool is_csv = options.format == InputFormat::csv;
    options.records = is_csv && random() % 2 == 0 ? Records::quoted : Records::lines;
    options.longest_record = random() % 2 == 0 ? 16 : std::size_t{1} << 26;
    file.write(content);
    read_or_refuse(file.path(), options);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Mutation, CsvIsReadOrRefused) {
  const std::vector<std::string> seeds = {"a,b,c\n1,2.5,-3e4\n4,5,6\n7,8,9\n",
                                          "\xef\xbb\xbf\"a\",\"b \"\"q\"\"\"\r\n\"1\",2\r\n3,\"4\"\r\n",
                                          "t,x\n\"line\nbreak\",1\nplain,2\n", "x\n1\n\n2\n\n\n"};
  fuzz(seeds, {.format = InputFormat::csv, .width = 3}, 30'000, 9);
  fuzz(seeds, {.format = InputFormat::csv, .columns = {"1"}}, 10'000, 10);
}

TEST(Mutation, NdjsonIsReadOrRefused) {
  fuzz({"{\"a\":1,\"b\":-2.5e3}\n{\"b\":4,\"a\":null}\n", "[1,2,3]\n[4,5,6]\n[1e400,NaN,\"x\"]\n",
        "{\"a\\u0062\":[{\"x\":[]}],\"c\":18446744073709551616}\n{\"c\":0.1,\"c\":2}\n"},
       {.format = InputFormat::ndjson, .columns = {"a", "ab", "c"}}, 15'000, 11);
  fuzz({"[1,2,3]\n[4,5,6]\n[1e400,NaN,\"x\"]\n", "{\"1\":2,\"3\":[]}\n[1]\n"},
       {.format = InputFormat::ndjson, .columns = {"3", "1"}}, 15'000, 14);
}

TEST(Mutation, NpyIsReadOrRefused) {
  const SampleDirectory directory;
  write_npy_matrix(directory.path("seed.npy"), Eigen::MatrixXd::Random(5, 3));
  std::ifstream file(directory.path("seed.npy"), std::ios::binary);
  const std::string rows_first{std::istreambuf_iterator<char>(file), {}};
  std::string columns_first = rows_first;
  columns_first.replace(columns_first.find("False"), 5, "True ");
  fuzz({rows_first, columns_first}, {.format = InputFormat::npy}, 20'000, 12);
}

TEST(Mutation, CompressedFilesAreReadOrRefused) {
  // gzip and xz of "a,b\n1,2\n3,4\n", and their headers before other contents.
  using namespace std::string_literals;
  const std::string gzip =
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\xd4\x49\xe2\x32\xd4\x31\xe2\x32\xd6\x31\xe1\x02\x00"s;
  const std::string xz = "\xfd\x37zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00"s;
  for (const Compression compression : {Compression::gzip, Compression::xz})
    fuzz({gzip, xz, xz + gzip}, {.compression = compression, .width = 2}, 5'000, 13);
}

}  // namespace
}  // namespace jme
