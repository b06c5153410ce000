#include "audited_input.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/data/input_reader.hpp>

#include "kafka_input.hpp"
#include "text_file.hpp"

namespace jme::cli {

namespace {

constexpr std::uint64_t usual_seed = 1;

/// Rows of a reader, with those of the change in place of others.
class ChangedRows final : public RowSource {
 public:
  ChangedRows(InputReader& reader, const AuditedChange& change) : reader_(reader), change_(change) {}

  bool next(RowBatch& batch, std::size_t most_rows) override {
    RowBatch read;
    if (!reader_.next(read, most_rows)) return false;
    batch.clear(read.columns());
    for (std::size_t i = 0; i < read.rows(); ++i) {
      ++row_;
      if (!changes(read, i)) {
        batch.append(read, i, i + 1);
      } else if (taken_ < change_.replacement.rows()) {
        batch.append(change_.replacement, taken_, taken_ + 1);
        ++taken_;
      } else {
        // Nothing in its place: a record that cannot be used, and nobody's.
        batch.add_row();
        batch.set_bad(batch.rows() - 1);
      }
    }
    return true;
  }

 private:
  [[nodiscard]] bool changes(const RowBatch& read, std::size_t i) const {
    return change_.person ? read.person(i) == change_.person : row_ == change_.row;
  }
  InputReader& reader_;
  const AuditedChange& change_;
  std::size_t row_ = 0, taken_ = 0;
};

void check_settings(const RunSettings& settings, const RunConfig& config, const std::string& rows) {
  if (settings["state"]) {
    throw InvalidParameter("state", "must be left out of the settings: an audit stores and spends nothing");
  }
  if (config.search) throw InvalidParameter("bounds", "must be ranges: an audit does not search for them");
  if (settings.is_on("follow") || (config.clock && config.clock->is_by_arrival()) ||
      kafka::TopicName::is_one(rows) || rows == "-") {
    throw InvalidParameter("rows", "must be a file that can be read again: an audit reads it several times");
  }
}

}  // namespace

AuditedInput::AuditedInput(const std::string& rows, const std::string& config_file,
                           const MatrixReader& read_matrix) {
  const RunSettings settings = RunSettings::from_json(text_of_file(config_file, "config"), config_file);
  input_ = read_input(rows, settings);
  RunConfig config = run_config(settings, read_matrix, text_of_file,
                                {.name = "an audited file", .has_header = input_.has_header()});
  check_settings(settings, config, rows);
  input_.options.columns = config.columns;
  input_.options.on_bad_row = config.on_bad_row;
  input_.options.person = config.person;
  if (config.clock) {
    input_.options.time = config.clock->time_column;
    input_.options.time_unit = config.clock->time_unit;
    input_.options.may_be_empty = true;
  }
  config.records = input_.records_name();
  if (!config.insecure_seed) config.insecure_seed = usual_seed;
  run_ = std::make_unique<PreparedRun>(std::move(config));
  const auto reader = open_input(input_.path, input_.options);
  run_->adopt_columns(input_.options.columns.empty() ? reader->columns() : input_.options.columns);
  if (run_->left_out().count() > 0) {
    throw InvalidParameter("bounds", "must be ranges: those of a search leave out its records");
  }
}

RowBatch AuditedInput::all_rows(const std::string& path) const {
  const auto reader = open_input(path, input_.options);
  reader->begin({.missing = run_->missing().rules()});
  RowBatch all(reader->dimension());
  for (RowBatch batch; reader->next(batch);) all.append(batch, 0, batch.rows());
  return all;
}

AuditedChange AuditedInput::change(const AskedChange& asked) const {
  AuditedChange change{.person = asked.person};
  if (asked.with) change.replacement = all_rows(*asked.with);
  const RowBatch rows = all_rows(input_.path);
  if (asked.row) {
    change.row = parse_count("change", *asked.row);
    if (change.row > rows.rows()) {
      throw InvalidParameter("change", *asked.row, fmt::format("one of the {} rows", rows.rows()));
    }
    if (change.replacement.rows() != 1) throw InvalidParameter("with", *asked.with, "a file with one row");
    const std::size_t at = change.row - 1;
    change.changes_person = rows.person(at) != change.replacement.person(0);
    if (run_->clock()) {
      const auto slot = [&](std::optional<Seconds> time) {
        return time ? run_->schedule().slot_of(*time) : std::nullopt;
      };
      change.moves_time = slot(rows.time(at)) != slot(change.replacement.time(0));
    }
    change.words = fmt::format("row {}", change.row);
    return change;
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) count += rows.person(i) == asked.person ? 1 : 0;
  if (count == 0) throw InvalidParameter("change-person", "has no rows in this input");
  if (change.replacement.rows() > count) {
    throw InvalidParameter("with", *asked.with, fmt::format("a file with at most {} rows", count));
  }
  change.removes = change.replacement.rows() == 0;
  change.words = fmt::format("{} rows of one person", count);
  return change;
}

AuditedRun AuditedInput::run_as_it_is() const {
  return run_changed({});
}

AuditedRun AuditedInput::run_changed(const AuditedChange& change) const {
  const auto reader = open_input(input_.path, input_.options);
  reader->begin({.missing = run_->missing().rules()});
  ChangedRows rows(*reader, change);
  return audited_run(*run_, rows);
}

}  // namespace jme::cli
