#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include "data/sample_file.hpp"

namespace jme {
namespace {

using testing::complaint_of;
using ::testing::HasSubstr;
using testing::Rows;
using testing::rows_of;
using testing::SampleDirectory;

std::string gzip(std::string_view plain) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string xz(std::string_view plain) {
  std::string packed(lzma_stream_buffer_bound(plain.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const std::uint8_t*>(plain.data()), plain.size(),
                                    reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

/// Standard input replaced for the length of a test.
class StandardInput {
 public:
  explicit StandardInput(int descriptor) : saved_(::dup(STDIN_FILENO)) { ::dup2(descriptor, STDIN_FILENO); }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    if (saved_ < 0) return;
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_writer();
    ::close(ends_[0]);
  }
  [[nodiscard]] int reader() const { return ends_[0]; }
  void write(std::string_view text) {
    ASSERT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

struct Sample {
  std::string content;
  Rows rows;
};

Sample large_sample() {
  std::mt19937_64 random(8);
  Sample sample{.content = "a,b\n", .rows = {}};
  for (int i = 0; i < 20'000; ++i) {
    const double x = static_cast<double>(random() % 100'000) / 100.0,
                 y = static_cast<double>(random()) * 1e-10;
    sample.content += fmt::format("{},{:.17g}\n", x, y);
    sample.rows.push_back({x, y});
  }
  return sample;
}

TEST(Compression, GzipAndXzAreUndoneWhateverTheName) {
  const Sample sample = large_sample();
  EXPECT_EQ(rows_of(gzip(sample.content), {}, "s.csv.gz"), sample.rows);
  EXPECT_EQ(rows_of(xz(sample.content), {}, "s.csv.xz"), sample.rows);
  EXPECT_EQ(rows_of(gzip(sample.content), {}, "s.csv"), sample.rows);
  EXPECT_EQ(rows_of(xz(sample.content), {}, "s.dat"), sample.rows);
  EXPECT_EQ(rows_of(sample.content, {}, "s.csv.gz"), sample.rows);
}

TEST(Compression, FormatIsThatOfTheNameInside) {
  EXPECT_EQ(rows_of(gzip("[1,2]\n"), {}, "s.ndjson.gz"), (Rows{{1, 2}}));
  EXPECT_EQ(rows_of(xz("a\tb\n1\t2\n"), {}, "S.TSV.XZ"), (Rows{{1, 2}}));
  EXPECT_THAT(complaint_of(gzip("x"), {}, "s.npy.gz"), HasSubstr("is not a .npy file"));
}

TEST(Compression, ConcatenatedFilesAreOne) {
  EXPECT_EQ(rows_of(gzip("a,b\n1,2\n3") + gzip("") + gzip(",4\n"), {}, "s.csv.gz"), (Rows{{1, 2}, {3, 4}}));
  EXPECT_EQ(rows_of(gzip("a\n1\n") + std::string(512, '\0'), {}, "s.csv.gz"), (Rows{{1}}));
  EXPECT_EQ(rows_of(xz("a,b\n1,2\n3") + xz(",4\n"), {}, "s.csv.xz"), (Rows{{1, 2}, {3, 4}}));
}

TEST(Compression, TruncatedOrDamagedFilesAreErrors) {
  const std::string plain = large_sample().content;
  for (const auto& packed : {gzip(plain), xz(plain)}) {
    const InputOptions forgiving = {.on_bad_row = OnBadRow::zero};
    for (const std::size_t kept : {std::size_t{12}, packed.size() / 2, packed.size() - 1})
      EXPECT_EQ(complaint_of(packed.substr(0, kept), forgiving), "s.csv: the compressed data end early")
          << kept;
    std::string damaged = packed;
    for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 100; ++i)
      damaged[i] = static_cast<char>(~damaged[i]);
    EXPECT_NE(complaint_of(damaged, forgiving), "no complaint");
    EXPECT_NE(complaint_of(packed + "junk", forgiving), "no complaint");
  }
  EXPECT_EQ(complaint_of(gzip("a\n1\n") + "junk"), "s.csv: the gzip data are followed by something else");
  EXPECT_EQ(complaint_of(gzip("")), "s.csv: has no rows");
}

TEST(StandardInput, IsReadAsCsvAndNamedStdin) {
  Pipe pipe;
  const StandardInput replaced(pipe.reader());
  pipe.write("a,b\n1,2\n3,x\n");
  pipe.close_writer();
  RowReader reader("-", {});
  std::vector<double> row(2);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row, (std::vector<double>{1, 2}));
  EXPECT_EQ(reader.place(), "stdin:2");
  EXPECT_EQ(reader.progress(), std::nullopt);
  EXPECT_THAT([&] { reader.next(row); },
              ::testing::ThrowsMessage<DataError>("stdin:3: column b: not a number"));
}

TEST(StandardInput, CompressionIsFoundByItsFirstBytes) {
  for (const auto& packed : {gzip("a\n1\n2\n"), xz("a\n1\n2\n")}) {
    Pipe pipe;
    const StandardInput replaced(pipe.reader());
    pipe.write(packed);
    pipe.close_writer();
    RowReader reader("-", {});
    EXPECT_EQ(testing::all_rows(reader), (Rows{{1}, {2}}));
  }
}

// Hangs, rather than fails, if a row waits for more input than its own line.
TEST(StandardInput, ARowIsGivenAsSoonAsItsLineHasArrived) {
  Pipe pipe;
  const StandardInput replaced(pipe.reader());
  pipe.write("1\n");
  RowReader reader("-", {.header = false});
  std::vector<double> row(1);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row[0], 1.0);
  pipe.write("2\n3");
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row[0], 2.0);
  pipe.write("5\n");
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row[0], 35.0);
  pipe.close_writer();
  EXPECT_FALSE(reader.next(row));
}

TEST(StandardInput, MayBeADirectoryOrAFile) {
  const SampleDirectory directory;
  {
    const int descriptor = ::open(directory.path("").c_str(), O_RDONLY);
    const StandardInput replaced(descriptor);
    EXPECT_THAT([] { RowReader("-", {}); },
                ::testing::ThrowsMessage<DataError>("stdin: is a directory, not a file"));
    ::close(descriptor);
  }
  const int descriptor = ::open(directory.write("s", "a\n1\n").c_str(), O_RDONLY);
  const StandardInput replaced(descriptor);
  ::close(descriptor);
  RowReader reader("-", {});
  EXPECT_EQ(testing::all_rows(reader), (Rows{{1}}));
  EXPECT_EQ(reader.progress(), 1.0);
}

}  // namespace
}  // namespace jme
