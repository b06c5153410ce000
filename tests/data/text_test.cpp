#include <gmock/gmock.h>

#include <jme/base/errors.hpp>

#include "data/sample_file.hpp"

namespace jme {
namespace {

std::vector<std::vector<double>> rows_of_text(std::string_view text, InputOptions options,
                                              const std::string& name = "body") {
  options.text = text;
  RowReader reader(name, options);
  std::vector<std::vector<double>> rows;
  std::vector<double> row(reader.dimension());
  while (reader.next(row)) rows.push_back(row);
  return rows;
}

TEST(TextInMemory, GivesTheRowsOfAFileWithTheSameBytes) {
  const std::vector<std::vector<double>> expected{{1, 2}, {0, 0}, {3, 4}};
  EXPECT_EQ(
      rows_of_text("x,y\n1,2\nnot,text\n3,4", {.format = InputFormat::csv, .on_bad_row = OnBadRow::zero}),
      expected);
  EXPECT_EQ(
      rows_of_text("{\"x\":1,\"y\":2}\n[[[[\n{\"y\":4,\"x\":3}\n",
                   {.format = InputFormat::ndjson, .columns = {"x", "y"}, .on_bad_row = OnBadRow::zero}),
      expected);
}

TEST(TextInMemory, MayBeLongerThanAnyBuffer) {
  std::string text = "x\n";
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  const auto rows = rows_of_text(text, {.format = InputFormat::csv});
  ASSERT_EQ(rows.size(), 100'000U);
  EXPECT_EQ(rows.back().front(), 99'999);
}

TEST(TextInMemory, IsNamedInMessagesAndNeverDecompressed) {
  try {
    static_cast<void>(rows_of_text("x\n1\nword\n", {.format = InputFormat::csv}, "body.gz"));
    ADD_FAILURE() << "a bad row was read";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("body.gz:3"));
  }
  EXPECT_THROW(static_cast<void>(rows_of_text("", {.format = InputFormat::csv})), DataError);
  EXPECT_THROW(static_cast<void>(rows_of_text("x", {.format = InputFormat::npy})), InvalidParameter);
}

}  // namespace
}  // namespace jme
