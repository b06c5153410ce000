#include "data/door.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <jme/data/input_reader.hpp>
#include <jme/data/record_rows.hpp>

#include "data/memory_file.hpp"
#include "data/sample_file.hpp"
#include "support/npy.hpp"

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
  std::vector<std::uint64_t> cells;  // their bits
  bool bad = false;
  std::optional<std::string> person = {};
  std::optional<Seconds> time = {};

  [[nodiscard]] bool has_missing() const {
    return std::ranges::any_of(cells,
                               [](std::uint64_t cell) { return std::isnan(std::bit_cast<double>(cell)); });
  }
  bool operator==(const DoorRow&) const = default;
};

void add_rows(std::vector<DoorRow>& rows, const RowBatch& batch) {
  for (std::size_t i = 0; i < batch.rows(); ++i) {
    rows.push_back({.cells = {}, .bad = batch.is_bad(i), .time = batch.time(i)});
    for (const double cell : batch.row(i)) rows.back().cells.push_back(std::bit_cast<std::uint64_t>(cell));
    if (const auto person = batch.person(i)) rows.back().person.emplace(*person);
  }
}

std::vector<DoorRow> rows_through(InputReader& reader, const std::vector<OnMissing>& rules) {
  reader.begin({.missing = rules});
  std::vector<DoorRow> rows;
  for (RowBatch batch; reader.next(batch);) add_rows(rows, batch);
  return rows;
}

/// How bytes come to the reader.
enum class Source { file, file_in_pieces, text, pipe };
constexpr std::array sources{Source::file, Source::file_in_pieces, Source::text, Source::pipe};

std::vector<DoorRow> rows_through(Source source, const MemoryFile& file, const Setting& setting,
                                  const std::vector<std::string>& records) {
  std::string content = setting.head;
  for (std::size_t i = 0; i < records.size(); ++i) {
    content += records[i];
    if (i + 1 < records.size() || setting.last_has_line_end) content += setting.line_end;
  }
  InputOptions options = setting.options;
  if (source == Source::text) {
    options.compression = Compression::none;
    options.text = content;
    return rows_through(*open_input("text", options), setting.rules);
  }
  content = packed(content, options.compression);
  if (source == Source::pipe) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0 || ::write(ends[1], content.data(), content.size()) != std::ssize(content))
      throw std::runtime_error("no pipe");
    ::close(ends[1]);
    const auto reader = open_input("/dev/fd/" + std::to_string(ends[0]), options);
    ::close(ends[0]);
    return rows_through(*reader, setting.rules);
  }
  file.write(content);
  const bool in_pieces = source == Source::file_in_pieces;
  return rows_through(
      *open_input(file.path(), options, in_pieces ? 3 : 1, in_pieces ? 50 : usual_piece_bytes),
      setting.rules);
}

std::string shown(const Setting& setting, const std::vector<std::string>& records, const std::string& other,
                  std::size_t at) {
  return fmt::format(
      "records {} format {} delimiter {} columns {} width {} longest {} header {}\n{}\n{} -> {:?}",
      setting.options.records == Records::quoted, static_cast<int>(setting.options.format),
      static_cast<int>(setting.options.delimiter), setting.options.columns, setting.options.width.value_or(0),
      setting.options.longest_record, setting.options.header, records, at, other);
}

/// Replaces one record in each of so many files.
void replace_records(std::uint64_t seed, std::size_t cases) {
  Door door(seed);
  const MemoryFile file;
  std::size_t good = 0, filled = 0, bad = 0, somebodys = 0, bad_but_somebodys = 0;
  for (std::size_t i = 0; i < cases; ++i) {
    const Setting setting = door.setting();
    const Source source = sources[i % sources.size()];
    std::vector<std::string> records(1 + door.below(8));
    // An empty last record without a line feed cannot be told from no record, so the writer must end it with
    // a line feed.
    const auto needs_bytes = [&](std::size_t at) {
      return at + 1 == records.size() && !setting.last_has_line_end;
    };
    for (std::size_t at = 0; at < records.size(); ++at)
      records[at] = door.record(setting.options, needs_bytes(at));
    const std::vector<DoorRow> before = rows_through(source, file, setting, records);
    ASSERT_EQ(before.size(), records.size()) << shown(setting, records, "", 0);

    const std::size_t at =
        door.one_in(3) ? 0 : (door.one_in(2) ? records.size() - 1 : door.below(records.size()));
    std::vector<std::string> changed = records;
    changed[at] = door.record(setting.options, needs_bytes(at));
    const std::vector<DoorRow> after = rows_through(source, file, setting, changed);
    ASSERT_EQ(after.size(), records.size()) << shown(setting, records, changed[at], at);
    for (std::size_t k = 0; k < records.size(); ++k) {
      ASSERT_TRUE(k == at || before[k] == after[k])
          << shown(setting, records, changed[at], at) << "\nrow " << k;
      ++(before[k].bad ? bad : (before[k].has_missing() ? filled : good));
      if (before[k].person) ++(before[k].bad ? bad_but_somebodys : somebodys);
    }
  }
  // Every kind of row went through.
  EXPECT_GT(good, cases / 5);
  EXPECT_GT(filled, cases / 10);
  EXPECT_GT(bad, cases);
  EXPECT_GT(somebodys, cases / 20);
  EXPECT_GT(bad_but_somebodys, cases / 10);
}

TEST(Door, ARecordDecidesAboutItsOwnRowAlone) {
  replace_records(20, 20'000);
}
TEST(SlowDoor, ARecordDecidesAboutItsOwnRowAlone) {
  replace_records(23, 200'000);
}

/// Records that come one by one, such as those of a topic: their bytes have no framing at all.
void replace_single_records(std::uint64_t seed, std::size_t cases) {
  Door door(seed);
  std::size_t good = 0, bad = 0;
  for (std::size_t i = 0; i < cases;) {
    const Setting setting = door.setting();
    if (setting.options.header) continue;
    ++i;
    std::vector<std::optional<std::string>> records(2 + door.below(8));
    const auto another = [&]() -> std::optional<std::string> {
      if (door.one_in(12)) return std::nullopt;
      std::string record = door.record(setting.options, false);
      if (door.one_in(6)) record.insert(door.below(record.size() + 1), "\n");
      return record;
    };
    for (auto& record : records) record = another();
    const auto rows_of = [&] {
      RecordRows rows(setting.options);
      rows.on_missing(setting.rules);
      RowBatch batch(rows.columns().size());
      for (const auto& record : records) rows.add(batch, record);
      std::vector<DoorRow> result;
      add_rows(result, batch);
      return result;
    };
    const std::vector<DoorRow> before = rows_of();
    const std::size_t at = door.below(records.size());
    records[at] = another();
    const std::vector<DoorRow> after = rows_of();
    ASSERT_TRUE(before.size() == records.size() && after.size() == records.size());
    for (std::size_t k = 0; k < records.size(); ++k) {
      ASSERT_TRUE(k == at || before[k] == after[k]) << "row " << k << " of " << records.size();
      ++(before[k].bad ? bad : good);
    }
  }
  EXPECT_GT(good, cases / 10);
  EXPECT_GT(bad, cases);
}

TEST(Door, ARecordThatComesByItselfDecidesAboutItsOwnRowAlone) {
  replace_single_records(24, 5'000);
}
TEST(SlowDoor, ARecordThatComesByItselfDecidesAboutItsOwnRowAlone) {
  replace_single_records(25, 50'000);
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
    DoorRow expected = {.cells = {std::bit_cast<std::uint64_t>(3.0)}};
    if (options.columns.size() != 1) expected.cells.push_back(std::bit_cast<std::uint64_t>(4.0));
    std::vector<std::string> records(3 + door.below(5));
    for (std::string& record : records) record = door.record(options, false);
    const std::size_t at = 1 + door.below(records.size() - 2);
    records[at] = records.back() = good;
    const std::vector<DoorRow> rows =
        rows_through(sources[static_cast<std::size_t>(i) % sources.size()], file, setting, records);
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
      return rows_through(*open_input(file.path(), options), rules);
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
