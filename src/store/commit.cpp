#include <algorithm>

#include <jme/store/commit.hpp>

namespace jme {

// A database holds no record of any length.
void JournalEntries::add(std::span<const std::byte> bytes) {
  constexpr std::size_t longest_record = std::size_t{1} << 20;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), longest_record))) {
    const auto record = bytes.first(std::min(bytes.size(), longest_record));
    records_.emplace_back(record.begin(), record.end());
  }
}

void JournalEntries::replace_all() {
  clear();
  replaces_all_ = true;
}

void JournalEntries::clear() {
  records_.clear();
  replaces_all_ = false;
}

}  // namespace jme
