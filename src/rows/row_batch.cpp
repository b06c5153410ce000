#include <algorithm>

#include <jme/base/errors.hpp>
#include <jme/rows/row_batch.hpp>

namespace jme {

void RowBatch::clear(std::size_t columns) {
  columns_ = columns;
  rows_ = 0;
  bad_.clear();
  persons_.clear();
  records_.clear();
  times_.clear();
}

std::span<double> RowBatch::add_row() {
  add_rows(1);
  return row(rows_ - 1);
}

void RowBatch::add_rows(std::size_t count) {
  const std::size_t before = rows_;
  add_unset_rows(count);
  std::ranges::fill(cells().subspan(before * columns_), 0.0);
}

void RowBatch::add_unset_rows(std::size_t count) {
  resize(rows_ + count);
  if (cells_.size() < rows_ * columns_) cells_.resize(rows_ * columns_);
}

void RowBatch::keep_first(std::size_t count) {
  resize(count);
}

void RowBatch::resize(std::size_t rows) {
  rows_ = rows;
  if (!bad_.empty()) bad_.resize(rows_, 0);
  if (!times_.empty()) times_.resize(rows_);
  persons_.resize(rows_);
  records_.resize(rows_);
}

void RowBatch::append(const RowBatch& other, std::size_t begin, std::size_t end) {
  if (other.columns_ != columns_) throw InvalidParameter("batch", "must have as many columns as the other");
  const std::size_t before = rows_;
  add_rows(end - begin);
  const std::span<const double> from = other.cells().subspan(begin * columns_, (end - begin) * columns_);
  std::copy(from.begin(), from.end(), cells_.begin() + static_cast<std::ptrdiff_t>(before * columns_));
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t to = before + i - begin;
    if (other.is_bad(i)) set_bad(to);
    if (const auto id = other.person(i)) set_person(to, *id);
    if (const auto record = other.record(i)) set_record(to, *record);
    if (const auto time = other.time(i)) set_time(to, *time);
  }
}

void RowBatch::set_bad(std::size_t index) {
  if (bad_.empty()) bad_.resize(rows_, 0);
  bad_[index] = 1;
  std::ranges::fill(row(index), 0.0);
}

void RowBatch::Texts::set(std::size_t index, std::size_t rows, std::string_view part) {
  if (parts.empty()) parts.resize(rows);
  parts[index] = {.begin = static_cast<std::uint32_t>(text.size()),
                  .length = static_cast<std::uint32_t>(part.size()),
                  .is_known = true};
  text += part;
}

std::optional<std::string_view> RowBatch::Texts::of(std::size_t index) const {
  if (parts.empty() || !parts[index].is_known) return std::nullopt;
  return std::string_view(text).substr(parts[index].begin, parts[index].length);
}

void RowBatch::Texts::resize(std::size_t rows) {
  if (!parts.empty()) parts.resize(rows);
}

void RowBatch::Texts::clear() {
  text.clear();
  parts.clear();
}

void RowBatch::set_time(std::size_t index, Seconds time) {
  if (times_.empty()) times_.resize(rows_);
  times_[index] = time;
}

std::optional<Seconds> RowBatch::time(std::size_t index) const {
  return times_.empty() ? std::nullopt : times_[index];
}

}  // namespace jme
