#include "row_pump.hpp"

#include <optional>
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
std::string advice(BadRecord::Cause cause, const RowPath& path) {
  using enum BadRecord::Cause;
  std::vector<std::string_view> parts;
  const RowRules& rules = path.feed.rules();
  if (cause == missing_cell) parts.push_back("--missing fills single cells");
  if (cause == column_of_text)
    parts.push_back("--columns or --bounds leaves out a column of text by naming the others");
  if (rules.on_bad_row() == OnBadRow::fail && (cause == missing_cell || cause == of_this_row)) {
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
  const auto between = [&] {
    if (path.live != nullptr) path.live->check();
    if (!progress.is_shown()) return;
    const std::optional<double> fraction = path.reader.progress();
    if (!path.feed.takes_times()) {
      progress.update(path.feed.stream().rows(), fraction);
    } else if (fraction) {
      progress.update_fraction(*fraction);
    }
  };
  path.feed.take_all(path.reader, {.ends_at_horizon = path.ends_at_horizon,
                                   .batches_end_with_blocks = path.keeps_places,
                                   .between = between});
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

void read_searched(InputReader& reader, BoundsSearch& search, Count count) {
  reader.begin({.missing = search.rules(),
                .rows = search.search().config().records,
                .tells_records = search.needs_records()});
  search.take_all(reader);
  if (count == Count::is_private) search.end_with_absent();
}

void leave_out(InputReader& reader, LeftOutRecords records, Count count) {
  if (records.count() == 0) return;
  reader.begin(
      {.missing = std::vector<OnMissing>(reader.dimension(), OnMissing::fill),  // whatever is in them
       .rows = records.count(),
       .tells_records = records.needs_records()});
  const std::uint64_t taken = records.take_all(reader);
  if (taken < records.count() && count == Count::is_public) {
    throw DataError(fmt::format(
        "{}: the input ends after {} records, and the first {} were searched for bounds and are left out",
        reader.place(), taken, records.count()));
  }
  records.check();
}

void pump(const RowPath& path, bool quiet) {
  RunningStream& stream = path.feed.stream();
  try {
    take_all(path, quiet);
    if (stream.rows() == 0) throw DataError(path.reader.place() + ": no rows");
    path.feed.end_input();
  } catch (const BadRecord& error) {
    const std::string what = error.what() + advice(error.cause(), path);
    stream.flush();
    throw DataError(what, *error.row(), error.column(), error.remedy());
  } catch (const DataError&) {
    stream.flush();
    throw;
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
