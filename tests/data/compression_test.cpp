#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "data/packed.hpp"
#include "data/sample_file.hpp"

namespace jme {
namespace {

using testing::complaint_of;
using testing::gzip;
using ::testing::HasSubstr;
using testing::Rows;
using testing::rows_of;
using testing::SampleDirectory;
using testing::xz;

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

TEST(Compression, IsWhatTheNameOrTheOptionSays) {
  const Sample sample = large_sample();
  EXPECT_EQ(rows_of(gzip(sample.content), {}, "s.csv.gz"), sample.rows);
  EXPECT_EQ(rows_of(xz(sample.content), {}, "S.CSV.XZ"), sample.rows);
  EXPECT_EQ(rows_of(gzip(sample.content), {.compression = Compression::gzip}, "s.csv"), sample.rows);
  EXPECT_EQ(rows_of(xz(sample.content), {.compression = Compression::xz}, "s.csv.gz"), sample.rows);
  EXPECT_EQ(rows_of(sample.content, {.compression = Compression::none}, "s.csv.gz"), sample.rows);
  EXPECT_EQ(complaint_of(sample.content, {}, "s.csv.gz"),
            "s.csv.gz: is not gzip data: if it is plain, use compression none");
  EXPECT_EQ(complaint_of(sample.content, {}, "s.csv.xz"),
            "s.csv.xz: is not xz data: if it is plain, use compression none");
}

TEST(Compression, IsNeverFoundInTheBytesOfAFirstRow) {
  for (const std::string& first :
       {gzip("7\n8\n9\n"), xz("7\n8\n9\n"), std::string("\x1f\x8b"), std::string("\x1f")}) {
    std::string record = first;
    std::erase(record, '\n');
    EXPECT_EQ(rows_of(record + "\n1\n2\n", {.width = 1, .header = false, .on_bad_row = OnBadRow::zero}),
              (Rows{{0}, {1}, {2}}));
  }
}

TEST(Compression, FormatIsThatOfTheNameInside) {
  EXPECT_EQ(rows_of(gzip("[1,2]\n"), {.width = 2}, "s.ndjson.gz"), (Rows{{1, 2}}));
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
  for (const auto& [packed, compression] :
       {std::pair{gzip(plain), Compression::gzip}, std::pair{xz(plain), Compression::xz}}) {
    const InputOptions forgiving = {.compression = compression, .on_bad_row = OnBadRow::zero};
    for (const std::size_t kept : {std::size_t{12}, packed.size() / 2, packed.size() - 1})
      EXPECT_EQ(complaint_of(packed.substr(0, kept), forgiving), "s.csv: the compressed data end early")
          << kept;
    std::string damaged = packed;
    for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 100; ++i)
      damaged[i] = static_cast<char>(~damaged[i]);
    EXPECT_NE(complaint_of(damaged, forgiving), "no complaint");
    EXPECT_NE(complaint_of(packed + "junk", forgiving), "no complaint");
  }
  const std::string name = "s.csv.gz";
  EXPECT_EQ(complaint_of(gzip("a\n1\n") + "junk", {}, name),
            name + ": the gzip data are followed by something else");
  EXPECT_EQ(complaint_of(gzip(""), {}, name), name + ": has no rows");
  EXPECT_EQ(complaint_of("", {}, name), name + ": the compressed data end early");
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

TEST(StandardInput, IsPlainUnlessTheOptionSaysOtherwise) {
  for (const auto& [packed, compression] :
       {std::pair{gzip("a\n1\n2\n"), Compression::gzip}, std::pair{xz("a\n1\n2\n"), Compression::xz}}) {
    Pipe pipe;
    const StandardInput replaced(pipe.reader());
    pipe.write(packed);
    pipe.close_writer();
    RowReader reader("-", {.compression = compression});
    EXPECT_EQ(testing::all_rows(reader), (Rows{{1}, {2}}));
  }
}

// Hangs, rather than fails, if a row waits for more input than its own line.
TEST(StandardInput, ARowIsGivenAsSoonAsItsLineHasArrived) {
  Pipe pipe;
  const StandardInput replaced(pipe.reader());
  pipe.write("1\n");
  RowReader reader("-", {.width = 1, .header = false});
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
