#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/pipeline/placed_stream.hpp>

namespace jme {

namespace {

using Head = std::array<std::uint64_t, 2>;  // what it is, bytes of the place
constexpr std::uint64_t placed_mark = 0x316563616c70656d;

}  // namespace

PlacedStream::PlacedStream(std::unique_ptr<RunningStream> stream, const Horizon& horizon)
    : stream_(std::move(stream)), horizon_(horizon) {
  if (!horizon.has_slots()) stream_->resume();  // slots go on by themselves
  const std::vector<std::byte> bytes = stream_->kept();
  if (bytes.empty()) {
    if (stream_->rows() == 0) return;
    throw StateError(
        "the rows of this stream came from a file or a pipe: it cannot go on from a place in a log");
  }
  Head head{};
  if (bytes.size() >= sizeof head) std::memcpy(head.data(), bytes.data(), sizeof head);
  if (head[0] != placed_mark || head[1] > bytes.size() - sizeof head) {
    throw StateError("the rows of this stream came from a pipe: it cannot go on from a place in a log");
  }
  const auto place = bytes.begin() + sizeof head;
  const auto rest = place + static_cast<std::ptrdiff_t>(head[1]);
  place_before_.assign(place, rest);
  kept_.assign(rest, bytes.end());
}

void PlacedStream::stage() {
  const std::vector<std::byte> place = place_();
  const Head head{placed_mark, place.size()};
  const auto head_bytes = std::as_bytes(std::span(head));
  std::vector<std::byte> all(head_bytes.begin(), head_bytes.end());
  all.insert(all.end(), place.begin(), place.end());
  all.insert(all.end(), kept_.begin(), kept_.end());
  stream_->keep(all);
  has_staged_ = true;
}

void PlacedStream::keep(std::span<const std::byte> bytes) {
  kept_.assign(bytes.begin(), bytes.end());
  stage();
}

// What is staged before the last row of a block belongs to the block's commit. Rows of a block that is still
// open come again, from the place of the last one that ended.
void PlacedStream::push(std::span<const double> row, std::span<const double> as_read) {
  const std::size_t with_it = stream_->rows() + 1;
  const bool ends = with_it % horizon_.every() == 0 || with_it == horizon_.rows();
  if (ends && with_it <= horizon_.rows()) stage();
  stream_->push(row, as_read);
  in_block_ = !ends;
}

// Slots of rows' own times: all rows are read before the first block, and a later process reads the same
// ones again.
void PlacedStream::push_block(std::string_view id, const BlockSum& block) {
  if (place_before_.empty() && !has_staged_) stage();
  stream_->push_block(id, block);
}

void PlacedStream::end_input() {
  if (in_block_) stage();
  stream_->end_input();
}

}  // namespace jme
