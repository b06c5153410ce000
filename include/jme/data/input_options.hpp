#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jme/clock/time.hpp>
#include <jme/columns/missing.hpp>

namespace jme {

/// Called before every read that may have to wait for bytes (a pipe, a terminal), with its descriptor, and at
/// the end of a file that is followed, with -1. The function may itself wait there, and may throw to end the
/// reading.
using BeforeRead = std::function<void(int descriptor)>;

enum class InputFormat { automatic, csv, ndjson, npy };

/// How a file is packed. automatic: by the end of its name, .gz or .xz; standard input is plain. It is not
/// guessed from the bytes, because the first of them may belong to a row.
enum class Compression { automatic, none, gzip, xz };

/// What a record of CSV is. lines: one line, whatever quotes it holds. quoted: a quoted cell may hold line
/// breaks (RFC 4180); an open quote makes the lines after it part of its record, so this is for files that a
/// CSV writer made.
enum class Records { lines, quoted };

/// Public choices. A row's content affects that row alone; it never decides what these options leave open.
struct InputOptions {
  /// automatic: by the file's extension (.gz and .xz looked through; .tsv is CSV with tabs); stdin is CSV.
  InputFormat format = InputFormat::automatic;
  Compression compression = Compression::automatic;
  Records records = Records::lines;  ///< CSV; a record of NDJSON is a line
  /// Names (or 1-based numbers) of the columns to take, in this order; only their cells are checked. Empty:
  /// all columns of the CSV header or the .npy file. Input without a header needs columns or a width. NDJSON:
  /// keys of objects; if all of them are numbers, places in arrays too.
  std::vector<std::string> columns = {};
  /// Name (or 1-based number) of the column with the id of the person whose record it is; empty: there is
  /// none. It is no data column, and its cells need not be numbers. CSV and NDJSON; without a header the
  /// other columns must be given too.
  std::string person = {};
  /// Without a header: how many cells a record has (JSON objects have keys instead). By default the largest
  /// column number among `columns`, `person` and `time`. A record with more or fewer cells is a bad row, and
  /// nobody's unless the person's column is the first.
  std::optional<std::size_t> width{};
  /// The column that says when a row happened, by name or number; it is none of the `columns`. A row whose
  /// time cannot be read is a bad row.
  std::optional<std::string> time{};
  TimeUnit time_unit = TimeUnit::second;  ///< what numbers in that column count
  /// An input without rows is no error, and the first row is not waited for before the reader is there.
  bool may_be_empty = false;
  /// A file that grows: at its end more is waited for. `from_end`: what is in it when it is opened is left
  /// out, all but the header. Where it is replaced, the new file is read from its beginning, and its header
  /// left out. Where it is truncated or rewritten in place, the reading ends with a DataError. It must be
  /// plain text with records that are lines.
  enum class Follow { no, from_start, from_end };
  Follow follow = Follow::no;
  bool header = true;  ///< CSV: the first line names the columns; without it they are called 1, 2, ...
  char delimiter = ',';
  char decimal = '.';  ///< CSV: between the whole part of a number and its fraction, '.' or ','
  OnBadRow on_bad_row = OnBadRow::fail;
  /// In bytes, without the last line feed. A longer record is a bad row, so this also bounds the memory.
  std::size_t longest_record = std::size_t{1} << 26;
  BeforeRead before_read = {};
  /// CSV and NDJSON: the text itself in place of a file, which must live as long as the reader. The path is
  /// then only its name in messages, and nothing is decompressed.
  std::optional<std::string_view> text{};
};

/// The delimiter that a text stands for: one character, or tab, semicolon or pipe. Throws InvalidParameter.
[[nodiscard]] char parse_delimiter(std::string_view text);
/// The decimal sign that a text stands for: point or comma. Throws InvalidParameter.
[[nodiscard]] char parse_decimal(std::string_view text);

/// What `automatic` stands for.
[[nodiscard]] InputFormat input_format(const std::string& path, const InputOptions& options);

}  // namespace jme
