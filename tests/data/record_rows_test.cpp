// Records that come one by one from elsewhere than a file.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/data/record_rows.hpp>

namespace jme::record_rows_tests {
namespace {

using Value = std::optional<std::string>;

InputOptions options_of(InputFormat format) {
  InputOptions options;
  options.format = format;
  options.header = false;
  options.on_bad_row = OnBadRow::zero;
  if (format == InputFormat::csv) {
    options.columns = {"1", "3"};
  } else {
    options.columns = {"a", "b"};
  }
  return options;
}

RowBatch batch_of(const std::vector<Value>& values, const InputOptions& options) {
  RecordRows rows(options);
  RowBatch batch(rows.columns().size());
  for (const Value& value : values) rows.add(batch, value);
  return batch;
}

/// Each row's numbers, or nothing for a bad one.
std::vector<std::vector<double>> rows_of(const std::vector<Value>& values, InputFormat format) {
  const RowBatch batch = batch_of(values, options_of(format));
  std::vector<std::vector<double>> rows(batch.rows());
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!batch.is_bad(i)) rows[i].assign(batch.row(i).begin(), batch.row(i).end());
  return rows;
}

using Rows = std::vector<std::vector<double>>;

TEST(RecordRows, ARecordWithFurtherCellsIsNobodys) {
  using Who = std::vector<std::optional<std::string>>;
  const auto persons_of = [](const std::vector<Value>& values, InputFormat format) {
    InputOptions options = options_of(format);
    options.columns = {"1", "2"};
    options.person = "3";
    const RowBatch batch = batch_of(values, options);
    Who persons;
    for (std::size_t i = 0; i < batch.rows(); ++i) persons.emplace_back(batch.person(i));
    return persons;
  };
  const Who expected{"mal", std::nullopt, std::nullopt};
  EXPECT_EQ(persons_of({"1,1,mal", "z,1,p,mal", "1,1,p,"}, InputFormat::csv), expected);
  EXPECT_EQ(persons_of({R"([1,1,"mal"])", R"(["z",1,"p","mal"])", R"([1,1,"p",null])"}, InputFormat::ndjson),
            expected);
}

TEST(RecordRows, EveryRecordIsOneRowWhateverItHolds) {
  const Rows one{{1, 2}}, bad{{}};
  EXPECT_EQ(rows_of({R"({"a":1,"b":2})"}, InputFormat::ndjson), one);
  EXPECT_EQ(rows_of({"{\n \"a\": 1,\n \"b\": 2\n}\n"}, InputFormat::ndjson), one);
  EXPECT_EQ(rows_of({"1,x,2"}, InputFormat::csv), one);
  EXPECT_EQ(rows_of({"1,x,2\r\n"}, InputFormat::csv), one);
  for (const InputFormat format : {InputFormat::csv, InputFormat::ndjson}) {
    EXPECT_EQ(rows_of({}, format), Rows{});
    for (const Value& value :
         std::vector<Value>{std::nullopt, "", "\n", "\n\n", std::string("1,2,3\0", 6), "{", "\"", "1,2",
                            "1,2,3\n1,2,3", R"({"a":1,"b":2}{"a":1,"b":2})", "\xff\xfe", "\x1f\x8b"}) {
      EXPECT_EQ(rows_of({value}, format), bad) << value.value_or("no value");
      // And nobody's neighbours know of it.
      const std::string good = format == InputFormat::csv ? "1,x,2" : R"({"a":1,"b":2})";
      EXPECT_EQ(rows_of({good, value, good}, format), (Rows{{1, 2}, {}, {1, 2}}));
    }
  }
}

TEST(RecordRows, ARecordThatIsTooLongIsABadRow) {
  InputOptions options = options_of(InputFormat::csv);
  options.longest_record = 50;
  const RowBatch batch = batch_of({std::string(100, '1') + ",2,3", "4,5,6"}, options);
  EXPECT_TRUE(batch.is_bad(0));
  EXPECT_EQ(std::vector<double>(batch.row(1).begin(), batch.row(1).end()), (std::vector<double>{4, 6}));
}

TEST(RecordRows, HavePersonsTimesAndTheirRecordsWhereTheyAreAskedFor) {
  InputOptions options = options_of(InputFormat::ndjson);
  options.person = "who";
  options.time = "when";
  RecordRows rows(options);
  rows.on_missing({OnMissing::bad_row, OnMissing::fill});
  rows.tell_records(true);
  RowBatch batch(2);
  rows.add(batch, R"({"who":"x","when":"2026-01-01","a":1,"b":2})");
  rows.add(batch, "{\"who\":\"y\",\"when\":60,\"a\":1}\r\n");
  rows.add(batch, std::nullopt);
  EXPECT_EQ(batch.person(0), "x");
  EXPECT_EQ(batch.time(0), 1'767'225'600);
  EXPECT_EQ(batch.person(1), "y");
  EXPECT_TRUE(std::isnan(batch.row(1)[1]) && !batch.is_bad(1));
  EXPECT_EQ(batch.record(1), R"({"who":"y","when":60,"a":1})");
  EXPECT_TRUE(batch.is_bad(2) && !batch.person(2) && !batch.time(2));
  EXPECT_FALSE(rows.is_full(batch));
}

TEST(RecordRows, HaveNoHeaderNoNpyAndNoRuleThatFails) {
  InputOptions options = options_of(InputFormat::csv);
  options.header = true;
  EXPECT_THROW(RecordRows{options}, InvalidParameter);
  EXPECT_THROW(RecordRows{options_of(InputFormat::npy)}, InvalidParameter);
  options = options_of(InputFormat::csv);
  options.on_bad_row = OnBadRow::fail;
  EXPECT_THROW(RecordRows{options}, InvalidParameter);
  RecordRows rows(options_of(InputFormat::csv));
  EXPECT_THROW(rows.on_missing({OnMissing::fill, OnMissing::fail}), InvalidParameter);
}

}  // namespace
}  // namespace jme::record_rows_tests
