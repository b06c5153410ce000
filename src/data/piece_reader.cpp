#include "data/piece_reader.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace jme::data {
namespace {

// Of one piece, before its parsing waits: far more than a piece has, unless rows have more cells than bytes.
constexpr std::size_t most_ready_cells = std::size_t{1} << 20;

}  // namespace

PieceReader::Parsing::Parsing(const RecordSource& of, const RecordParser& like, OnBadRow on_bad_row)
    : records(of.for_pieces()), parser(like.clone()), filler(on_bad_row, like.columns().size()) {}

PieceReader::PieceReader(const RecordSource& records, const RecordParser& like, PieceCutter& cutter,
                         const Options& options, std::size_t lines, std::size_t last_line)
    : records_(records),
      like_(like),
      cutter_(cutter),
      options_(options),
      with_numbers_(like.columns().size()),
      lines_(lines),
      last_line_(last_line) {
  options_.threads = std::max<std::size_t>(options_.threads, 1);
}

PieceReader::~PieceReader() {
  for (std::jthread& thread : threads_) thread.request_stop();
  changed_.notify_all();
}

void PieceReader::start_threads() {
  if (!threads_.empty()) return;
  try {
    for (std::size_t i = 1; i < options_.threads; ++i)
      threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  } catch (const std::system_error&) {
    // The system allows no more threads: fewer do the same.
  }
}

void PieceReader::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  try {
    while (!stop.stop_requested()) {
      if (help(lock, false)) continue;
      bool cuts = false;
      changed_.wait(lock, stop, [&] { return claim(cuts) != nullptr || cuts; });
    }
  } catch (...) {  // memory, for one: the caller is told
    failed_ = std::current_exception();
    changed_.notify_all();
  }
}

bool PieceReader::next(ParsedBatch& batch) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (failed_) end_.broken = failed_;
    if (end_.refused || end_.broken || end_.has_unclosed_quote) return false;
    if (take_front(batch)) return true;
    if (pieces_.empty() && has_ended_) {
      end_.broken = broken_;
      end_.has_unclosed_quote = cutter_.has_unclosed_quote();
      end_.unclosed_line = last_line_;
      return false;
    }
    if (!pieces_.empty() && pieces_.front()->is_done && !pieces_.front()->is_claimed) {
      retire_front();
      continue;
    }
    if (!help(lock, true)) changed_.wait(lock);
  }
}

// The first piece that can go on, or else nothing and whether there is something to cut.
PieceReader::Parsing* PieceReader::claim(bool& cuts) {
  for (const auto& parsing : pieces_) {
    if (!parsing->is_claimed && !parsing->is_done && parsing->ready_cells < most_ready_cells)
      return parsing.get();
  }
  const std::size_t most_pieces = 2 * options_.threads;
  cuts = !has_ended_ && !is_cutting_ &&
         (pieces_.empty() || (pieces_.size() < most_pieces && bytes_ < most_pieces * options_.piece_bytes));
  return nullptr;
}

// Does what can be done next; false where there is nothing.
bool PieceReader::help(std::unique_lock<std::mutex>& lock, bool one_batch) {
  bool cuts = false;
  Parsing* parsing = claim(cuts);
  std::unique_ptr<Parsing> next;
  if (cuts) {
    is_cutting_ = true;
    next = fresh();
    const bool has_piece = cut(*next, lock);
    is_cutting_ = false;
    if (has_piece) {
      parsing = next.get();
      bytes_ += next->piece.size;
      pieces_.push_back(std::move(next));
      if (one_batch && !has_ended_) start_threads();
    } else {
      unused_.push_back(std::move(next));
    }
    changed_.notify_all();
    if (!has_piece) return true;
  }
  if (parsing == nullptr) return false;
  parse(*parsing, lock, one_batch);
  return true;
}

std::unique_ptr<PieceReader::Parsing> PieceReader::fresh() {
  std::unique_ptr<Parsing> parsing;
  if (unused_.empty()) {
    parsing = std::make_unique<Parsing>(records_, like_, options_.on_bad_row);
  } else {
    parsing = std::move(unused_.back());
    unused_.pop_back();
  }
  parsing->is_done = parsing->was_begun = false;
  return parsing;
}

bool PieceReader::cut(Parsing& parsing, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  bool has_piece = false, is_at_end = true;
  std::exception_ptr broken;
  try {
    has_piece = cutter_.cut(parsing.piece);
    is_at_end = !has_piece || cutter_.is_at_end();
    parsing.records.take_piece(parsing.piece.text(), parsing.piece.is_cut_off);
    parsing.progress = records_.progress();
  } catch (...) {
    has_piece = false;
    is_at_end = true;
    broken = std::current_exception();
  }
  lock.lock();
  has_ended_ = is_at_end;
  broken_ = broken;
  return has_piece;
}

void PieceReader::parse(Parsing& parsing, std::unique_lock<std::mutex>& lock, bool one_batch) {
  parsing.is_claimed = true;
  do {
    ParsedBatch batch;
    if (!spare_.empty()) {
      batch = std::move(spare_.back());
      spare_.pop_back();
    }
    lock.unlock();
    bool goes_on = false;
    std::exception_ptr failed;
    try {
      goes_on = parsing.filler.fill(parsing.records, *parsing.parser, batch, RowBatch::most_rows, {});
    } catch (...) {
      failed = std::current_exception();
    }
    lock.lock();
    parsing.failed = failed;
    parsing.is_done = !goes_on;
    if (batch.rows.rows() > 0) {
      parsing.ready_cells += batch.rows.cells().size();
      parsing.ready.push_back(std::move(batch));
    }
    if (&parsing == pieces_.front().get() || parsing.is_done) changed_.notify_all();
  } while (!one_batch && !parsing.is_done && parsing.ready_cells < most_ready_cells);
  parsing.is_claimed = false;
  changed_.notify_all();
}

bool PieceReader::take_front(ParsedBatch& batch) {
  if (pieces_.empty() || pieces_.front()->ready.empty()) return false;
  Parsing& front = *pieces_.front();
  if (!std::exchange(front.was_begun, true)) lines_ += front.piece.lines_before;
  std::swap(batch, front.ready.front());
  spare_.push_back(std::move(front.ready.front()));
  front.ready.pop_front();
  front.ready_cells -= batch.rows.cells().size();
  batch.first_line += lines_;
  for (std::size_t& line : batch.lines) line += lines_;
  last_line_ = batch.line_of(batch.rows.rows() - 1);
  progress_ = front.progress;
  changed_.notify_all();
  return true;
}

void PieceReader::retire_front() {
  std::unique_ptr<Parsing> front = std::move(pieces_.front());
  pieces_.pop_front();
  bytes_ -= front->piece.size;
  if (!front->was_begun) lines_ += front->piece.lines_before;
  with_numbers_.add(front->filler.with_numbers());
  end_.refused = front->filler.refused();
  if (end_.refused) end_.refused->line += lines_;
  end_.broken = front->failed;
  end_.has_unclosed_quote = front->records.has_unclosed_quote();
  end_.unclosed_line = lines_ + front->records.line();
  lines_ += front->records.lines_taken();
  // What a long record needed is given back.
  if (front->piece.bytes.size() <= 2 * (options_.piece_bytes + RecordSource::padding))
    unused_.push_back(std::move(front));
  changed_.notify_all();
}

}  // namespace jme::data
