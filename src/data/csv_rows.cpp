#include "data/csv_layout.hpp"
#include "data/csv_parser.hpp"
#include "data/text_input.hpp"

namespace jme::data {

std::unique_ptr<RecordParser> csv_parser(const InputOptions& options) {
  check_delimiter(options.delimiter);
  check_decimal(options);
  return std::make_unique<CsvParser>(declared_csv_layout(options), options);
}

TextInput open_csv(const std::string& path, const InputOptions& options) {
  check_delimiter(options.delimiter);
  TextInput input(path, options);
  check_decimal(options);
  if (options.header) {
    const std::string header(input.read_header());
    input.expect_rows(std::make_unique<CsvParser>(csv_layout(header, options, input.place()), options),
                      options.may_be_empty);
  } else {
    input.expect_rows(csv_parser(options), options.may_be_empty);
  }
  return input;
}

}  // namespace jme::data
