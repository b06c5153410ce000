#include "row_pump.hpp"

#include <vector>

#include <jme/base/errors.hpp>

#include "progress.hpp"
#include "stop_signals.hpp"

namespace jme::cli {

namespace {

/// The next row; where the input is bad there, an error that says what the writer can do about it.
bool next_row(RowReader& reader, RowIntake& intake, const RunningStream& stream, const Horizon& horizon,
              std::span<double> row) {
  try {
    return intake.next(row);
  } catch (const DataError& error) {
    if (!reader.is_bad()) throw;
    // Past the horizon a row is one too many, whatever is in it.
    if (stream.rows() >= horizon.rows()) return true;
    throw DataError(error.what() + intake.advice(stream.rows() >= horizon.every()));
  }
}

void pump_all(RowReader& reader, RowIntake& intake, RunningStream& stream, const Horizon& horizon,
              bool quiet) {
  Progress progress(quiet, horizon.rows());
  std::vector<double> row(reader.dimension());
  while (next_row(reader, intake, stream, horizon, row)) {
    stream.push(row, intake.as_read());
    if (const Release* newest = stream.newest()) intake.learn(*newest);
    if (progress.is_shown()) progress.update(stream.rows(), reader.progress());
  }
  if (stream.rows() == 0) throw DataError(reader.place() + ": no rows");
  stream.end_input();
}

}  // namespace

void pump(RowReader& reader, RowIntake& intake, RunningStream& stream, const Horizon& horizon, bool quiet) {
  try {
    pump_all(reader, intake, stream, horizon, quiet);
  } catch (const DataError&) {
    stream.flush();
    throw;
  } catch (const BudgetExhausted&) {
    stream.flush();
    throw;
  } catch (const Stopped&) {
    stream.stop();
    throw;
  }
}

}  // namespace jme::cli
