#include "data/csv_marks.hpp"

#include <algorithm>
#include <string_view>

#include "data/csv_kernels.hpp"

namespace jme::data {
namespace {

// So many bytes that they and their marks stay in the first cache.
constexpr std::size_t searched_at_once = std::size_t{1} << 13;
static_assert(RecordSource::padding >= mark_padding);

}  // namespace

void CsvMarks::go_to(const RecordSource& records) {
  const std::string_view rest = records.rest();
  if (fills_ != records.fills() || base_ == nullptr) {
    fills_ = records.fills();
    base_ = rest.data();
    size_ = rest.size();
    searched_ = cursor_ = filled_ = 0;
    return;
  }
  const std::size_t at = size_ - rest.size();
  while (cursor_ < filled_ && places_[cursor_] < at) ++cursor_;
  searched_ = std::max(searched_, at);
}

bool CsvMarks::find(std::size_t count) {
  std::copy(places_.begin() + static_cast<std::ptrdiff_t>(cursor_),
            places_.begin() + static_cast<std::ptrdiff_t>(filled_), places_.begin());
  filled_ -= cursor_;
  cursor_ = 0;
  while (filled_ < count && searched_ < size_) {
    const std::size_t size = std::min(searched_at_once, size_ - searched_);
    if (places_.size() < filled_ + size + mark_padding) places_.resize(2 * filled_ + size + mark_padding);
    filled_ += find_marks({base_ + searched_, size}, delimiter_, static_cast<std::uint32_t>(searched_),
                          places_.data() + filled_);
    searched_ += size;
  }
  return filled_ >= count;
}

}  // namespace jme::data
