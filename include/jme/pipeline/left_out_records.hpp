#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <jme/store/durable_search.hpp>

namespace jme {

/// The records at the beginning of an input that a run leaves out, because they were searched for its bounds.
/// A durable run compares their bytes with what its state folder keeps of the search. PreparedRun makes one.
class LeftOutRecords {
 public:
  LeftOutRecords(std::uint64_t count, std::optional<SearchedRecords> searched)
      : count_(count), searched_(std::move(searched)) {}

  [[nodiscard]] std::uint64_t count() const { return count_; }  ///< 0: none is left out
  /// The next of them (RowReader::record).
  void add(std::string_view record) {
    if (searched_) searched_->add(record);
  }
  /// All were given. Throws StateError where they are not the records that were searched.
  void end() const {
    if (searched_) searched_->check();
  }

 private:
  std::uint64_t count_;
  std::optional<SearchedRecords> searched_;
};

}  // namespace jme
