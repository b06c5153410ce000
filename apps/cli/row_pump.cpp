#include "row_pump.hpp"

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <jme/base/errors.hpp>

#include "exit_codes.hpp"
#include "progress.hpp"
#include "reader_rows.hpp"
#include "stop_signals.hpp"

namespace jme::cli {

namespace {

/// What the writer can do about the bad row that stopped the run, for the end of its message.
std::string advice(const RowPath& path) {
  std::vector<std::string_view> parts;
  const RowRules& rules = path.feed.rules();
  if (path.reader.is_bad_for_missing_cell()) parts.push_back("--missing fills single cells");
  const bool is_of_the_input = path.reader.is_bad_like_others();
  const bool is_text = !is_of_the_input && path.reader.is_bad_for_column_of_text();
  if (is_text) parts.push_back("--columns or --bounds leaves out a column of text by naming the others");
  if (rules.on_bad_row() == OnBadRow::fail && !is_text && !is_of_the_input) {
    parts.push_back(rules.bad_rows_are_absent() ? "--on-bad-row zero counts such a row nowhere"
                                                : "--on-bad-row zero counts such a row as zero");
  }
  if (path.feed.stream().rows() >= path.horizon.every()) {
    parts.push_back("what was released before it stays released and its privacy is spent");
  }
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

void take_all(const RowPath& path, bool quiet) {
  Progress progress(quiet, path.horizon.rows());
  ReaderRows rows(path.reader, path.one_by_one, path.place);
  const auto between = [&] {
    if (path.live != nullptr) path.live->check();
    if (!progress.is_shown()) return;
    const std::optional<double> fraction = rows.progress();
    if (!path.feed.takes_times()) {
      progress.update(path.feed.stream().rows(), fraction);
    } else if (fraction) {
      progress.update_fraction(*fraction);
    }
  };
  path.feed.take_all(rows, {.ends_at_horizon = path.ends_at_horizon, .between = between});
}

/// For the owner of the input alone.
void tell_outside(const TimedRows& rows) {
  if (rows.outside() == 0) return;
  print_note(
      fmt::format("{} of {} row(s) happened before --from or after --until and count nowhere; keep these "
                  "numbers to yourself",
                  rows.outside(), rows.rows()));
}

}  // namespace

void read_searched(BatchReader& reader, BoundsSearch& search, Count count) {
  reader.on_missing(search.rules());
  std::vector<std::size_t> missing;
  for (RowBatch batch; !search.is_full() && reader.next(batch, 1);) {
    search.recognise(reader.record());
    if (batch.is_bad(0)) {
      search.add_bad(batch.person(0));
      continue;
    }
    missing.clear();
    const std::span<double> row = batch.row(0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!std::isnan(row[i])) continue;
      missing.push_back(i);
      row[i] = 0;
    }
    search.add(row, missing, batch.person(0));
  }
  if (count == Count::is_private) search.end_with_absent();
}

void leave_out(BatchReader& reader, LeftOutRecords records, Count count) {
  if (records.count() == 0) return;
  reader.on_missing(std::vector<OnMissing>(reader.dimension(), OnMissing::fill));  // whatever is in them
  RowBatch batch;
  for (std::uint64_t i = 0; i < records.count(); ++i) {
    if (!reader.next(batch, 1)) {
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
  RunningStream& stream = path.feed.stream();
  try {
    take_all(path, quiet);
    if (stream.rows() == 0) throw DataError(path.reader.place() + ": no rows");
    path.feed.end_input();
  } catch (const DataError& error) {
    const bool is_of_row = path.reader.is_bad() && error.row();
    const std::string what = is_of_row ? error.what() + advice(path) : "";
    stream.flush();
    if (!is_of_row) throw;
    throw DataError(what, *error.row(), error.column(), error.remedy());
  } catch (const BudgetExhausted&) {
    stream.flush();
    throw;
  } catch (const Stopped&) {
    stream.flush();
    if (const auto rows = stream.committed_rows()) {
      print_note(fmt::format("stopped; {} rows are committed: the same command goes on from there", *rows));
    }
    throw;
  }
}

void pump_slots(const RowPath& path, bool quiet) {
  take_all(path, quiet);
  const TimedRows& rows = path.feed.timed();
  tell_outside(rows);
  if (const std::optional<std::string> doubts = rows.doubts("--time-unit")) print_warning(*doubts);
  path.feed.end_input();
}

}  // namespace jme::cli
