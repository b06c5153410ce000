#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "data/columns.hpp"
#include "data/formats.hpp"
#include "data/npy_file.hpp"
#include "data/row_source.hpp"

namespace jme::data {
namespace {

/// Streams row-major files; a column-major file has to be held in memory as a whole.
class NpyRows final : public RowSource, private ParsedRow {
 public:
  NpyRows(const std::string& path, const InputOptions& options)
      : file_(path, options.compression, options.before_read) {
    const std::vector<std::string> names = numbered_columns(file_.columns());
    selected_ = select_columns(names, options.columns, file_.name());
    time_unit_ = options.time_unit;
    if (options.time) {
      time_place_ = select_time(names, options.columns, *options.time, file_.name());
      std::erase(selected_, *time_place_);
    }
    for (const std::size_t index : selected_) columns_.push_back(names[index]);
    takes_all_ = columns_ == names;
  }

  RowStatus next(std::span<double> row) override {
    if (line_ == file_.rows()) {
      if (!ended_) file_.expect_end();
      ended_ = true;
      return RowStatus::end;
    }
    if (!file_.column_major())
      taken_ = file_.take(file_.columns());
    else if (line_ == 0)
      taken_ = file_.take(file_.rows() * file_.columns());
    const std::size_t first = first_of(line_), stride = this->stride();
    ++line_;
    if (time_place_) {
      const double number = file_.number(taken_, first + *time_place_ * stride);
      time_ = time_of(number, time_unit_);
      if (!time_)
        return bad({.kind = RowProblem::Kind::time,
                    .status = std::isfinite(number) ? CellStatus::number : CellStatus::not_finite});
    }
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      row[i] = file_.number(taken_, first + selected_[i] * stride);
      const bool missing = std::isnan(row[i]);
      if (!std::isfinite(row[i]) && !forgive(i, missing, row)) {
        return bad({.kind = RowProblem::Kind::cell,
                    .column = i,
                    .status = CellStatus::not_finite,
                    .is_missing = missing});
      }
    }
    return RowStatus::good;
  }

  std::size_t take_whole(RowBatch& batch, std::size_t first, std::size_t last) override {
    if (file_.column_major() || time_place_) return 0;
    const std::size_t width = file_.columns();
    const std::size_t most = std::min({last - first, file_.at_hand() / width, file_.rows() - line_});
    const std::size_t rows = copy_whole(batch.cells().subspan(first * selected_.size()), most);
    if (rows == 0) return 0;
    taken_ = file_.take(rows * width) + (rows - 1) * width * file_.item_size();
    line_ += rows;
    return rows;
  }
  [[nodiscard]] ParsedRow& parsed() override { return *this; }
  [[nodiscard]] std::string place() const override {
    return line_ == 0 ? file_.name() : fmt::format("{}: row {}", file_.name(), line_);
  }
  [[nodiscard]] std::optional<double> progress() const override { return file_.progress(); }
  [[nodiscard]] bool may_wait() const override { return file_.may_wait(); }
  // Its numbers, in whatever order and type the file has them.
  [[nodiscard]] std::string record() const override {
    std::string bytes;
    for (std::size_t i = 0; i < file_.columns(); ++i) {
      const double number = file_.number(taken_, first_of(line_ - 1) + i * stride());
      bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    return bytes;
  }

 private:
  // Copies up to so many rows; returns how many there are before the first that is not finite.
  std::size_t copy_whole(std::span<double> cells, std::size_t rows) const {
    const char* const stored = file_.peek();
    const std::size_t width = file_.columns(), taken = selected_.size();
    const bool are_as_stored = file_.has_doubles() && takes_all_;
    if (are_as_stored && rows > 0) std::memcpy(cells.data(), stored, rows * width * sizeof(double));
    for (std::size_t row = 0; row < rows; ++row) {
      bool is_finite = true;
      for (std::size_t i = 0; i < taken; ++i) {
        double& cell = cells[row * taken + i];
        if (!are_as_stored) cell = file_.number(stored, row * width + selected_[i]);
        is_finite = is_finite && std::isfinite(cell);
      }
      if (!is_finite) return row;
    }
    return rows;
  }
  [[nodiscard]] std::size_t first_of(std::size_t line) const { return file_.column_major() ? line : 0; }
  [[nodiscard]] std::size_t stride() const { return file_.column_major() ? file_.rows() : 1; }
  NpyFile file_;
  const char* taken_ = nullptr;
  bool ended_ = false;
  std::vector<std::size_t> selected_;
  bool takes_all_ = false;  // in the order of the file
  std::optional<std::size_t> time_place_;
};

}  // namespace

std::unique_ptr<RowSource> open_npy(const std::string& path, const InputOptions& options) {
  if (!options.person.empty())
    throw InvalidParameter("person", "is used with CSV and NDJSON: a .npy file has numbers and no ids");
  return std::make_unique<NpyRows>(path, options);
}

}  // namespace jme::data
