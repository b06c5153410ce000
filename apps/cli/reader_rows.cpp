#include "reader_rows.hpp"

#include <algorithm>

#include <sys/stat.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

namespace jme::cli {

namespace {

constexpr std::size_t most_numbers = std::size_t{1} << 15;

}  // namespace

ReaderRows::ReaderRows(RowReader& reader, bool may_wait)
    : reader_(&reader),
      most_(may_wait ? 1
                     : std::clamp<std::size_t>(most_numbers / reader.dimension(), 1, RowBatch::most_rows)),
      row_(reader.dimension()) {}

bool ReaderRows::next(RowBatch& batch) {
  batch.clear(row_.size());
  try {
    while (!is_over_ && batch.rows() < most_) {
      is_over_ = !reader_->next(row_);
      if (is_over_) break;
      const std::span row = batch.add_row();
      std::copy(row_.begin(), row_.end(), row.begin());
      for (const std::size_t i : reader_->missing_cells()) row[i] = RowBatch::missing;
      const std::size_t index = batch.rows() - 1;
      if (reader_->is_bad()) batch.set_bad(index);
      if (const auto person = reader_->person()) batch.set_person(index, *person);
      if (const auto time = reader_->time()) batch.set_time(index, *time);
    }
  } catch (const DataError&) {
    if (batch.rows() == 0) throw;  // else it comes again with the next call
  }
  return batch.rows() > 0;
}

bool may_wait(const std::string& path) {
  struct stat status {};
  const bool is_known = (path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) == 0;
  return !is_known || !S_ISREG(status.st_mode);
}

}  // namespace jme::cli
