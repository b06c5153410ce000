#include <algorithm>
#include <numeric>
#include <vector>

#include <jme/base/spelling.hpp>

namespace jme {

namespace {

/// How many letters must be changed, added or left out.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_spelling(std::string_view word, std::span<const std::string> words) {
  if (words.empty()) return {};
  return *std::min_element(words.begin(), words.end(), [&](const std::string& a, const std::string& b) {
    return distance(a, word) < distance(b, word);
  });
}

}  // namespace jme
