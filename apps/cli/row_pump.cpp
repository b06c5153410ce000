#include "row_pump.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jme/base/errors.hpp>

#include "exit_codes.hpp"
#include "progress.hpp"
#include "stop_signals.hpp"

namespace jme::cli {

namespace {

/// What the writer can do about the bad row that stopped the run, for the end of its message.
std::string advice(const RowPath& path) {
  std::vector<std::string_view> parts;
  if (path.reader.is_bad_for_missing_cell()) parts.push_back("--missing fills single cells");
  const bool is_of_the_input = path.reader.is_bad_like_others();
  const bool is_text = !is_of_the_input && path.reader.is_bad_for_column_of_text();
  if (is_text) parts.push_back("--columns or --bounds leaves out a column of text by naming the others");
  if (path.on_bad_row == OnBadRow::fail && !is_text && !is_of_the_input) {
    parts.push_back(path.intake.bad_rows_are_absent() ? "--on-bad-row zero counts such a row nowhere"
                                                      : "--on-bad-row zero counts such a row as zero");
  }
  if (path.stream.rows() >= path.horizon.every()) {
    parts.push_back("what was released before it stays released and its privacy is spent");
  }
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

/// Reads the next row; where it is bad, throws an error that says what the writer can do about it.
bool next_row(const RowPath& path, std::span<double> row) {
  RowReader& reader = path.reader;
  try {
    if (!reader.next(row)) return false;
  } catch (const DataError& error) {
    if (!reader.is_bad()) throw;
    // Past the horizon every row is too many, whatever is in it.
    if (path.stream.rows() >= path.horizon.rows()) return true;
    throw DataError(error.what() + advice(path), error.row().value_or(path.stream.rows() + 1), error.column(),
                    error.remedy());
  }
  const bool limited = path.intake.person_limit() != nullptr;
  if (reader.is_bad()) {
    limited ? path.intake.take_bad(row, reader.person()) : path.intake.take_bad(row);
  } else if (limited) {
    path.intake.take(row, reader.missing_cells(), reader.person());
  } else {
    path.intake.take(row, reader.missing_cells());
  }
  return true;
}

void pump_all(const RowPath& path, bool quiet) {
  RunningStream& stream = path.stream;
  Progress progress(quiet, path.horizon.rows());
  std::vector<double> row(path.reader.dimension());
  path.intake.keep_people(stream, path.resumes);
  const auto is_complete = [&] { return path.ends_at_horizon && stream.rows() >= path.horizon.rows(); };
  while (!is_complete() && next_row(path, row)) {
    if (path.live != nullptr) path.live->check();
    if (PersonLimit* limit = path.intake.person_limit()) stream.keep_people(limit->take_records());
    stream.push(row, path.intake.as_read());
    if (const Release* newest = stream.newest()) path.intake.learn(*newest);
    if (progress.is_shown()) progress.update(stream.rows(), path.reader.progress());
  }
  if (stream.rows() == 0) throw DataError(path.reader.place() + ": no rows");
  stream.end_input();
}

}  // namespace

void read_searched(RowReader& reader, BoundsSearch& search, Count count) {
  reader.on_missing(search.rules());
  std::vector<double> row(reader.dimension());
  while (!search.is_full() && reader.next(row)) {
    search.recognise(reader.record());
    if (reader.is_bad()) {
      search.add_bad(reader.person());
    } else {
      search.add(row, reader.missing_cells(), reader.person());
    }
  }
  if (count == Count::is_private) search.end_with_absent();
}

void leave_out(RowReader& reader, LeftOutRecords records, Count count) {
  if (records.count() == 0) return;
  reader.on_missing(std::vector<OnMissing>(reader.dimension(), OnMissing::fill));  // whatever is in them
  std::vector<double> row(reader.dimension());
  for (std::uint64_t i = 0; i < records.count(); ++i) {
    if (!reader.next(row)) {
      if (count == Count::is_private) break;
      throw DataError(fmt::format(
          "{}: the input ends after {} records, and the first {} were searched for bounds and are left out",
          reader.place(), i, records.count()));
    }
    records.add(reader.record());
  }
  records.end();
}

void pump(const RowPath& path, bool quiet) {
  try {
    pump_all(path, quiet);
  } catch (const DataError&) {
    path.stream.flush();
    throw;
  } catch (const BudgetExhausted&) {
    path.stream.flush();
    throw;
  } catch (const Stopped&) {
    path.stream.flush();
    if (const auto rows = path.stream.committed_rows()) {
      print_note(fmt::format("stopped; {} rows are committed: the same command goes on from there", *rows));
    }
    throw;
  }
}

}  // namespace jme::cli
