#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include <jme/columns/missing.hpp>

#include "columns/number.hpp"
#include "data/row_reader.hpp"
#include "data/sample_file.hpp"
#include "support/npy.hpp"

namespace jme {
namespace {

using testing::Rows;
using testing::SampleDirectory;
using Cells = std::vector<std::vector<std::size_t>>;

constexpr auto fill = OnMissing::fill;

struct Read {
  Rows rows;
  Cells missing;
  std::size_t bad = 0;
};

Read read(const std::string& content, const std::vector<OnMissing>& rules, const std::string& name = "s.csv",
          const InputOptions& options = {}) {
  const SampleDirectory directory;
  RowReader reader(directory.write(name, content), options);
  reader.on_missing(rules);
  Read result;
  std::vector<double> row(reader.dimension());
  while (reader.next(row)) {
    result.rows.push_back(row);
    result.missing.emplace_back(reader.missing_cells().begin(), reader.missing_cells().end());
  }
  result.bad = reader.bad_rows();
  return result;
}

TEST(MissingCellsOfAFile, OfCsvAreBlankOrAWordThatSaysSo) {
  for (const std::string cell :
       {"", " ", "\"\"", "NA", "na", "N/A", "NaN", "nan", "null", " NULL ", "\"NA\""}) {
    const Read result = read("a,b\n1,2\n3," + cell + "\n5,6\n", {fill, fill});
    EXPECT_EQ(result.rows, (Rows{{1, 2}, {3, 0}, {5, 6}})) << cell;
    EXPECT_EQ(result.missing, (Cells{{}, {1}, {}})) << cell;
    EXPECT_EQ(result.bad, 0U) << cell;
  }
  EXPECT_EQ(read("a,b,c\n,2,\n", {fill, fill, fill}).missing, (Cells{{0, 2}}));
}

TEST(MissingCellsOfAFile, AreNotWhatIsWrong) {
  for (const std::string cell : {"inf", "-inf", "1e999", "text", "-", "nano", "0x1", "NA1", "-nan"}) {
    EXPECT_FALSE(is_missing(cell)) << cell;
    const InputOptions zero{.on_bad_row = OnBadRow::zero};
    const Read result = read("a,b\n," + cell + "\n", {fill, fill}, "s.csv", zero);
    EXPECT_EQ(result.rows, (Rows{{0, 0}})) << cell;
    EXPECT_EQ(result.bad, 1U) << cell;
    EXPECT_EQ(result.missing, (Cells{{}})) << "a bad row has no cells to fill";
    EXPECT_THROW(read("a,b\n1," + cell + "\n", {fill, fill}), DataError) << cell;
  }
  // A row that is too short is a broken row, not a row with missing cells.
  EXPECT_THROW(read("a,b\n1\n", {fill, fill}), DataError);
}

TEST(MissingCellsOfAFile, OfNdjsonAreNullNanOrAbsent) {
  const std::string head = "{\"a\":1,\"b\":2}\n";
  const InputOptions ab{.columns = {"a", "b"}};
  for (const std::string row :
       {"{\"a\":3,\"b\":null}", "{\"a\":3}", "{\"b\":null,\"a\":3}", "{\"a\":3,\"b\":NaN}"}) {
    const Read result = read(head + row + "\n{\"a\":5,\"b\":6}\n", {fill, fill}, "s.ndjson", ab);
    EXPECT_EQ(result.rows, (Rows{{1, 2}, {3, 0}, {5, 6}})) << row;
    EXPECT_EQ(result.missing, (Cells{{}, {1}, {}})) << row;
  }
  const InputOptions two{.width = 2};
  EXPECT_EQ(read("[1,2]\n[null,4]\n", {fill, fill}, "s.ndjson", two).missing, (Cells{{}, {0}}));
  EXPECT_THROW(read(head + "{\"a\":null,\"b\":\"x\"}\n", {fill, fill}, "s.ndjson", ab), DataError);
  EXPECT_THROW(read(head + "{\"a\":null,\"a\":1,\"b\":2}\n", {fill, fill}, "s.ndjson", ab), DataError);
  EXPECT_THROW(read("[1,2]\n[null]\n", {fill, fill}, "s.ndjson", two), DataError);
}

TEST(MissingCellsOfAFile, AreAllOfABlankLine) {
  const Cells all = {{0, 1}, {}, {0, 1}, {0, 1}};
  EXPECT_EQ(read("a,b\n\n1,2\n \n\n", {fill, fill}).missing, all);
  EXPECT_EQ(read("\n1,2\n\n\n", {fill, fill}, "s.csv", {.width = 2, .header = false}).missing, all);
  EXPECT_EQ(read("\n[1,2]\n\r\n\n", {fill, fill}, "s.ndjson", {.width = 2}).missing, all);
  EXPECT_EQ(read("a\n\n1\n\n", {fill}).missing, (Cells{{0}, {}, {0}}));
  // Where one cell may not be missing the row is bad, as with a row of blank cells.
  const InputOptions zero{.on_bad_row = OnBadRow::zero};
  EXPECT_EQ(read("a,b\n\n1,2\n", {fill, OnMissing::bad_row}, "s.csv", zero).bad, 1U);
  EXPECT_THROW(read("a,b\n\n1,2\n", {fill, OnMissing::fail}, "s.csv", zero), DataError);
}

TEST(MissingCellsOfAFile, OfNpyAreNan) {
  const SampleDirectory directory;
  Eigen::MatrixXd matrix(2, 2);
  matrix << 1, std::numeric_limits<double>::quiet_NaN(), 3, 4;
  write_npy_matrix(directory.path("s.npy"), matrix);
  RowReader reader(directory.path("s.npy"), {});
  reader.on_missing({fill, fill});
  std::vector<double> row(2);
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row, (std::vector<double>{1, 0}));
  EXPECT_EQ(reader.missing_cells().size(), 1U);
  ASSERT_TRUE(reader.next(row));
  EXPECT_TRUE(reader.missing_cells().empty());
  matrix(0, 1) = std::numeric_limits<double>::infinity();
  write_npy_matrix(directory.path("s.npy"), matrix);
  RowReader infinite(directory.path("s.npy"), {});
  infinite.on_missing({fill, fill});
  EXPECT_THROW(infinite.next(row), DataError);
}

TEST(MissingCellsOfAFile, OfColumnsWithoutAFillMakeABadRowOrAlwaysFail) {
  const std::string content = "a,b\n1,\n,2\n";
  const InputOptions zero{.on_bad_row = OnBadRow::zero};
  const Read result = read(content, {fill, OnMissing::bad_row}, "s.csv", zero);
  EXPECT_EQ(result.bad, 1U);
  EXPECT_EQ(result.missing, (Cells{{}, {0}}));
  EXPECT_THROW(read(content, {fill, OnMissing::bad_row}), DataError);
  // Other faults still count as zero.
  const std::string faulty = "a,b\n1,x\n,2\n";
  EXPECT_EQ(read(faulty, {fill, OnMissing::fail}, "s.csv", zero).bad, 1U);
  EXPECT_THROW(read(content, {fill, OnMissing::fail}, "s.csv", zero), DataError);
}

TEST(MissingCellsOfAFile, TellTheReasonOfABadRow) {
  const SampleDirectory directory;
  RowReader reader(directory.write("s.csv", "a\nNA\nx\n\n3\n"), {.on_bad_row = OnBadRow::zero});
  std::vector<double> row(1);
  const bool expected[] = {true, false, true, false};
  for (const bool missing : expected) {
    ASSERT_TRUE(reader.next(row));
    EXPECT_EQ(reader.is_bad_for_missing_cell(), missing);
  }
  EXPECT_THROW(reader.on_missing({fill, fill}), InvalidParameter);
}

}  // namespace
}  // namespace jme
