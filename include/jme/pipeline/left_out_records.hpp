#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <jme/pipeline/person_limit.hpp>
#include <jme/store/durable_search.hpp>

namespace jme {

/// The records at the beginning of an input that a run leaves out, because they were searched for its bounds.
/// A durable run compares them with what its state folder keeps of the search. PreparedRun makes one.
class LeftOutRecords {
 public:
  /// `limit`: of records per person, as in the search.
  LeftOutRecords(std::uint64_t count, std::optional<SearchedRecords> searched,
                 std::optional<PersonLimit> limit = {})
      : count_(count), searched_(std::move(searched)), limit_(std::move(limit)) {}

  [[nodiscard]] std::uint64_t count() const { return count_; }  ///< 0: none is left out
  /// The next of them, in natural units; the cells named in `missing` are not there.
  void add(std::span<const double> row, std::span<const std::size_t> missing, const PersonId& person = {});
  /// One that cannot be read.
  void add_bad(std::size_t columns, const PersonId& person = {});
  /// All were given. Throws StateError where they are not the records that were searched.
  void end();

 private:
  void add_absent(std::size_t columns);
  std::uint64_t count_;
  std::optional<SearchedRecords> searched_;
  std::optional<PersonLimit> limit_;
  std::vector<double> row_;
};

}  // namespace jme
