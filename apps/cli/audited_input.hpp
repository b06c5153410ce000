#pragma once

#include <memory>
#include <string>
#include <vector>

#include <jme/audit/audited_run.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/rows/row_batch.hpp>

#include "input.hpp"
#include "parse.hpp"

namespace jme::cli {

/// What an audit changes, as it was asked for.
struct AskedChange {
  Text row, person, with;
};

/// RAW DATA. The rows that take the place of others.
struct AuditedChange {
  std::size_t row = 0;  ///< counted from 1; 0 where all rows of a person change
  Text person{};
  RowBatch replacement{};
  bool removes = false;         ///< nothing takes their place
  bool changes_person = false;  ///< the row that takes the place is another person's
  bool moves_time = false;      ///< or in another slot of time
  std::string words{};
};

/// The input of an audit: rows and the run that takes them, with a test seed.
class AuditedInput {
 public:
  /// Throws InvalidParameter for settings that keep a state, search for bounds or wait for rows.
  AuditedInput(const std::string& rows, const std::string& config, const MatrixReader& read_matrix);

  [[nodiscard]] const Mechanism& mechanism() const { return run_->mechanism(); }
  /// Reads what takes their place, and the row that it replaces. Throws InvalidParameter for a row or person
  /// that is not there.
  [[nodiscard]] AuditedChange change(const AskedChange& asked) const;
  [[nodiscard]] AuditedRun run_as_it_is() const;
  [[nodiscard]] AuditedRun run_changed(const AuditedChange& change) const;

 private:
  [[nodiscard]] RowBatch all_rows(const std::string& path) const;
  Input input_;
  std::unique_ptr<PreparedRun> run_;
};

}  // namespace jme::cli
