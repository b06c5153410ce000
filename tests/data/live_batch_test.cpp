// Batches of input that arrives while it is read, and what a reader of batches needs.
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include <jme/base/errors.hpp>
#include <jme/data/input_reader.hpp>

namespace jme::live_batch_tests {
namespace {

using ::testing::HasSubstr;

/// A pipe by its name, into which a test writes while it is read.
class OpenPipe {
 public:
  OpenPipe() {
    if (::pipe(ends_.data()) != 0) throw std::runtime_error("pipe");
  }
  OpenPipe(const OpenPipe&) = delete;
  OpenPipe& operator=(const OpenPipe&) = delete;
  ~OpenPipe() {
    close();
    ::close(ends_[0]);
  }
  void write(std::string_view text) const {
    ASSERT_EQ(::write(ends_[1], text.data(), text.size()), std::ssize(text));
  }
  void close() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  std::array<int, 2> ends_{};
};

std::vector<double> first_cells(const RowBatch& batch) {
  std::vector<double> cells;
  for (std::size_t i = 0; i < batch.rows(); ++i) cells.push_back(batch.row(i)[0]);
  return cells;
}

using Cells = std::vector<double>;

TEST(LiveBatch, EndsBeforeARowThatHasToBeWaitedFor) {
  OpenPipe pipe;
  pipe.write("x,y\n1,0\n2,0\n");
  const auto reader = open_input(pipe.path(), {.format = InputFormat::csv}, 3);
  RowBatch batch;
  ASSERT_TRUE(reader->next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{1, 2}));
  pipe.write("3,0\n4,0\n5,");
  ASSERT_TRUE(reader->next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{3, 4}));
  EXPECT_THAT(reader->place(), HasSubstr(":5"));
  pipe.write("0\n6,0");
  ASSERT_TRUE(reader->next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{5}));
  pipe.close();
  ASSERT_TRUE(reader->next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{6}));
  EXPECT_FALSE(reader->next(batch));
}

TEST(LiveBatch, EndsBeforeARecordWhoseQuoteIsStillOpen) {
  OpenPipe pipe;
  pipe.write("x,y\n1,0\n2,0\n3,\"\n");
  const InputOptions options{
      .format = InputFormat::csv, .records = Records::quoted, .columns = {"x"}, .on_bad_row = OnBadRow::zero};
  const auto reader = open_input(pipe.path(), options, 1);
  RowBatch batch;
  ASSERT_TRUE(reader->next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{1, 2}));
  pipe.write("\"\n4,0\n");
  ASSERT_TRUE(reader->next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{3, 4}));
}

std::size_t threads_now() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

TEST(InputReader, StartsNoThreadUnlessMoreThanOneIsAskedForAndThereIsMoreThanOnePiece) {
  std::string text = "x\n";
  for (int i = 0; i < 10'000; ++i) text += "12345\n";
  const auto threads_of = [&](std::size_t threads, std::size_t piece) {
    InputOptions options;
    options.text = text;
    const std::size_t before = threads_now();
    const auto reader = open_input("text", options, threads, piece);
    RowBatch batch;
    EXPECT_TRUE(reader->next(batch) && reader->next(batch));
    return threads_now() - before;
  };
  EXPECT_EQ(threads_of(1, 1000), 0U);
  EXPECT_EQ(threads_of(3, 1000), 2U);
  EXPECT_EQ(threads_of(3, 1 << 20), 0U);
}

std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
  }
  throw std::runtime_error("no VmHWM");
}

// One byte of a blank line is a row of 2^16 cells: a piece of them would have 10 GB.
TEST(InputReader, BoundsItsMemoryWhateverTheRecordsAre) {
  const std::string text(20'000, '\n');
  InputOptions options{.width = 1 << 16, .header = false};
  options.text = text;
  const std::size_t before = peak_memory();
  const auto reader = open_input("text", options, 2);
  reader->begin({.missing = std::vector<OnMissing>(reader->dimension(), OnMissing::fill)});
  RowBatch batch;
  for (std::size_t rows = 0; rows < 300; rows += batch.rows()) {
    ASSERT_TRUE(reader->next(batch));
    ASSERT_TRUE(std::isnan(batch.row(0)[0]));
  }
  EXPECT_LT(peak_memory() - before, std::size_t{1} << 30);
}

TEST(InputReader, IsReadInPartsWithRulesOfTheirOwn) {
  InputOptions options;
  const std::string text = "x,y\n1,2\n,4\n5,\n6,\n";
  options.text = text;
  options.on_bad_row = OnBadRow::zero;
  for (const std::size_t threads : {1, 2}) {
    const auto reader = open_input("text", options, threads, 3);
    RowBatch batch;
    EXPECT_THROW(static_cast<void>(reader->next(batch, 0)), InvalidParameter);
    EXPECT_THROW(reader->begin({.missing = {OnMissing::fill}}), InvalidParameter);
    reader->begin({.rows = 2, .tells_records = true});
    std::vector<std::string> records;
    std::vector<bool> bad;
    while (reader->next(batch)) {
      for (std::size_t i = 0; i < batch.rows(); ++i) {
        records.emplace_back(batch.record(i).value_or("none"));
        bad.push_back(batch.is_bad(i));
      }
    }
    EXPECT_EQ(records, (std::vector<std::string>{"1,2", ",4"}));
    EXPECT_EQ(bad, (std::vector<bool>{false, true}));
    EXPECT_EQ(reader->place(), "text:3");
    reader->begin({.missing = {OnMissing::fill, OnMissing::fill}, .rows = 2});
    ASSERT_TRUE(reader->next(batch, 1));
    EXPECT_EQ(batch.row(0)[0], 5);
    EXPECT_TRUE(std::isnan(batch.row(0)[1]) && !batch.has_bad() && !batch.record(0));
    EXPECT_EQ(reader->place(), "text:4");
    EXPECT_THROW(reader->begin({}), InvalidParameter);  // a row of the part is left
    ASSERT_TRUE(reader->next(batch));
    EXPECT_FALSE(reader->next(batch));
    reader->begin({});
    EXPECT_FALSE(reader->next(batch));
  }
}

TEST(InputReader, IsReadToItsEndNoFurtherThanTheCallerWants) {
  std::string text = "x\n";
  for (int i = 0; i < 5'000; ++i) text += "7\n";
  InputOptions options;
  options.text = text;
  for (const std::size_t threads : {1, 2, 7}) {
    const auto reader = open_input("text", options, threads, 10);
    RowBatch batch;
    EXPECT_TRUE(reader->next(batch) && reader->next(batch, 3));
  }  // whoever is parsing stops
}

}  // namespace
}  // namespace jme::live_batch_tests
