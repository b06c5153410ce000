#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <jme/rows/row_source.hpp>
#include <jme/store/durable_search.hpp>

namespace jme {

/// The records at the beginning of an input that a run leaves out, because they were searched for its bounds.
/// A durable run compares their bytes with what its state folder keeps of the search. PreparedRun makes one.
class LeftOutRecords {
 public:
  LeftOutRecords(std::uint64_t count, std::optional<SearchedRecords> searched)
      : count_(count), searched_(std::move(searched)) {}

  [[nodiscard]] std::uint64_t count() const { return count_; }  ///< 0: none is left out
  /// Whether batches must have the bytes of records.
  [[nodiscard]] bool needs_records() const { return searched_.has_value(); }
  /// Takes them all from the source; returns how many there were.
  std::uint64_t take_all(RowSource& source) {
    std::uint64_t taken = 0;
    for (RowBatch batch; taken < count_ &&
                         source.next(batch, std::min<std::uint64_t>(count_ - taken, RowBatch::most_rows));) {
      taken += batch.rows();
      for (std::size_t i = 0; searched_ && i < batch.rows(); ++i) searched_->add(*batch.record(i));
    }
    return taken;
  }
  /// Throws StateError where they are not the records that were searched.
  void check() const {
    if (searched_) searched_->check();
  }

 private:
  std::uint64_t count_;
  std::optional<SearchedRecords> searched_;
};

}  // namespace jme
