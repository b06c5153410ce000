#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <jme/moments/release.hpp>

namespace jme {

/// Many releases in one piece of memory, oldest first.
class Releases {
 public:
  explicit Releases(const ReleaseLayout& layout) : layout_(layout) {}

  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] bool empty() const { return places_.empty(); }
  /// Release::packed of one of them.
  [[nodiscard]] std::span<const double> packed(std::size_t i) const {
    const std::size_t length = numbers_.size() / places_.size();
    return std::span(numbers_).subspan(i * length, length);
  }
  [[nodiscard]] std::size_t rows(std::size_t i) const { return places_[i].rows; }
  [[nodiscard]] std::size_t steps(std::size_t i) const { return places_[i].steps; }
  [[nodiscard]] Release operator[](std::size_t i) const {
    return Release::unpacked(layout_, rows(i), steps(i), packed(i));
  }
  void append(const Release& release);

 private:
  struct Place {
    std::size_t rows, steps;
  };
  ReleaseLayout layout_;
  std::vector<double> numbers_;
  std::vector<Place> places_;
};

}  // namespace jme
