#include "data/door.hpp"

#include <cstring>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <jme/data/npy.hpp>

#include "data/memory_file.hpp"
#include "data/sample_file.hpp"

// The door: what one person writes into a record affects that record's row alone. In files of every format
// and setting, one record is replaced by another of the same framing: the rows differ in that one at most,
// and none is lost, gained or refused.

namespace jme {
namespace {

using testing::Door;
using testing::MemoryFile;
using testing::packed;
using testing::Setting;

struct DoorRow {
  std::vector<double> cells;
  std::vector<std::size_t> missing;
  bool bad = false;
  std::optional<std::string> person = {};

  bool operator==(const DoorRow&) const = default;
};

std::vector<DoorRow> rows_through(RowReader& reader, const std::vector<OnMissing>& rules) {
  reader.on_missing(rules);
  std::vector<DoorRow> rows;
  std::vector<double> cells(reader.dimension());
  while (reader.next(cells)) {
    const auto missing = reader.missing_cells();
    rows.push_back({.cells = cells, .missing = {missing.begin(), missing.end()}, .bad = reader.is_bad()});
    if (const auto person = reader.person()) rows.back().person.emplace(*person);
  }
  return rows;
}

std::vector<DoorRow> rows_through(const MemoryFile& file, const Setting& setting,
                                  const std::vector<std::string>& records) {
  std::string content = setting.head;
  for (std::size_t i = 0; i < records.size(); ++i) {
    content += records[i];
    if (i + 1 < records.size() || setting.last_has_line_end) content += setting.line_end;
  }
  file.write(packed(content, setting.options.compression));
  RowReader reader(file.path(), setting.options);
  return rows_through(reader, setting.rules);
}

std::string shown(const Setting& setting, const std::vector<std::string>& records, const std::string& other,
                  std::size_t at) {
  return fmt::format(
      "records {} format {} delimiter {} columns {} width {} longest {} header {}\n{}\n{} -> {:?}",
      setting.options.records == Records::quoted, static_cast<int>(setting.options.format),
      static_cast<int>(setting.options.delimiter), setting.options.columns, setting.options.width.value_or(0),
      setting.options.longest_record, setting.options.header, records, at, other);
}

TEST(Door, ARecordDecidesAboutItsOwnRowAlone) {
  Door door(20);
  const MemoryFile file;
  std::size_t good = 0, filled = 0, bad = 0, somebodys = 0, bad_but_somebodys = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Setting setting = door.setting();
    std::vector<std::string> records(1 + door.below(8));
    // An empty last record without a line feed cannot be told from no record, so the writer must end it with
    // a line feed.
    const auto needs_bytes = [&](std::size_t at) {
      return at + 1 == records.size() && !setting.last_has_line_end;
    };
    for (std::size_t at = 0; at < records.size(); ++at)
      records[at] = door.record(setting.options, needs_bytes(at));
    const std::vector<DoorRow> before = rows_through(file, setting, records);
    ASSERT_EQ(before.size(), records.size()) << shown(setting, records, "", 0);

    const std::size_t at =
        door.one_in(3) ? 0 : (door.one_in(2) ? records.size() - 1 : door.below(records.size()));
    std::vector<std::string> changed = records;
    changed[at] = door.record(setting.options, needs_bytes(at));
    const std::vector<DoorRow> after = rows_through(file, setting, changed);
    ASSERT_EQ(after.size(), records.size()) << shown(setting, records, changed[at], at);
    for (std::size_t k = 0; k < records.size(); ++k) {
      ASSERT_TRUE(k == at || before[k] == after[k])
          << shown(setting, records, changed[at], at) << "\nrow " << k;
      ++(before[k].bad ? bad : (before[k].missing.empty() ? good : filled));
      if (before[k].person) ++(before[k].bad ? bad_but_somebodys : somebodys);
    }
  }
  // Every kind of row went through.
  EXPECT_GT(good, 4000u);
  EXPECT_GT(filled, 2000u);
  EXPECT_GT(bad, 20'000u);
  EXPECT_GT(somebodys, 1000u);
  EXPECT_GT(bad_but_somebodys, 2000u);
}

TEST(Door, GoodRowsAreReadWhateverStandsAroundThem) {
  Door door(21);
  const MemoryFile file;
  for (int i = 0; i < 5'000; ++i) {
    Setting setting = door.setting();
    setting.options.person.clear();
    if (setting.options.columns.size() == 1)
      setting.options.columns.front() = setting.options.columns.front() < "3" ? "1" : "a";
    const InputOptions& options = setting.options;
    std::string good =
        options.header ? fmt::format("3{0}{0}4", options.delimiter) : fmt::format("3{0}4", options.delimiter);
    if (!options.header && options.width == 3) good += options.delimiter;
    if (!options.header && !options.width && options.columns.size() == 1) good = "3";
    if (options.format == InputFormat::ndjson) good = R"({"a":3,"b":4,"1":3,"2":4})";
    const DoorRow expected = {
        .cells = options.columns.size() == 1 ? std::vector<double>{3} : std::vector<double>{3, 4},
        .missing = {}};
    std::vector<std::string> records(3 + door.below(5));
    for (std::string& record : records) record = door.record(options, false);
    const std::size_t at = 1 + door.below(records.size() - 2);
    records[at] = records.back() = good;
    const std::vector<DoorRow> rows = rows_through(file, setting, records);
    ASSERT_EQ(rows.size(), records.size());
    ASSERT_TRUE(rows[at] == expected && rows.back() == expected) << shown(setting, records, "", at);
  }
}

TEST(Door, ARowOfNpyDecidesAboutItselfAlone) {
  const testing::SampleDirectory directory;
  const MemoryFile file;
  std::mt19937_64 random(22);
  for (int i = 0; i < 2'000; ++i) {
    const std::size_t rows = 1 + random() % 9, columns = 1 + random() % 4;
    write_npy_matrix(directory.path("s.npy"), Eigen::MatrixXd::Random(static_cast<Eigen::Index>(rows),
                                                                      static_cast<Eigen::Index>(columns)));
    std::ifstream stored(directory.path("s.npy"), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(stored), {}};
    const InputOptions options = {.format = InputFormat::npy,
                                  .compression = i % 2 == 0 ? Compression::none : Compression::gzip,
                                  .on_bad_row = OnBadRow::zero};
    const std::vector<OnMissing> rules(columns, i % 3 == 0 ? OnMissing::fill : OnMissing::bad_row);
    const auto through = [&](const std::string& bytes) {
      file.write(packed(bytes, options.compression));
      RowReader reader(file.path(), options);
      return rows_through(reader, rules);
    };
    const std::size_t at = random() % rows, row_size = columns * sizeof(double);
    std::string changed = content;
    for (std::size_t byte = 0; byte < row_size; ++byte)
      changed[content.size() - (rows - at) * row_size + byte] =
          static_cast<char>(i % 5 == 0 ? 0xff : random());
    const std::vector<DoorRow> before = through(content), after = through(changed);
    ASSERT_EQ(before.size(), rows);
    ASSERT_EQ(after.size(), rows);
    for (std::size_t k = 0; k < rows; ++k) ASSERT_TRUE(k == at || before[k] == after[k]) << k << " " << at;
  }
}

}  // namespace
}  // namespace jme
