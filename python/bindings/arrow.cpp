#include "bindings/arrow.hpp"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace nb = nanobind;

namespace jme::python {

namespace {

/// The type of a column by the letters of Arrow's specification. Decimals, dates, text and nested types are
/// not taken.
std::optional<Cell> cell_of(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr || format.size() != 1) return std::nullopt;
  switch (format[0]) {
    case 'n':
      return Cell::nothing;
    case 'b':
      return Cell::bit;
    case 'c':
      return Cell::i8;
    case 'C':
      return Cell::u8;
    case 's':
      return Cell::i16;
    case 'S':
      return Cell::u16;
    case 'i':
      return Cell::i32;
    case 'I':
      return Cell::u32;
    case 'l':
      return Cell::i64;
    case 'L':
      return Cell::u64;
    case 'e':
      return Cell::f16;
    case 'f':
      return Cell::f32;
    case 'g':
      return Cell::f64;
    default:
      return std::nullopt;
  }
}

Column column_of(const ArrowArray& array, Cell cell, std::size_t skipped) {
  const std::size_t first = skipped + static_cast<std::size_t>(array.offset);
  Column column{.cell = cell, .stride = static_cast<std::ptrdiff_t>(size_of(cell)), .first_bit = first};
  if (cell == Cell::nothing) return column;
  column.data = static_cast<const std::byte*>(array.buffers[1]) + first * size_of(cell);
  if (array.null_count != 0 && array.buffers[0] != nullptr) {
    column.valid = static_cast<const std::uint8_t*>(array.buffers[0]);
    column.first_valid = first;
  }
  return column;
}

/// What people call a column's type. "t" begins dates and times, "d" decimals, "+" lists and records.
std::string kind_of(const ArrowSchema& column) {
  const std::string_view format = column.format;
  if (column.dictionary != nullptr) return "categories";
  if (format == "u" || format == "U" || format == "vu") return "text";
  if (format == "z" || format == "Z" || format == "vz") return "bytes";
  if (format.starts_with("t")) return "dates or times";
  if (format.starts_with("d")) return "decimals";
  return fmt::format("Arrow's type {}", format);
}

[[noreturn]] void fail(ArrowArrayStream& stream) {
  const char* words = stream.get_last_error(&stream);
  throw DataError(
      fmt::format("the Arrow stream failed: {}", words == nullptr ? "it does not say why" : words));
}

}  // namespace

ArrowRows::ArrowRows(nb::handle source) {
  const nb::object capsule = source.attr("__arrow_c_stream__")();
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  if (stream->release == nullptr) throw nb::value_error("this Arrow stream was read before");
  try {
    read(*stream);
  } catch (...) {
    release();
    throw;
  }
}

ArrowRows::~ArrowRows() {
  release();
}

void ArrowRows::release() {
  for (ArrowArray& batch : batches_) {
    if (batch.release != nullptr) batch.release(&batch);
  }
  batches_.clear();
  if (schema_.release != nullptr) schema_.release(&schema_);
  schema_.release = nullptr;
}

void ArrowRows::read(ArrowArrayStream& stream) {
  if (stream.get_schema(&stream, &schema_) != 0) fail(stream);
  if (std::string_view(schema_.format) != "+s")
    throw nb::type_error("the Arrow stream must be one of records");
  for (std::int64_t i = 0; i < schema_.n_children; ++i) {
    const char* name = schema_.children[i]->name;
    names_.emplace_back(name == nullptr ? "" : name);
  }
  for (;;) {
    ArrowArray batch{};
    if (stream.get_next(&stream, &batch) != 0) fail(stream);
    if (batch.release == nullptr) break;
    batches_.push_back(batch);
    rows_ += static_cast<std::size_t>(batch.length);
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

std::vector<Table> ArrowRows::tables(const std::vector<std::size_t>& places) const {
  std::vector<Cell> cells;
  for (const std::size_t place : places) {
    const std::optional<Cell> cell = cell_of(*schema_.children[place]);
    if (!cell) {
      throw nb::type_error(
          fmt::format("column {} is not of numbers but of {}; cast it to float64 if it should be",
                      names_[place], kind_of(*schema_.children[place]))
              .c_str());
    }
    cells.push_back(*cell);
  }
  std::vector<Table> tables;
  for (const ArrowArray& batch : batches_) {
    Table table{.rows = static_cast<std::size_t>(batch.length)};
    const bool has_null_rows = batch.null_count != 0 && batch.n_buffers > 0 && batch.buffers[0] != nullptr;
    for (std::size_t i = 0; i < places.size(); ++i) {
      table.columns.push_back(
          column_of(*batch.children[places[i]], cells[i], static_cast<std::size_t>(batch.offset)));
      if (has_null_rows) {
        table.columns.back().row_valid = static_cast<const std::uint8_t*>(batch.buffers[0]);
        table.columns.back().first_row_valid = static_cast<std::size_t>(batch.offset);
      }
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace jme::python
