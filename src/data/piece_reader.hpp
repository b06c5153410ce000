#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "data/parsed_batch.hpp"
#include "data/piece_cutter.hpp"

namespace jme::data {

/// Why the last batch was the last.
struct TextEnd {
  std::optional<RefusedRow> refused{};  ///< its line is counted from the beginning of the input
  bool has_unclosed_quote = false;      ///< in the last record
  std::size_t unclosed_line = 0;
  std::exception_ptr broken{};
};

/// Parses a part of a text piece by piece on several threads, of which the caller's is one: while the batch
/// that comes next is not there, it cuts and parses like the others. Batches come in the order of the text.
/// So many pieces are in flight, and so many cells of each, that memory stays bounded.
class PieceReader {
 public:
  struct Options {
    std::size_t threads = 1;
    std::size_t piece_bytes = std::size_t{1} << 20;
    OnBadRow on_bad_row = OnBadRow::fail;
  };

  /// Goes on where `cutter` stands, which cuts the text of `records`, after so many lines of it, of which
  /// `last_line` begins the last row. `like`: what parses them.
  PieceReader(const RecordSource& records, const RecordParser& like, PieceCutter& cutter,
              const Options& options, std::size_t lines, std::size_t last_line);
  PieceReader(const PieceReader&) = delete;
  PieceReader& operator=(const PieceReader&) = delete;
  ~PieceReader();

  /// The next batch; the lines of its rows are counted from the beginning of the input. False at the end.
  bool next(ParsedBatch& batch);
  /// After the last batch.
  [[nodiscard]] const TextEnd& end() const { return end_; }
  [[nodiscard]] const ColumnsWithNumbers& with_numbers() const { return with_numbers_; }
  /// So far, those before the first piece among them.
  [[nodiscard]] std::size_t lines() const { return lines_; }
  /// Of the batches that were given.
  [[nodiscard]] std::optional<double> progress() const { return progress_; }

 private:
  /// A piece and what became of it so far. Who has claimed it has all but the batches that are ready.
  struct Parsing {
    Parsing(const RecordSource& of, const RecordParser& like, OnBadRow on_bad_row);

    Piece piece{};
    RecordSource records;
    std::unique_ptr<RecordParser> parser;
    BatchFiller filler;
    std::optional<double> progress{};
    std::exception_ptr failed{};
    // Of the lock:
    std::deque<ParsedBatch> ready{};
    std::size_t ready_cells = 0;
    bool is_claimed = false, is_done = false, was_begun = false;
  };

  void work(const std::stop_token& stop);
  Parsing* claim(bool& cuts);
  bool cut(Parsing& parsing, std::unique_lock<std::mutex>& lock);
  void parse(Parsing& parsing, std::unique_lock<std::mutex>& lock, bool one_batch);
  bool help(std::unique_lock<std::mutex>& lock, bool one_batch);
  std::unique_ptr<Parsing> fresh();
  bool take_front(ParsedBatch& batch);
  void retire_front();
  void start_threads();

  const RecordSource& records_;
  const RecordParser& like_;
  PieceCutter& cutter_;  // of who is cutting
  Options options_;
  ColumnsWithNumbers with_numbers_;
  TextEnd end_{};
  std::size_t lines_;      // before the first piece that is not retired
  std::size_t last_line_;  // of the last row given
  std::optional<double> progress_{};

  std::mutex mutex_{};
  std::condition_variable_any changed_{};
  std::deque<std::unique_ptr<Parsing>> pieces_{};  // in the order of the text
  std::vector<std::unique_ptr<Parsing>> unused_{};
  std::vector<ParsedBatch> spare_{};  // for their memory
  std::size_t bytes_ = 0;             // of the pieces
  bool is_cutting_ = false, has_ended_ = false;
  std::exception_ptr broken_{};  // what ended the cutting
  std::exception_ptr failed_{};  // what ended a thread
  std::vector<std::jthread> threads_{};
};

}  // namespace jme::data
