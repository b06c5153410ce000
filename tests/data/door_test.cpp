#include <cstring>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <jme/data/npy.hpp>

#include "data/memory_file.hpp"
#include "data/packed.hpp"
#include "data/sample_file.hpp"

// The door: what one person writes into a record affects that record's row alone. In files of every format
// and setting, one record is replaced by another of the same framing: the rows differ in that one at most,
// and none is lost, gained or refused.

namespace jme {
namespace {

using testing::MemoryFile;

struct DoorRow {
  std::vector<double> cells;
  std::vector<std::size_t> missing;
  bool bad = false;
  std::optional<std::string> person = {};

  bool operator==(const DoorRow&) const = default;
};

struct Setting {
  InputOptions options;
  std::vector<OnMissing> rules;
  std::string head;  // before the first record
  std::string line_end = "\n";
  bool last_has_line_end = true;
};

class Door {
 public:
  explicit Door(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] bool one_in(std::uint64_t n) { return random_() % n == 0; }
  [[nodiscard]] std::size_t below(std::size_t n) { return random_() % n; }
  template <class T>
  [[nodiscard]] T any_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

  Setting setting() {
    Setting setting;
    InputOptions& options = setting.options;
    options.on_bad_row = OnBadRow::zero;
    options.format = one_in(2) ? InputFormat::csv : InputFormat::ndjson;
    options.compression = any_of({Compression::none, Compression::none, Compression::gzip, Compression::xz});
    options.longest_record = any_of<std::size_t>({90, 300, std::size_t{1} << 26});
    const bool csv = options.format == InputFormat::csv;
    options.header = csv && one_in(2);
    if (csv) {
      options.delimiter = any_of({',', ';', '\t', '|', ' '});
      options.records = one_in(2) ? Records::quoted : Records::lines;
    }
    const bool named = options.header || (!csv && one_in(2));
    options.columns = named ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"1", "2"};
    if (one_in(3)) options.columns.pop_back();
    // Where one of two columns is named, records with two cells need a width.
    const bool needs_width = options.columns.size() == 1 && !one_in(4);
    if (!named && (needs_width || one_in(3))) options.width = 2 + below(2);
    if (!named && options.width == 2 && one_in(2)) options.columns.clear();
    if (options.columns.size() == 1 && !one_in(3)) {
      if (one_in(2)) options.columns.front() = named ? "b" : "2";
      const bool is_second = options.columns.front() == "b" || options.columns.front() == "2";
      options.person = named ? (is_second ? "a" : "b") : (is_second ? "1" : "2");
      if (named && one_in(3)) options.person = "note";
    }
    setting.rules.assign(options.columns.empty() ? 2 : options.columns.size(),
                         one_in(2) ? OnMissing::fill : OnMissing::bad_row);
    setting.line_end = one_in(2) ? "\n" : "\r\n";
    setting.last_has_line_end = !one_in(4);
    if (one_in(3)) setting.head = "\xef\xbb\xbf";
    if (options.header) {
      if (one_in(4)) setting.head += setting.line_end;
      setting.head += fmt::format("a{0}note{0}b{1}", options.delimiter, setting.line_end);
    }
    return setting;
  }

  /// Any record of the setting's framing; not empty where `needs_bytes`.
  std::string record(const InputOptions& options, bool needs_bytes) {
    std::string bytes;
    switch (below(4)) {
      case 0:
        bytes = options.format == InputFormat::csv ? csv_record(options) : json_record();
        break;
      case 1:
        bytes = known_trouble();
        break;
      case 2:
        bytes = noise(below(60));
        break;
      default:
        bytes = options.format == InputFormat::csv ? csv_record(options) : json_record();
        if (one_in(3)) bytes.insert(below(bytes.size() + 1), noise(1 + below(3)));
        if (one_in(8)) bytes.append(2 * options.longest_record % 1000, ' ');
        break;
    }
    // Around the limit, where there is a small one.
    if (options.longest_record < 1000 && one_in(6)) bytes.resize(options.longest_record - 2 + below(5), '7');
    if (options.records == Records::lines)
      std::erase(bytes, '\n');
    else
      bytes = as_quoted_record(bytes, options.delimiter);
    if (needs_bytes && bytes.empty()) bytes = " ";
    return bytes;
  }

 private:
  std::string number() {
    if (one_in(2)) return fmt::format("{}", static_cast<double>(below(2000)) / 8 - 100);
    return any_of<std::string>({"3e2", "1e999", "", "NA", "null", "NaN", "inf", "x", " 7 "});
  }

  std::string csv_record(const InputOptions& options) {
    std::vector<std::string> cells;
    const std::size_t width = one_in(3) ? below(6) : (options.header ? 3 : options.width.value_or(2));
    for (std::size_t i = 0; i < width; ++i) {
      cells.push_back(number());
      if (one_in(5)) cells.back() = "\"" + cells.back() + "\"";
      if (one_in(12)) cells.back() = "\"" + cells.back();
      if (one_in(12)) cells.back() = "\"a\n\n\nb\"";
    }
    return fmt::format("{}", fmt::join(cells, std::string_view(&options.delimiter, 1)));
  }

  std::string json_record() {
    const std::string x = number(),
                      y = any_of<std::string>({"1", "2.5", "null", "\"s\"", "[1]", "{}", "1e400"});
    switch (below(6)) {
      case 0:
        return fmt::format("[{},{}]", x, y);
      case 1:
        return fmt::format("[{},{},{}]", y, y, x);
      case 2:
        return fmt::format("{{\"a\":{},\"b\":{}}}", y, x);
      case 3:
        return fmt::format("{{\"1\":{},\"note\":{},\"2\":{}}}", y, x, y);
      case 4:
        return fmt::format("{{\"a\":{},\"a\":{}}}", y, y);
      default:
        return std::string(below(30), '[') + y + std::string(below(30), ']');
    }
  }

  std::string known_trouble() {
    using namespace std::string_literals;
    return any_of<std::string>({"",
                                " ",
                                "\r",
                                "\t",
                                "\"",
                                "\"\"",
                                "\"\"\"",
                                "\0"s,
                                "1,\0"s,
                                "\xef\xbb\xbf",
                                "\xef\xbb\xbf"
                                "1,2",
                                "\xff\xfe"
                                "1\0,\0"s,
                                "\xfe\xff",
                                "\xff",
                                "\x1f\x8b\x08\0\0\0\0\0\0\x03"s,
                                "\x1f\x8b",
                                "\x1f",
                                "\xfd"
                                "7zXZ\0\0\x04"s,
                                "\xfd"
                                "7z",
                                "a,note,b",
                                "\x93NUMPY\x01\0"s,
                                "{",
                                "[",
                                "}",
                                "1,1,0",
                                "1,1,\"",
                                "{\"a\":1}",
                                "[1,2]",
                                "[1,2,3]",
                                "1,2\r",
                                "1\r2",
                                "\x1a",
                                "\\",
                                "\\n",
                                "{\"a\":\"\\ud800\"}",
                                "{\"a\":\"\xc3\"}"});
  }

  std::string noise(std::size_t length) {
    static constexpr std::string_view telling =
        "\",;|\t 0123456789.eE+-{}[]:\\\r\n\0\xff\xef\xbb\xbf\x1f\x8b";
    std::string bytes;
    for (std::size_t i = 0; i < length; ++i)
      bytes += one_in(4) ? static_cast<char>(random_()) : telling[below(telling.size())];
    return bytes;
  }

  // What a CSV writer makes of these bytes as cells: those with quotes or line breaks are quoted. Now and
  // then there is something after the closing quote.
  std::string as_quoted_record(const std::string& bytes, char delimiter) {
    std::string record, cell;
    const auto end_cell = [&] {
      if (cell.find_first_of("\"\n") != std::string::npos || one_in(10)) {
        record += '"';
        for (const char c : cell) record += c == '"' ? std::string("\"\"") : std::string(1, c);
        record += '"';
        if (one_in(6)) record += "x\"y";
      } else {
        record += cell;
      }
      cell.clear();
    };
    for (const char c : bytes) {
      if (c != delimiter || one_in(10)) {
        cell += c == delimiter ? '\n' : c;
        continue;
      }
      end_cell();
      record += delimiter;
    }
    end_cell();
    return record;
  }

  std::mt19937_64 random_;
};

std::string packed(const std::string& plain, Compression compression) {
  if (compression == Compression::gzip) return testing::gzip(plain);
  return compression == Compression::xz ? testing::xz(plain) : plain;
}

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
