#include "data/csv_layout.hpp"
#include "data/csv_parser.hpp"
#include "data/formats.hpp"
#include "data/text_rows.hpp"

namespace jme::data {

std::unique_ptr<RowSource> open_csv(const std::string& path, const InputOptions& options) {
  check_delimiter(options.delimiter);
  auto rows = std::make_unique<TextRows>(path, options);
  check_decimal(options);
  CsvLayout layout;
  if (options.header) {
    const std::string header(rows->read_header());
    layout = csv_layout(header, options, rows->current_place());
  } else {
    layout = declared_csv_layout(options);
  }
  rows->expect_rows(std::make_unique<CsvParser>(std::move(layout), options));
  return rows;
}

}  // namespace jme::data
