// Batches of input that arrives while it is read, and what a reader of batches needs.
#include <array>
#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include <jme/base/errors.hpp>
#include <jme/data/batch_reader.hpp>

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
  BatchReader reader(pipe.path(), {.format = InputFormat::csv}, 3);
  RowBatch batch;
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{1}));
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{2}));
  pipe.write("3,0\n4,0\n5,");
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{3, 4}));
  EXPECT_EQ(reader.line(), 5U);
  pipe.write("0\n6,0");
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{5}));
  pipe.close();
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{6}));
  EXPECT_FALSE(reader.next(batch));
}

TEST(LiveBatch, EndsBeforeARecordWhoseQuoteIsStillOpen) {
  OpenPipe pipe;
  pipe.write("x,y\n1,0\n2,0\n3,\"\n");
  const InputOptions options{
      .format = InputFormat::csv, .records = Records::quoted, .columns = {"x"}, .on_bad_row = OnBadRow::zero};
  BatchReader reader(pipe.path(), options, 1);
  RowBatch batch;
  ASSERT_TRUE(reader.next(batch));
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{2}));
  pipe.write("\"\n4,0\n");
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(first_cells(batch), (Cells{3, 4}));
}

class Given final : public RecordFeed {
 public:
  explicit Given(std::deque<std::string> values) : values_(std::move(values)) {}
  bool next() override {
    if (is_begun_) values_.pop_front();
    is_begun_ = true;
    ++taken;
    return !values_.empty();
  }
  [[nodiscard]] std::optional<std::string_view> text() const override { return values_.front(); }
  [[nodiscard]] std::string place() const override { return "record " + std::to_string(taken); }
  std::size_t taken = 0;

 private:
  std::deque<std::string> values_;
  bool is_begun_ = false;
};

TEST(LiveBatch, OfAFeedHasOneRecordAndTakesNoOther) {
  Given given({"1,2", "3,4", "x,6"});
  const InputOptions options{.format = InputFormat::csv,
                             .columns = {"1", "2"},
                             .may_be_empty = true,
                             .header = false,
                             .feed = &given};
  BatchReader reader("a topic", options, 4);
  RowBatch batch;
  for (std::size_t i = 1; i <= 2; ++i) {
    ASSERT_TRUE(reader.next(batch));
    EXPECT_EQ(batch.rows(), 1U);
    EXPECT_EQ(given.taken, i);
  }
  try {
    static_cast<void>(reader.next(batch));
    ADD_FAILURE() << "was read";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("record 3: column 1: not a number"));
    EXPECT_EQ(error.row(), 3U);
  }
}

std::size_t threads_now() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

TEST(BatchReader, StartsNoThreadUnlessMoreThanOneIsAskedForAndThereIsMoreThanOnePiece) {
  std::string text = "x\n";
  for (int i = 0; i < 10'000; ++i) text += "12345\n";
  const auto threads_of = [&](std::size_t threads, std::size_t piece) {
    InputOptions options;
    options.text = text;
    const std::size_t before = threads_now();
    BatchReader reader("text", options, threads, piece);
    RowBatch batch;
    EXPECT_TRUE(reader.next(batch) && reader.next(batch));
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
TEST(BatchReader, BoundsItsMemoryWhateverTheRecordsAre) {
  const std::string text(20'000, '\n');
  InputOptions options{.width = 1 << 16, .header = false};
  options.text = text;
  const std::size_t before = peak_memory();
  BatchReader reader("text", options, 2);
  reader.on_missing(std::vector<OnMissing>(reader.dimension(), OnMissing::fill));
  RowBatch batch;
  for (std::size_t rows = 0; rows < 300; rows += batch.rows()) {
    ASSERT_TRUE(reader.next(batch));
    ASSERT_TRUE(std::isnan(batch.row(0)[0]));
  }
  EXPECT_LT(peak_memory() - before, std::size_t{1} << 30);
}

TEST(BatchReader, KnowsRecordsAndTakesRulesAsLongAsRowsComeOneByOne) {
  InputOptions options;
  const std::string text = "x,y\n1,2\n,4\n5,\n";
  options.text = text;
  options.on_bad_row = OnBadRow::zero;
  BatchReader reader("text", options, 2);
  RowBatch batch;
  EXPECT_THROW(static_cast<void>(reader.next(batch, 0)), InvalidParameter);
  ASSERT_TRUE(reader.next(batch, 1));
  EXPECT_EQ(reader.record(), "1,2");
  ASSERT_TRUE(reader.next(batch, 1));
  EXPECT_EQ(reader.record(), ",4");
  EXPECT_TRUE(batch.is_bad(0));
  EXPECT_EQ(reader.place(), "text:3");
  reader.on_missing({OnMissing::fill, OnMissing::fill});
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(batch.row(0)[0], 5);
  EXPECT_TRUE(std::isnan(batch.row(0)[1]) && !batch.has_bad());
  EXPECT_EQ(reader.bad_rows(), 1U);
  EXPECT_THROW(reader.on_missing({OnMissing::fail, OnMissing::fail}), InvalidParameter);
  EXPECT_THROW(static_cast<void>(reader.record()), InvalidParameter);
}

TEST(BatchReader, IsReadToItsEndNoFurtherThanTheCallerWants) {
  std::string text = "x\n";
  for (int i = 0; i < 5'000; ++i) text += "7\n";
  InputOptions options;
  options.text = text;
  for (const std::size_t threads : {1, 2, 7}) {
    BatchReader reader("text", options, threads, 10);
    RowBatch batch;
    EXPECT_TRUE(reader.next(batch) && reader.next(batch, 3));
  }  // whoever is parsing stops
}

}  // namespace
}  // namespace jme::live_batch_tests
