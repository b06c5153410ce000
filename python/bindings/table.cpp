#include "bindings/table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "moments/row_kernels.hpp"

namespace jme::python {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

bool bit_at(const std::uint8_t* bits, std::size_t place) {
  return ((bits[place / 8] >> (place % 8)) & 1U) != 0;
}

/// A number of 16 bits by IEEE 754: 5 bits of exponent, 10 of fraction.
double half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? missing : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

// Cells may stand anywhere in memory, so that they are copied out before they are read.
template <class Number>
void read_cells(const std::byte* from, std::ptrdiff_t stride, std::size_t count, double* to) {
  if constexpr (std::is_same_v<Number, double>) {
    if (stride == sizeof(double)) {
      if (count > 0) std::memcpy(to, from, count * sizeof(double));  // an empty piece may be nowhere
      return;
    }
  }
  for (std::size_t i = 0; i < count; ++i, from += stride) {
    Number number;
    std::memcpy(&number, from, sizeof number);
    to[i] = static_cast<double>(number);
  }
}

void read_halves(const std::byte* from, std::ptrdiff_t stride, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i, from += stride) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    to[i] = half(bits);
  }
}

}  // namespace

std::size_t size_of(Cell cell) {
  switch (cell) {
    case Cell::f64:
    case Cell::i64:
    case Cell::u64:
      return 8;
    case Cell::f32:
    case Cell::i32:
    case Cell::u32:
      return 4;
    case Cell::f16:
    case Cell::i16:
    case Cell::u16:
      return 2;
    case Cell::i8:
    case Cell::u8:
    case Cell::byte:
      return 1;
    case Cell::bit:
    case Cell::nothing:
      break;
  }
  return 0;
}

void Column::read(std::size_t begin, std::size_t count, double* to) const {
  const std::byte* from = data + static_cast<std::ptrdiff_t>(begin) * stride;
  switch (cell) {
    case Cell::f64:
      read_cells<double>(from, stride, count, to);
      break;
    case Cell::f32:
      read_cells<float>(from, stride, count, to);
      break;
    case Cell::f16:
      read_halves(from, stride, count, to);
      break;
    case Cell::i8:
      read_cells<std::int8_t>(from, stride, count, to);
      break;
    case Cell::u8:
      read_cells<std::uint8_t>(from, stride, count, to);
      break;
    case Cell::i16:
      read_cells<std::int16_t>(from, stride, count, to);
      break;
    case Cell::u16:
      read_cells<std::uint16_t>(from, stride, count, to);
      break;
    case Cell::i32:
      read_cells<std::int32_t>(from, stride, count, to);
      break;
    case Cell::u32:
      read_cells<std::uint32_t>(from, stride, count, to);
      break;
    case Cell::i64:
      read_cells<std::int64_t>(from, stride, count, to);
      break;
    case Cell::u64:
      read_cells<std::uint64_t>(from, stride, count, to);
      break;
    case Cell::byte:
      for (std::size_t i = 0; i < count; ++i, from += stride) to[i] = *from != std::byte{0} ? 1 : 0;
      break;
    case Cell::bit: {
      const auto* bits = reinterpret_cast<const std::uint8_t*>(data);
      for (std::size_t i = 0; i < count; ++i) to[i] = bit_at(bits, first_bit + begin + i) ? 1 : 0;
      break;
    }
    case Cell::nothing:
      std::fill_n(to, count, missing);
      break;
  }
  const auto leave_out = [&](const std::uint8_t* bits, std::size_t first) {
    if (bits == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (!bit_at(bits, first + begin + i)) to[i] = missing;
    }
  };
  leave_out(valid, first_valid);
  leave_out(row_valid, first_row_valid);
  if (mask != nullptr) {
    for (std::size_t i = 0; i < count; ++i) {
      if (mask[static_cast<std::ptrdiff_t>(begin + i) * mask_stride] != 0) to[i] = missing;
    }
  }
}

namespace {

/// Whether every cell is there and finite, found without converting any. False where that would take as long
/// as converting them.
bool is_whole(const Column& column, std::size_t begin, std::size_t rows) {
  if (column.valid != nullptr || column.row_valid != nullptr || column.mask != nullptr) return false;
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(column.data) % sizeof(double) == 0;
  switch (column.cell) {
    case Cell::f64: {
      if (!is_aligned || column.stride % static_cast<std::ptrdiff_t>(sizeof(double)) != 0) return false;
      const std::ptrdiff_t stride = column.stride / static_cast<std::ptrdiff_t>(sizeof(double));
      const MatrixView view{
          .data = reinterpret_cast<const double*>(column.data) + static_cast<std::ptrdiff_t>(begin) * stride,
          .rows = rows,
          .columns = 1,
          .row_stride = stride};
      return first_not_finite(view).row == rows;
    }
    case Cell::f32:
    case Cell::f16:
    case Cell::nothing:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool is_whole(const Table& table, std::size_t begin, std::size_t count) {
  return !table.is_matrix() &&
         std::all_of(table.columns.begin(), table.columns.end(),
                     [&](const Column& column) { return is_whole(column, begin, count); });
}

TableReader::TableReader(const Table& table) : table_(&table) {
  // Converted cells stay in the processor's second cache.
  const std::size_t numbers = table.is_matrix() ? std::size_t{1} << 20 : std::size_t{1} << 15;
  piece_ = std::max<std::size_t>(numbers / std::max<std::size_t>(table.width(), 1), 1);
}

MatrixView TableReader::next() {
  const std::size_t count = std::min(piece_, table_->rows - done_);
  const std::size_t begin = done_;
  done_ += count;
  if (table_->is_matrix()) return table_->matrix.part(begin, count);
  numbers_.resize(count * table_->columns.size());
  double* to = numbers_.data();
  for (const Column& column : table_->columns) {
    column.read(begin, count, to);
    to += count;
  }
  return {.data = numbers_.data(),
          .rows = count,
          .columns = table_->columns.size(),
          .row_stride = 1,
          .column_stride = static_cast<std::ptrdiff_t>(count)};
}

}  // namespace jme::python
