#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <jme/base/matrix_view.hpp>
#include <jme/store/durable_stream.hpp>

namespace jme {

/// One private search over the first records of an input. It is on the ledger of its state folder before
/// anything is drawn, and what it releases is on disk before anybody sees it.
class DurableSearch {
 public:
  /// Numbers that are released about one column.
  using Numbers = std::vector<double>;

  /// `options.details` are all public settings of the search, `mu` what it spends, `columns` their names.
  /// Throws StateError as DurableStream does.
  DurableSearch(const DurableOptions& options, double mu, std::vector<std::string> columns);
  DurableSearch(DurableSearch&&) noexcept;
  DurableSearch& operator=(DurableSearch&&) noexcept;
  ~DurableSearch();

  /// What was released about every column of these cells, NaN where there is none. Where nothing was, `find`
  /// makes it, with noise of its own, after the ledger has it. Throws StateError for other cells than those
  /// that were searched, and BudgetExhausted as a stream does; then nothing was drawn.
  std::vector<Numbers> release(const MatrixView& cells, const std::function<std::vector<Numbers>()>& find);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Checks that records which a run leaves out are those that a search of the same state folder took, by keyed
/// digests of every column that both have.
class SearchedRecords {
 public:
  /// Throws StateError where the folder has no such search, where it has released nothing or is damaged, or
  /// where it took none of these columns.
  SearchedRecords(const std::filesystem::path& folder, const std::string& source, const std::string& stream,
                  const std::vector<std::string>& columns);
  SearchedRecords(SearchedRecords&&) noexcept;
  SearchedRecords& operator=(SearchedRecords&&) noexcept;
  ~SearchedRecords();

  /// The next record in natural units, NaN where a cell is missing or the record cannot be read.
  void add(std::span<const double> row);
  /// Throws StateError unless these were the records.
  void check();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jme
