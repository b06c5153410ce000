// Rows in batches are those of records that are parsed one by one, however many threads parse them.
#include <bit>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/data/input_reader.hpp>

#include "data/door.hpp"
#include "data/memory_file.hpp"
#include "data/row_reader.hpp"
#include "support/npy.hpp"

namespace jme::batch_tests {
namespace {

using testing::Door;
using testing::MemoryFile;
using testing::packed;
using testing::Setting;

/// What a reader gives, in a form that is compared bit for bit.
struct Read {
  struct Row {
    std::vector<std::uint64_t> cells{};
    bool is_bad = false;
    std::optional<std::string> person{};
    std::optional<Seconds> time{};
    bool operator==(const Row&) const = default;
  };
  struct Error {
    std::string text{};
    std::optional<std::size_t> row{}, column{};
    std::optional<Remedy> remedy{};
    std::optional<BadRecord::Cause> cause{};
    bool operator==(const Error&) const = default;
  };
  std::vector<std::string> columns{};
  std::vector<std::string> records{};
  std::vector<Row> rows{};
  std::string place{};
  std::optional<Error> error{};
  bool operator==(const Read&) const = default;
};

Read::Error error_of(const DataError& error) {
  const auto* const bad = dynamic_cast<const BadRecord*>(&error);
  return {.text = error.what(),
          .row = error.row(),
          .column = error.column(),
          .remedy = error.remedy(),
          .cause = bad == nullptr ? std::nullopt : std::optional(bad->cause())};
}

std::vector<std::uint64_t> bits_of(std::span<const double> cells) {
  std::vector<std::uint64_t> bits;
  for (const double cell : cells) bits.push_back(std::bit_cast<std::uint64_t>(cell));
  return bits;
}

Read read_by_row(const std::string& path, const Setting& setting, std::size_t records) {
  Read read;
  std::optional<RowReader> reader;
  try {
    reader.emplace(path, setting.options);
  } catch (const Error& error) {
    read.error = Read::Error{.text = error.what()};
    return read;
  }
  read.columns = reader->columns();
  std::vector<OnMissing> rules = setting.rules;
  rules.resize(reader->dimension(), OnMissing::bad_row);
  reader->on_missing(std::vector<OnMissing>(reader->dimension(), OnMissing::fill));
  std::vector<double> row(reader->dimension());
  try {
    if (records == 0) reader->on_missing(rules);
    while (reader->next(row)) {
      const RowBatch& batch = reader->batch();
      if (read.records.size() < records) read.records.push_back(reader->record());
      read.rows.push_back({.cells = bits_of(batch.row(0)), .is_bad = batch.is_bad(0), .time = batch.time(0)});
      if (const auto person = batch.person(0)) read.rows.back().person.emplace(*person);
      if (read.rows.size() == records) reader->on_missing(rules);
    }
  } catch (const DataError& error) {
    read.error = error_of(error);
  }
  read.place = reader->place();
  return read;
}

struct Way {
  std::size_t threads, piece_bytes, first, most_rows;
};

// The first rows are read with every missing cell filled, and with their records.
Read read_in_batches(const std::string& path, const Setting& setting, const Way& way) {
  Read read;
  std::unique_ptr<InputReader> reader;
  try {
    reader = open_input(path, setting.options, way.threads, way.piece_bytes);
  } catch (const Error& error) {
    read.error = Read::Error{.text = error.what()};
    return read;
  }
  read.columns = reader->columns();
  RowBatch batch;
  const auto read_part = [&] {
    while (reader->next(batch, way.most_rows)) {
      EXPECT_TRUE(batch.rows() >= 1 && batch.rows() <= way.most_rows);
      for (std::size_t i = 0; i < batch.rows(); ++i) {
        if (const auto record = batch.record(i)) read.records.emplace_back(*record);
        read.rows.push_back(
            {.cells = bits_of(batch.row(i)), .is_bad = batch.is_bad(i), .time = batch.time(i)});
        if (const auto person = batch.person(i)) read.rows.back().person.emplace(*person);
      }
    }
    EXPECT_FALSE(reader->next(batch));
  };
  std::vector<OnMissing> rules = setting.rules;
  rules.resize(reader->dimension(), OnMissing::bad_row);
  try {
    if (way.first > 0) {
      reader->begin({.missing = std::vector<OnMissing>(reader->dimension(), OnMissing::fill),
                     .rows = way.first,
                     .tells_records = true});
      read_part();
    }
    reader->begin({.missing = rules});
    read_part();
  } catch (const DataError& error) {
    read.error = error_of(error);
    EXPECT_THROW(static_cast<void>(reader->next(batch)), DataError);
  }
  read.place = reader->place();
  return read;
}

std::string shown(const Setting& setting, const std::string& content, const Way& way) {
  return fmt::format(
      "threads {} piece {} first {} most {}\nquoted {} format {} delimiter {} columns {} width {} "
      "person {} time {} longest {} header {} fail {}\n{:?}",
      way.threads, way.piece_bytes, way.first, way.most_rows, setting.options.records == Records::quoted,
      static_cast<int>(setting.options.format), static_cast<int>(setting.options.delimiter),
      setting.options.columns, setting.options.width.value_or(0), setting.options.person,
      setting.options.time.value_or(""), setting.options.longest_record, setting.options.header,
      setting.options.on_bad_row == OnBadRow::fail, content);
}

std::string why(const Read& a, const Read& b) {
  const auto text = [](const Read& read) {
    return fmt::format("{} rows, place {}, error {}", read.rows.size(), read.place,
                       read.error ? read.error->text : "none");
  };
  std::size_t same = 0;
  while (same < a.rows.size() && same < b.rows.size() && a.rows[same] == b.rows[same]) ++same;
  return fmt::format("\n{}\n{}\nthe first {} rows are the same, records {}", text(a), text(b), same,
                     a.records == b.records);
}

class Files {
 public:
  explicit Files(std::uint64_t seed) : door_(seed) {}

  /// Another file with its setting; it may be broken.
  std::pair<Setting, std::string> next() {
    Setting setting = door_.setting();
    InputOptions& options = setting.options;
    if (door_.one_in(3)) options.on_bad_row = OnBadRow::fail;
    if (door_.one_in(4)) options.may_be_empty = true;
    if (door_.one_in(6) && options.format == InputFormat::csv && options.delimiter == ';')
      options.decimal = ',';
    if (options.header && door_.one_in(2)) options.time = "note";
    if (door_.one_in(6)) setting.rules.back() = OnMissing::fail;
    std::string content = setting.head;
    const std::string good = good_record(options);
    const std::size_t count = door_.below(40), good_in = 1 + door_.below(4);
    for (std::size_t i = 0; i < count; ++i) {
      content += door_.one_in(good_in) ? good : door_.record(options, i + 1 == count);
      if (i + 1 < count || setting.last_has_line_end) content += setting.line_end;
    }
    if (door_.one_in(20)) content += "\"open";
    std::string bytes = packed(content, options.compression);
    if (door_.one_in(10) && !bytes.empty()) bytes.resize(door_.below(bytes.size()));
    if (door_.one_in(10) && !bytes.empty()) bytes[door_.below(bytes.size())] ^= 1;
    return {setting, bytes};
  }
  Way way(std::size_t threads) {
    return {.threads = threads,
            .piece_bytes = door_.any_of<std::size_t>({1, 3, 20, 100, 1000, usual_piece_bytes}),
            .first = door_.one_in(2) ? 0 : door_.below(30),
            .most_rows = door_.any_of<std::size_t>({1, 2, 5, RowBatch::most_rows})};
  }

 private:
  std::string good_record(const InputOptions& options) {
    if (options.format == InputFormat::ndjson) return R"({"a":3,"b":4,"1":3,"2":-4.5,"note":"7"})";
    std::string record = fmt::format("{}", static_cast<double>(door_.below(100'000)) / 64 - 300);
    const std::size_t width =
        options.header ? 3 : options.width.value_or(std::max<std::size_t>(options.columns.size(), 1));
    for (std::size_t i = 1; i < width; ++i) record += options.delimiter + std::to_string(door_.below(3000));
    return record;
  }

  Door door_;
};

void compare(std::uint64_t seed, std::size_t cases) {
  Files files(seed);
  const MemoryFile file;
  std::size_t rows = 0, errors = 0, timed = 0, somebodys = 0;
  for (std::size_t i = 0; i < cases; ++i) {
    const auto [setting, bytes] = files.next();
    file.write(bytes);
    for (const std::size_t threads : {1, 2, 7}) {
      const Way way = files.way(threads);
      const Read expected = read_by_row(file.path(), setting, way.first);
      const Read read = read_in_batches(file.path(), setting, way);
      ASSERT_TRUE(read == expected) << why(expected, read) << "\n" << shown(setting, bytes, way);
      if (threads > 1) continue;
      rows += expected.rows.size();
      errors += expected.error ? 1 : 0;
      for (const Read::Row& row : expected.rows) {
        timed += row.time ? 1 : 0;
        somebodys += row.person ? 1 : 0;
      }
    }
  }
  EXPECT_GT(rows, 4 * cases);
  EXPECT_GT(errors, cases / 10);
  EXPECT_GT(timed, cases / 10);
  EXPECT_GT(somebodys, cases / 4);
}

TEST(InputReader, GivesTheRowsAndErrorsOfRowsOneByOneOfNpyFiles) {
  Door random(3);
  const MemoryFile matrix_file, file;
  std::size_t rows = 0, errors = 0;
  for (int i = 0; i < 2'000; ++i) {
    const std::size_t count = 1 + random.below(60), columns = 1 + random.below(4);
    Eigen::MatrixXd matrix =
        Eigen::MatrixXd::Random(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(columns));
    for (std::size_t bad = random.below(4); bad > 0; --bad) {
      matrix(static_cast<Eigen::Index>(random.below(count)),
             static_cast<Eigen::Index>(random.below(columns))) =
          random.one_in(2) ? std::numeric_limits<double>::quiet_NaN()
                           : std::numeric_limits<double>::infinity();
    }
    write_npy_matrix(matrix_file.path(), matrix);
    std::ifstream stored(matrix_file.path(), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stored), {}};
    if (random.one_in(5)) bytes.replace(bytes.find("False"), 5, "True ");
    if (random.one_in(5)) bytes.resize(bytes.size() - random.below(std::min<std::size_t>(200, bytes.size())));
    if (random.one_in(5)) bytes += "more";
    Setting setting;
    setting.options.format = InputFormat::npy;
    if (random.one_in(2)) setting.options.on_bad_row = OnBadRow::zero;
    if (columns > 1 && random.one_in(3)) setting.options.columns = {"2", "1"};
    if (columns > 2 && random.one_in(4)) {
      setting.options.columns = {"1"};
      setting.options.time = "2";
    }
    const std::size_t taken = setting.options.columns.empty() ? columns : setting.options.columns.size();
    setting.rules.assign(taken, random.one_in(2) ? OnMissing::fill : OnMissing::bad_row);
    file.write(bytes);
    const Way way{.threads = 2,
                  .piece_bytes = 1000,
                  .first = random.below(30),
                  .most_rows = random.any_of<std::size_t>({1, 7, RowBatch::most_rows})};
    const Read expected = read_by_row(file.path(), setting, way.first);
    const Read read = read_in_batches(file.path(), setting, way);
    ASSERT_TRUE(read == expected) << why(expected, read) << "\n" << shown(setting, bytes, way);
    rows += read.rows.size();
    errors += read.error ? 1 : 0;
  }
  EXPECT_GT(rows, 20'000U);
  EXPECT_GT(errors, 500U);
}

TEST(InputReader, GivesTheRowsAndErrorsOfRecordsOneByOneWithAnyNumberOfThreads) {
  compare(1, 1'500);
}
TEST(SlowInputReader, GivesTheRowsAndErrorsOfRecordsOneByOneWithAnyNumberOfThreads) {
  compare(2, 20'000);
}

}  // namespace
}  // namespace jme::batch_tests
