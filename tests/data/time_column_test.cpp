// The column that says when a row happened.
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>

#include "data/row_reader.hpp"
#include "sample_file.hpp"
#include "support/npy.hpp"

namespace jme::time_column_tests {
namespace {

/// A file in a directory of its own.
class SampleFile {
 public:
  SampleFile(const std::string& name, std::string_view text) : path_(directory_.write(name, text)) {}
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  jme::testing::SampleDirectory directory_;
  std::string path_;
};

using Times = std::vector<std::optional<Seconds>>;

Times times_in(const SampleFile& file, InputOptions options) {
  options.on_bad_row = OnBadRow::zero;
  RowReader reader(file.path(), options);
  std::vector<double> row(reader.dimension());
  Times times;
  while (reader.next(row)) times.push_back(reader.time());
  return times;
}

TEST(TimeColumn, IsReadFromCsvAndIsNotOneOfTheColumns) {
  const SampleFile file("t.csv",
                        "x,when,y\n1,2026-01-01T00:00:00Z,2\n3,\"1767225601.5\",4\n5,later,6\n7,,8\n");
  EXPECT_EQ(times_in(file, {.time = "when"}), (Times{1767225600, 1767225601, std::nullopt, std::nullopt}));
  RowReader reader(file.path(), {.time = "when"});
  EXPECT_EQ(reader.columns(), (std::vector<std::string>{"x", "y"}));
  EXPECT_THROW(RowReader(file.path(), {.columns = {"x", "when"}, .time = "when"}), InvalidParameter);
  EXPECT_THROW(RowReader(file.path(), {.time = "whence"}), InvalidParameter);
}

TEST(TimeColumn, IsANumberWithoutAHeader) {
  const SampleFile file("t.csv", "1,0\n2,3600\n");
  EXPECT_EQ(times_in(file, {.columns = {"1"}, .time = "2", .header = false}), (Times{0, 3600}));
  EXPECT_THROW(RowReader(file.path(), {.columns = {"1"}, .time = "when", .header = false}), InvalidParameter);
}

TEST(TimeColumn, IsAStringOrANumberInJson) {
  const SampleFile file("t.ndjson",
                        "{\"x\":1,\"t\":\"1970-01-01T01:00Z\"}\n{\"t\":7200.9,\"x\":2}\n{\"x\":3}\n"
                        "{\"x\":4,\"t\":null}\n{\"t\":1,\"x\":5,\"t\":2}\n{\"t\":[1],\"x\":5}\n");
  EXPECT_EQ(times_in(file, {.columns = {"x"}, .time = "t"}),
            (Times{3600, 7200, std::nullopt, std::nullopt, std::nullopt, std::nullopt}));
  const SampleFile arrays("t.ndjson", "[1,3600]\n[2,\"1970-01-01T02:00Z\"]\n[3]\n");
  EXPECT_EQ(times_in(arrays, {.columns = {"1"}, .time = "2"}), (Times{3600, 7200, std::nullopt}));
}

TEST(TimeColumn, MakesARowBadThatHasNone) {
  const SampleFile file("t.csv", "x,when\n1,2026-01-01\n2,noon\n");
  RowReader reader(file.path(), {.time = "when"});
  std::vector<double> row(1);
  EXPECT_TRUE(reader.next(row));
  try {
    reader.next(row);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("its time is neither ISO 8601"));
    EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("noon")));
  }
}

TEST(TimeColumn, CountsInItsUnitInEveryFormat) {
  const SampleFile csv("t.csv", "x,when\n1,2\n2,1970-01-01T00:05Z\n");
  EXPECT_EQ(times_in(csv, {.time = "when", .time_unit = TimeUnit::hour}), (Times{7200, 300}));
  const SampleFile json("t.ndjson", "{\"x\":1,\"t\":2500}\n{\"x\":1,\"t\":\"2500\"}\n[1,2]\n");
  EXPECT_EQ(times_in(json, {.columns = {"x"}, .time = "t", .time_unit = TimeUnit::millisecond}),
            (Times{2, 2, std::nullopt}));
  const SampleFile arrays("t.ndjson", "[1,2]\n");
  EXPECT_EQ(times_in(arrays, {.columns = {"1"}, .time = "2", .time_unit = TimeUnit::day}), (Times{172800}));
  const SampleFile npy("t.npy", "");
  write_npy_matrix(npy.path(), (Eigen::MatrixXd(2, 2) << 1, 90, 2, 1e30).finished());
  EXPECT_EQ(times_in(npy, {.columns = {"1"}, .time = "2", .time_unit = TimeUnit::minute}),
            (Times{5400, std::nullopt}));
}

TEST(TimeColumn, OutsideOfTheYearsNamesTheSettingOfItsUnit) {
  const SampleFile csv("t.csv", "x,when\n1,1774747800123\n");
  const SampleFile json("t.ndjson", "{\"x\":1,\"when\":1774747800123}\n");
  for (const SampleFile* file : {&csv, &json}) {
    RowReader reader(file->path(), {.columns = {"x"}, .time = "when"});
    std::vector<double> row(1);
    try {
      reader.next(row);
      FAIL() << file->path();
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(),
                  ::testing::HasSubstr("in seconds since 1970, is outside of the years 1 to 9999"));
      EXPECT_EQ(error.remedy(), (Remedy{.field = "time_unit"}));
    }
    EXPECT_TRUE(reader.is_bad_like_others());
  }
}

TEST(InputWithoutRows, IsNoErrorWhereThatIsPrivate) {
  const SampleFile file("t.csv", "x,when\n");
  std::vector<double> row(1);
  EXPECT_FALSE(RowReader(file.path(), {.time = "when", .may_be_empty = true}).next(row));
  EXPECT_THROW(RowReader(file.path(), {.time = "when"}), DataError);
}

/// Reads what a file that is followed has, and lets something happen each time its end is reached.
class Following {
 public:
  Following(const std::string& path, InputOptions options, std::vector<std::function<void()>> events)
      : events_(std::move(events)) {
    options.may_be_empty = true;
    options.on_bad_row = OnBadRow::zero;
    options.before_read = [this](int descriptor) {
      if (descriptor >= 0) return;
      if (next_ == events_.size()) throw Over();
      events_[next_++]();
    };
    try {
      RowReader reader(path, options);
      std::vector<double> row(reader.dimension());
      while (reader.next(row)) cells.push_back(reader.is_bad() ? -1 : row[0]);
    } catch (const Over&) {
    }
  }
  std::vector<double> cells;

 private:
  struct Over {};
  std::vector<std::function<void()>> events_;
  std::size_t next_ = 0;
};

void append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

using Cells = std::vector<double>;

TEST(Follow, TakesWhatIsAppendedAndWholeLinesOnly) {
  const SampleFile file("log.csv", "x\n1\n2");
  const std::string path = file.path();
  const InputOptions from_start{.follow = InputOptions::Follow::from_start},
      from_end{.follow = InputOptions::Follow::from_end};
  EXPECT_EQ(Following(path, from_start, {[&] { append(path, "5\n3"); }, [&] { append(path, "\n"); }}).cells,
            (Cells{1, 25, 3}));
  // What is there already is left out, and so is the rest of a line that was being written.
  append(path, "9");
  EXPECT_EQ(Following(path, from_end, {[&] { append(path, "9\n4\n"); }, [&] { append(path, "5\n"); }}).cells,
            (Cells{4, 5}));
}

TEST(Follow, ReadsAFileThatTookItsPlaceFromItsBeginningWithoutItsHeader) {
  const SampleFile file("log.csv", "x\n1\n2");
  const std::string path = file.path(), old = path + ".1";
  const auto rotate = [&] {
    std::filesystem::rename(path, old);
    append(old, "0\n");  // the writer still has the old file
  };
  const auto begin_new = [&] { append(path, "x\n7\n"); };
  EXPECT_EQ(Following(path, {.follow = InputOptions::Follow::from_start},
                      {rotate, begin_new, [&] { append(path, "8\n"); }})
                .cells,
            (Cells{1, 20, 7, 8}));
  std::filesystem::remove(old);
}

TEST(Follow, StopsWhereAFileIsTruncatedInPlaceHoweverLongItIsThen) {
  const std::string long_record = "x\n7" + std::string(30'000, ' ') + "\n8\n9\n";
  for (const std::string& more : {std::string(), std::string(6000, '\n'), std::string(20'000, '\n')}) {
    const std::string old = "x\n1\n2\n3\n" + more + "4\n";
    std::string other_head = old + "8\n", other_tail = old + "8\n";
    other_head[2] = '5';
    other_tail[old.size() - 2] = '5';
    for (const std::string& now : {std::string(), std::string("x\n"), std::string("x\n5\n"), other_head,
                                   other_tail, long_record, std::string(old.size(), '\0') + "8\n"}) {
      for (const auto follow : {InputOptions::Follow::from_start, InputOptions::Follow::from_end}) {
        const SampleFile file("log.csv", old);
        const std::string path = file.path();
        const auto truncate = [&] {
          std::filesystem::resize_file(path, 0);
          append(path, now);
        };
        EXPECT_THAT(
            [&] {
              Following(path, {.follow = follow}, {[] {}, truncate, [&] { append(path, "6\n"); }, [] {}});
            },
            ::testing::ThrowsMessage<DataError>(::testing::HasSubstr("rotate it by renaming")))
            << now.substr(0, 40) << ' ' << more.size();
      }
    }
  }
}

TEST(Follow, FindsATruncationBetweenALookAndTheNextRead) {
  // The reader is told that there is something to read, and meanwhile the file is another one.
  const SampleFile file("log.csv", "x\n1\n2\n");
  const std::string path = file.path();
  std::size_t reads = 0, looks = 0;
  InputOptions options{.on_bad_row = OnBadRow::zero};
  options.follow = InputOptions::Follow::from_start;
  options.before_read = [&](int descriptor) {
    if (descriptor < 0 && ++looks > 3) throw std::runtime_error("was not found");
    if (descriptor < 0 || ++reads != 2) return;
    std::filesystem::resize_file(path, 0);
    append(path, "x\n7" + std::string(100, ' ') + "\n8\n9\n");
  };
  std::vector<double> row(1), read;
  RowReader reader(path, options);
  const auto read_all = [&] {
    while (reader.next(row)) read.push_back(row[0]);
  };
  EXPECT_THAT(read_all, ::testing::ThrowsMessage<DataError>(::testing::HasSubstr("rotate it by renaming")));
  EXPECT_EQ(read, (Cells{1, 2}));
}

TEST(Follow, WaitsForAHeaderThatIsNotThereYet) {
  const SampleFile file("log.csv", "");
  const std::string path = file.path();
  EXPECT_EQ(Following(path, {.follow = InputOptions::Follow::from_end},
                      {[&] { append(path, "x"); }, [&] { append(path, "\n6\n"); }})
                .cells,
            (Cells{6}));
}

TEST(Follow, IsForPlainLines) {
  const SampleFile file("log.csv", "x\n1\n");
  InputOptions options{.follow = InputOptions::Follow::from_start};
  options.records = Records::quoted;
  EXPECT_THROW(RowReader(file.path(), options), InvalidParameter);
  options.records = Records::lines;
  options.compression = Compression::gzip;
  EXPECT_THROW(RowReader(file.path(), options), InvalidParameter);
}

}  // namespace
}  // namespace jme::time_column_tests
