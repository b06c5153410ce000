#include <cmath>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "data/columns.hpp"
#include "data/formats.hpp"
#include "data/npy_file.hpp"
#include "data/parsed_batch.hpp"
#include "data/row_problem.hpp"

namespace jme::data {
namespace {

/// Streams row-major files; a column-major file has to be held in memory as a whole.
class NpyRows final : public InputReader {
 public:
  NpyRows(const std::string& path, const InputOptions& options)
      : file_(path, options.compression, options.before_read),
        on_bad_row_(options.on_bad_row),
        time_unit_(options.time_unit) {
    const std::vector<std::string> names = numbered_columns(file_.columns());
    selected_ = select_columns(names, options.columns, file_.name());
    if (options.time) {
      time_place_ = select_time(names, options.columns, *options.time, file_.name());
      std::erase(selected_, *time_place_);
    }
    for (const std::size_t index : selected_) columns_.push_back(names[index]);
    is_as_stored_ = file_.has_doubles() && !file_.column_major() && columns_ == names;
  }

  [[nodiscard]] std::string place() const override {
    return row_ == 0 ? file_.name() : fmt::format("{}: row {}", file_.name(), row_);
  }
  [[nodiscard]] std::optional<double> progress() const override { return file_.progress(); }

 private:
  void apply(const Part& part) override { part_ = part; }

  void read(RowBatch& batch, std::size_t most_rows) override {
    if (row_ == file_.rows()) return file_.expect_end();
    batch.add_unset_rows(std::min({most_rows, most_rows_of(dimension()), file_.rows() - row_}));
    std::size_t i = 0;
    for (; i < batch.rows() && (i == 0 || is_at_hand()); ++i) {
      take_row();
      if (part_.tells_records) batch.set_record(i, record());
      if (read_time(batch, i) && read_cells(batch.row(i))) continue;
      batch.set_bad(i);
      if (!must_fail(problem_, on_bad_row_, part_.missing)) continue;
      end_with(std::make_exception_ptr(
          bad_record(place(), rows() + i + 1, problem_, explain(problem_, columns_, time_unit_), false)));
      break;
    }
    batch.keep_first(i);
  }

  // The rows of a batch do not wait for bytes.
  [[nodiscard]] bool is_at_hand() const { return file_.column_major() || file_.at_hand() >= file_.columns(); }
  void take_row() {
    if (!file_.column_major()) {
      taken_ = file_.take(file_.columns());
    } else if (row_ == 0) {
      taken_ = file_.take(file_.rows() * file_.columns());
    }
    ++row_;
  }
  // Of the row last taken.
  [[nodiscard]] double number(std::size_t column) const {
    return file_.column_major() ? file_.number(taken_, row_ - 1 + column * file_.rows())
                                : file_.number(taken_, column);
  }

  bool read_time(RowBatch& batch, std::size_t index) {
    if (!time_place_) return true;
    const double stored = number(*time_place_);
    const std::optional<Seconds> time = time_of(stored, time_unit_);
    if (time) {
      batch.set_time(index, *time);
    } else {
      problem_ = {.kind = RowProblem::Kind::time,
                  .status = std::isfinite(stored) ? CellStatus::number : CellStatus::not_finite};
    }
    return time.has_value();
  }

  bool read_cells(std::span<double> row) {
    if (is_as_stored_) std::memcpy(row.data(), taken_, row.size_bytes());
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!is_as_stored_) row[i] = number(selected_[i]);
      if (std::isfinite(row[i])) continue;
      const bool is_missing = std::isnan(row[i]);
      row[i] = RowBatch::missing;
      if (is_missing && !part_.missing.empty() && part_.missing[i] == OnMissing::fill) continue;
      problem_ = {.kind = RowProblem::Kind::cell,
                  .column = i,
                  .status = CellStatus::not_finite,
                  .is_missing = is_missing};
      return false;
    }
    return true;
  }

  // Its numbers, in whatever order and type the file has them.
  [[nodiscard]] std::string record() const {
    std::string bytes(file_.columns() * sizeof(double), '\0');
    for (std::size_t i = 0; i < file_.columns(); ++i) {
      const double stored = number(i);
      std::memcpy(bytes.data() + i * sizeof stored, &stored, sizeof stored);
    }
    return bytes;
  }

  NpyFile file_;
  OnBadRow on_bad_row_;
  TimeUnit time_unit_;
  std::vector<std::size_t> selected_;  // columns of the file
  std::optional<std::size_t> time_place_;
  bool is_as_stored_ = false;  // cells are in memory as they are in the file
  Part part_{};
  const char* taken_ = nullptr;
  std::size_t row_ = 0;   // the last one taken, counted from 1
  RowProblem problem_{};  // of the last bad row
};

}  // namespace

std::unique_ptr<InputReader> open_npy(const std::string& path, const InputOptions& options) {
  if (!options.person.empty())
    throw InvalidParameter("person", "is used with CSV and NDJSON: a .npy file has numbers and no ids");
  return std::make_unique<NpyRows>(path, options);
}

}  // namespace jme::data
