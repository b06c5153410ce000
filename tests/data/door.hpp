#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jme/data/input_options.hpp>

#include "data/packed.hpp"

namespace jme::testing {

/// How a file is made and read.
struct Setting {
  InputOptions options;
  std::vector<OnMissing> rules;
  std::string head;  // before the first record
  std::string line_end = "\n";
  bool last_has_line_end = true;
};

/// Makes files of every format and setting, with good, bad and hostile records.
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

inline std::string packed(const std::string& plain, Compression compression) {
  if (compression == Compression::gzip) return testing::gzip(plain);
  return compression == Compression::xz ? testing::xz(plain) : plain;
}

}  // namespace jme::testing
