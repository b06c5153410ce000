#include "data/record_parser.hpp"

namespace jme::data {

bool is_blank_record(std::string_view record) {
  if (!record.empty() && record.front() != ' ') return false;
  return record.find_first_not_of(' ') == std::string_view::npos;
}

RowProblem fault_of(const RecordSource& record) {
  if (record.has_no_value()) return {.kind = RowProblem::Kind::no_value};
  if (record.is_too_long()) return {.kind = RowProblem::Kind::too_long, .expected = record.longest()};
  return {.kind = RowProblem::Kind::nul};
}

RowStatus RecordParser::take(const RecordSource& record, std::span<double> row) {
  forget_person();
  forget_time();
  const RowStatus status = take_record(record, row);
  if (status != RowStatus::bad) return status;
  if (!record.begins_input()) return status;
  // The first bytes of the input only say why it is bad.
  const ForeignFormat* const format = foreign_format(record.beginning());
  return format == nullptr ? status : bad({.kind = RowProblem::Kind::foreign, .format = format});
}

RowStatus RecordParser::add(const RecordSource& record, RowBatch& batch, std::size_t row) {
  const RowStatus status = take(record, batch.row(row));
  if (status == RowStatus::bad) batch.set_bad(row);
  if (has_person_) batch.set_person(row, person_);
  if (time_) batch.set_time(row, *time_);
  if (tells_records_) batch.set_record(row, record.beginning());
  return status;
}

RowStatus RecordParser::take_record(const RecordSource& source, std::span<double> row) {
  if (source.is_broken()) {
    find_person_of_broken(source.beginning());
    return bad(fault_of(source));
  }
  const std::string_view record = source.text();
  return is_blank_record(record) ? blank_row(row) : parse(record, row);
}

RowStatus RecordParser::blank_row(std::span<double> row) {
  if (needs_time_) return bad({.kind = RowProblem::Kind::time});
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!forgive(i, true, row))
      return bad({.kind = RowProblem::Kind::blank, .column = i, .is_missing = true});
  }
  return RowStatus::good;
}

}  // namespace jme::data
