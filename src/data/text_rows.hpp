#pragma once

#include <optional>
#include <string>

#include <jme/data/input_reader.hpp>

#include "data/parsed_batch.hpp"
#include "data/piece_cutter.hpp"
#include "data/piece_reader.hpp"
#include "data/text_input.hpp"

namespace jme::data {

/// Rows that are records of text, one row per record. The first row is parsed by itself, because the
/// beginning of the input is not like the rest; after it, text that is there as a whole is parsed piece by
/// piece, and other text as it arrives.
class TextRows final : public InputReader {
 public:
  TextRows(TextInput input, const PieceReader::Options& options);

  [[nodiscard]] std::string place() const override;
  [[nodiscard]] std::optional<double> progress() const override;

 private:
  void apply(const Part& part) override;
  void read(RowBatch& batch, std::size_t most_rows) override;
  void parse(std::size_t most_rows);
  void parse_one_by_one(std::size_t most_rows);
  void begin_pieces();
  void end_pieces();
  void give(RowBatch& batch, std::size_t most_rows);
  void throw_end();
  [[noreturn]] void refuse(const RefusedRow& row);

  TextInput input_;
  PieceReader::Options options_;
  bool is_live_;  // rows may have to be waited for
  bool has_begun_ = false, has_ended_ = false;
  std::optional<PieceCutter> cutter_{};
  std::optional<PieceReader> pieces_{};  // of this part
  std::optional<std::uint64_t> left_{};  // of the rows of this part, before its pieces
  std::size_t lines_ = 0;                // before the pieces
  BatchFiller filler_;
  ColumnsWithNumbers with_numbers_;  // of the parts before this one
  ParsedBatch parsed_{};             // the batch that is being given
  std::size_t given_ = 0;            // of its rows
  std::size_t line_ = 0;             // of the last row
};

}  // namespace jme::data
