// The way of every input to the stream.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "bindings/arrow.hpp"
#include "bindings/buffers.hpp"
#include "bindings/calls.hpp"
#include "bindings/column_places.hpp"
#include "bindings/errors.hpp"
#include "bindings/stream.hpp"
#include "bindings/stream_use.hpp"
#include "bindings/told_rows.hpp"

namespace nb = nanobind;

namespace jme::python {

// Errors name columns by their number; people know them by name.
template <class Work>
void Stream::naming_columns(bool many, const Work& work) const {
  try {
    work();
  } catch (const DataError& error) {
    std::string message = error.what(), name;
    if (error.column() && *error.column() <= run_->columns().size()) {
      name = run_->columns()[*error.column() - 1];
      const std::string place = fmt::format("column {}", *error.column());
      const std::size_t at = message.find(place);
      if (at != std::string::npos && name != std::to_string(*error.column())) {
        message.replace(at, place.size(), "column " + name);
      }
    }
    if (const auto* named = dynamic_cast<const NamedDataError*>(&error)) name = named->column_name();
    if (many && message.find("none of the") == std::string::npos) message += "; none of the rows was taken";
    throw NamedDataError(message, error, name);
  }
}

nb::object Stream::push(nb::handle rows, nb::handle progress) {
  const Use use(*this);
  {
    const Progress::Push shown(progress_, progress);
    push_any(rows);
  }
  // One per cent of fewer is less than one: a single cell among the first rows would warn.
  warn(new_warnings(static_cast<std::size_t>(1 / doubtful_clamped_share)));
  return take();
}

void Stream::push_any(nb::handle rows) {
  begin_telling();
  if (!person_.empty() || !time_.empty()) {  // only tables say whose rows they hold, and of when
    nb::module_::import_("jme._inputs").attr("push")(nb::find(*this), rows);
    return;
  }
  if (read_row(rows, row_)) {
    const StreamConfig& config = run_->mechanism().config();
    if (!is_open()) open(numbered(run_->dimension_is_known() ? config.dimension : row_.size()));
    // Numbers in a row are one row; where rows have one number only, they are one row each.
    if (run_->columns().size() == 1 && row_.size() != 1) {
      const std::vector<double> numbers = row_;
      push_tables({Table{.rows = numbers.size(), .matrix = MatrixView::of_rows(numbers, 1)}});
    } else {
      naming_columns(false, [&] { feed().push(row_); });
    }
    return;
  }
  if (is_numpy_array(rows) || PyMemoryView_Check(rows.ptr()) != 0) {
    HeldBuffers held;
    const Py_buffer* buffer = nullptr;
    try {
      buffer = &held.hold(rows);
    } catch (nb::python_error&) {  // numbers of a type that has no buffer; jme._inputs says what is wrong
    }
    if (buffer != nullptr && buffer->ndim == 2) {
      const std::vector<std::size_t> taken = places(std::nullopt, static_cast<std::size_t>(buffer->shape[1]));
      if (const std::optional<Table> table = table_of(*buffer, taken)) {
        return push_tables({*table});
      }
    }
  }
  nb::module_::import_("jme._inputs").attr("push")(nb::find(*this), rows);
}

std::vector<std::size_t> Stream::places(const std::optional<std::vector<std::string>>& names,
                                        std::size_t width) {
  if (is_open()) return column_places(run_->columns(), names, width);
  first_names_ = names ? *names : numbered(width);
  return column_places(first_names_, first_names_, width);
}

void Stream::check_room(std::size_t rows) {
  open_if_first();
  feed().check_room(rows);
  naming_columns(true, [&] { check_told(rows); });
  progress_.expect(rows);
}

void Stream::check_block_room(std::size_t rows) {
  open_if_first();
  feed().check_block_room(rows);
}

std::size_t Stream::block_room() const {
  constexpr std::size_t most_rows_of_a_slot = std::size_t{1} << 31;
  const Horizon& horizon = run().mechanism().horizon();
  return horizon.has_slots() ? most_rows_of_a_slot : horizon.rows() - rows();
}

void Stream::check_columns(const nb::list& columns, std::size_t before) {
  HeldBuffers held;
  check_table(table_of_columns(columns, held), before);
}

void Stream::take_columns(const nb::list& columns) {
  HeldBuffers held;
  take_tables({table_of_columns(columns, held)});
}

void Stream::set_persons(std::vector<std::optional<std::string>> persons) {
  persons_ = std::move(persons);
}

void Stream::set_times(const nb::ndarray<const double, nb::ndim<1>, nb::c_contig>& times) {
  times_.clear();
  times_.reserve(times.shape(0));
  for (std::size_t i = 0; i < times.shape(0); ++i) times_.push_back(time_of(times.data()[i]));
}

void Stream::push_arrow(nb::handle source) {
  const ArrowRows rows(source);
  push_tables(rows.tables(places(rows.names(), rows.names().size())));
}

// Gives all pieces of a table to `work`, without the interpreter's lock. An interrupt is noticed between two
// strides of some milliseconds; where another thread has the interpreter, waiting for its lock more often
// would cost much.
template <class Work>
void Stream::stride_through(const Table& table, const Work& work) {
  constexpr std::size_t numbers_of_stride = std::size_t{1} << 20;
  TableReader reader(table);
  for (bool is_done = false; !is_done;) {
    {
      const Unlocked unlocked;
      for (std::size_t numbers = 0; numbers < numbers_of_stride && !is_done;) {
        const MatrixView view = reader.next();
        is_done = view.rows == 0;
        if (!is_done) work(view);
        numbers += view.rows * view.columns;
      }
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    progress_.tell();
  }
}

void Stream::check_tables(const std::vector<Table>& tables) {
  open_if_first();
  std::size_t rows = 0, before = 0;
  for (const Table& table : tables) rows += table.rows;
  feed().check_room(rows);
  naming_columns(true, [&] { check_told(rows); });
  progress_.expect(rows);
  for (const Table& table : tables) {
    check_table(table, before);
    before += table.rows;
  }
}

void Stream::check_table(const Table& table, std::size_t before) {
  // Where a look at the columns as they are is enough, nothing is converted.
  constexpr std::size_t rows_at_a_time = std::size_t{1} << 17;
  bool all_whole = table.width() == run_->columns().size();
  for (std::size_t begin = 0; all_whole && begin < table.rows; begin += rows_at_a_time) {
    {
      const Unlocked unlocked;
      all_whole = is_whole(table, begin, std::min(rows_at_a_time, table.rows - begin));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    progress_.tell();
  }
  if (all_whole) return;
  stride_through(table, [&](const MatrixView& view) {
    naming_columns(true, [&] { feed().check_rows(view, before); });
    before += view.rows;
  });
}

// Rows that were taken before an interrupt stay taken, and their releases wait.
void Stream::take_tables(const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    stride_through(table, [&](const MatrixView& view) {
      naming_columns(false, [&] {
        if (person_.empty() && time_.empty()) return feed().take_rows(view);
        take_told(view);
      });
      rows_seen_ = feed().stream().rows();
      progress_.add(view.rows);
    });
  }
  if (!is_durable_) return;
  const Unlocked unlocked;
  feed_->stream().flush();
}

void Stream::begin_telling() {
  persons_.clear();
  times_.clear();
  told_before_ += std::exchange(told_taken_, 0);
}

// Before the first row is taken, so that a push takes all of its rows or none.
void Stream::check_told(std::size_t rows) const {
  const auto check = [&](const std::string& column, std::size_t told) {
    if (column.empty() || told == rows) return;
    const DataError error(fmt::format(
        "columns of the same length were expected: {} has {} values for {} rows", column, told, rows));
    throw NamedDataError(error.what(), error, column);
  };
  check(person_, persons_.size());
  check(time_, times_.size());
  if (time_.empty() || zeroes_bad_rows()) return;
  const auto missing = std::find(times_.begin(), times_.end(), std::nullopt);
  if (missing == times_.end()) return;
  const std::size_t row = told_before_ + static_cast<std::size_t>(missing - times_.begin()) + 1;
  const DataError error(fmt::format("row {}, column {}: has no time that can be read", row, time_), row);
  throw NamedDataError(error.what(), error, time_);
}

void Stream::take_told(const MatrixView& rows) {
  const std::size_t first = std::exchange(told_taken_, told_taken_ + rows.rows);
  const auto of_rows = [&](const auto& told) {
    return told.empty() ? std::span(told) : std::span(told).subspan(first, rows.rows);
  };
  feed().take_rows(told_rows(rows, of_rows(persons_), of_rows(times_)));
}

void Stream::push_tables(const std::vector<Table>& tables) {
  check_tables(tables);
  take_tables(tables);
}

}  // namespace jme::python
