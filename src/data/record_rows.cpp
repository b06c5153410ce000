#include <algorithm>

#include <jme/base/errors.hpp>
#include <jme/data/record_rows.hpp>

#include "data/formats.hpp"
#include "data/parsed_batch.hpp"
#include "data/text_input.hpp"

namespace jme {

struct RecordRows::Impl {
  data::RecordSource record;
  std::unique_ptr<data::RecordParser> parser;
};

RecordRows::RecordRows(const InputOptions& options) {
  const InputFormat format = options.format == InputFormat::automatic ? InputFormat::csv : options.format;
  data::check_options(format, options);
  if (format == InputFormat::npy)
    throw InvalidParameter("format", "npy", "csv or ndjson for records that come one by one");
  if (format == InputFormat::csv && options.header)
    throw InvalidParameter("no-header", "must be set for records that come one by one: none is a header");
  if (options.on_bad_row == OnBadRow::fail)
    throw InvalidParameter("on-bad-row", "fail", "zero for records that come one by one");
  impl_ = std::make_unique<Impl>(
      Impl{.record = data::RecordSource::of_single_records(options.longest_record),
           .parser = format == InputFormat::csv ? data::csv_parser(options) : data::ndjson_parser(options)});
}
RecordRows::RecordRows(RecordRows&&) noexcept = default;
RecordRows& RecordRows::operator=(RecordRows&&) noexcept = default;
RecordRows::~RecordRows() = default;

const std::vector<std::string>& RecordRows::columns() const {
  return impl_->parser->columns();
}

void RecordRows::on_missing(std::vector<OnMissing> rules) {
  if (rules.size() != columns().size() || std::ranges::find(rules, OnMissing::fail) != rules.end())
    throw InvalidParameter("missing", "must have a rule for each column, which is not fail");
  impl_->parser->on_missing(std::move(rules));
}

void RecordRows::tell_records(bool tells) {
  impl_->parser->tell_records(tells);
}

bool RecordRows::is_full(const RowBatch& batch) const {
  return batch.rows() >= data::most_rows_of(columns().size()) || batch.text_bytes() >= data::most_text_bytes;
}

void RecordRows::add(RowBatch& batch, std::optional<std::string_view> record) {
  impl_->record.take_record(record);
  batch.add_unset_rows(1);
  static_cast<void>(impl_->parser->add(impl_->record, batch, batch.rows() - 1));
}

}  // namespace jme
