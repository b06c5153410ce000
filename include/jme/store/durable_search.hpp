#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <jme/base/matrix_view.hpp>
#include <jme/store/durable_stream.hpp>

namespace jme {

/// The bytes of records one after another, so that they are recognised when they come again, whatever is read
/// from them: which columns, or whether their times can be read. It says nothing about whether a record is
/// good.
class RecordChain {
 public:
  void add(std::string_view record);
  /// Of all of them and of their number. Not to be shown to anybody: it has no key.
  [[nodiscard]] const std::array<std::byte, 32>& digest() const { return digest_; }

 private:
  std::array<std::byte, 32> digest_{};
};

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
  /// that were searched, and BudgetExhausted as a stream does; then nothing was drawn. `records`: where the
  /// cells came from, kept with what is released, under a key, for SearchedRecords.
  std::vector<Numbers> release(const MatrixView& cells, const std::function<std::vector<Numbers>()>& find,
                               const RecordChain& records = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Checks that records which a run leaves out are those that a search of the same state folder took, byte for
/// byte.
class SearchedRecords {
 public:
  /// Throws StateError where the folder has no such search, or where it has released nothing or is damaged.
  SearchedRecords(const std::filesystem::path& folder, const std::string& source, const std::string& stream);
  /// Whether the folder has a stream of this name at all.
  [[nodiscard]] static bool are_in(const std::filesystem::path& folder, const std::string& source,
                                   const std::string& stream);
  SearchedRecords(SearchedRecords&&) noexcept;
  SearchedRecords& operator=(SearchedRecords&&) noexcept;
  ~SearchedRecords();

  /// All public settings of the search, as the ledger has them.
  [[nodiscard]] const Settings& settings() const;
  /// The next record, as its reader has it (RowBatch::record).
  void add(std::string_view record);
  /// Throws StateError unless these were the records.
  void check() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jme
