#pragma once

#include <string>
#include <string_view>

namespace jme::report {

/// Width and height in pixels at which text has its natural size; drawings scale.
struct Size {
  double width, height;
};

/// A finished chart as SVG. The chart functions make it; everything in it is escaped.
class Drawing {
 public:
  [[nodiscard]] Size size() const { return size_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const std::string& description() const { return description_; }

  /// The element for a page; the page has the styles. `id` must be unique in the page: title and description
  /// are found by it.
  [[nodiscard]] std::string element(std::string_view id) const;
  /// A complete SVG file with its own styles and background: light or dark like the reader's screen, and
  /// light in print and in programs that have no dark mode.
  [[nodiscard]] std::string file() const;

 private:
  friend class Canvas;
  Drawing(Size size, std::string title, std::string description, std::string body);
  [[nodiscard]] std::string opening(std::string_view id, std::string_view further) const;
  Size size_;
  std::string title_, description_, body_;
};

}  // namespace jme::report
