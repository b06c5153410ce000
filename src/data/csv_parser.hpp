#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_layout.hpp"
#include "data/csv_marks.hpp"
#include "data/csv_splitter.hpp"
#include "data/record_parser.hpp"

namespace jme::data {

/// Records of CSV. Most are plain: no quotes, as many cells as there should be, and all that is read of them
/// can be used. take_plain() reads those where they stand; parse() decides about every other record.
class CsvParser final : public RecordParser {
 public:
  CsvParser(CsvLayout layout, const InputOptions& options);

  [[nodiscard]] std::unique_ptr<RecordParser> clone() const override {
    auto copy = std::make_unique<CsvParser>(*this);
    copy->marks_ = CsvMarks(delimiter_);
    return copy;
  }
  std::size_t take_plain(RecordSource& records, RowBatch& batch, std::size_t first,
                         std::size_t last) override;

 protected:
  RowStatus parse(std::string_view record, std::span<double> row) override;
  void find_person_of_broken(std::string_view beginning) override;
  [[nodiscard]] std::string width_rule() const override;

 private:
  /// A cell of a record: a number for a slot of the row, or another of these.
  struct Use {
    enum class Kind : std::uint8_t { none, number, person, time } kind = Kind::none;
    std::size_t slot = 0;
  };

  const char* read_plain(const char* begin, const std::uint32_t* marks, std::size_t longest, RowBatch& batch,
                         std::size_t row);
  bool read_cells(const char* begin, const char* end, const std::uint32_t* marks, std::span<double> row);
  CellStatus read_number(std::string_view cell, double& number) {
    return has_decimal_commas_ ? parse_with_comma(cell, number) : parse_padded_number(cell, number);
  }
  RowStatus bad_width(std::string_view record);
  CellStatus parse_with_comma(std::string_view cell, double& number);
  std::optional<Remedy> remedy_of_cell(std::string_view cell, CellStatus status);
  void find_person(bool cells_are_in_place);
  [[nodiscard]] bool hides_person() const;

  CsvSplitter splitter_;
  CsvMarks marks_;
  char delimiter_;
  bool header_, has_decimal_commas_, trusts_quotes_;
  std::string with_point_{};
  std::size_t width_;                  // cells of a record, exactly
  std::optional<std::size_t> person_;  // place of the id
  std::vector<std::size_t> selected_;  // places of columns_ in the file
  std::optional<std::size_t> time_place_;
  std::vector<Use> uses_{};                       // of the places
  std::string_view person_cell_{}, time_cell_{};  // of a plain record
};

}  // namespace jme::data
