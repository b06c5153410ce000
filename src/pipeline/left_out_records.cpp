#include <limits>

#include <jme/pipeline/left_out_records.hpp>

namespace jme {

void LeftOutRecords::add(std::span<const double> row, std::span<const std::size_t> missing,
                         const PersonId& person) {
  if (limit_ && !limit_->admit(person)) return add_absent(row.size());
  if (!searched_) return;
  row_.assign(row.begin(), row.end());
  for (const std::size_t i : missing) row_[i] = std::numeric_limits<double>::quiet_NaN();
  searched_->add(row_);
}

void LeftOutRecords::add_bad(std::size_t columns, const PersonId& person) {
  if (limit_) static_cast<void>(limit_->admit(person));
  add_absent(columns);
}

void LeftOutRecords::add_absent(std::size_t columns) {
  if (!searched_) return;
  row_.assign(columns, std::numeric_limits<double>::quiet_NaN());
  searched_->add(row_);
}

void LeftOutRecords::end() {
  if (searched_) searched_->check();
}

}  // namespace jme
