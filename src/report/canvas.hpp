#pragma once

#include <span>
#include <string>
#include <string_view>

#include <jme/report/drawing.hpp>

namespace jme::report {

struct Point {
  double x, y;
};

struct Box {
  double left, top, width, height;
  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
};

/// A coordinate to a tenth of a pixel, in as few characters as possible.
[[nodiscard]] std::string coordinate(double value);
/// Path data through the points, written relative to each other because that is shorter.
[[nodiscard]] std::string path_data(std::span<const Point> points);

enum class Anchor { start, middle, end };

struct TextOptions {
  std::string_view style = "ink";  ///< classes
  Anchor anchor = Anchor::start;
  double size = 12;
  double turn = 0;  ///< degrees, clockwise
};

/// Writes SVG elements in order. Class names are our own and are not escaped; texts are.
class Canvas {
 public:
  explicit Canvas(Size size) : size_(size) {}
  [[nodiscard]] Size size() const { return size_; }

  void line(Point from, Point to, std::string_view style);
  void rectangle(const Box& box, std::string_view style, double rounding = 0);
  /// `tip` is shown by browsers when the pointer rests on it.
  void rectangle_with_tip(const Box& box, std::string_view style, std::string_view tip);
  void path(std::string_view data, std::string_view style);
  void text(Point at, std::string_view words, const TextOptions& options = {});
  /// Until `leave`, coordinates count from `corner`.
  void enter(Point corner);
  /// The same, and whatever lies outside the box is cut off.
  void enter_clipped(const Box& box);
  void leave();

  [[nodiscard]] Drawing finish(std::string title, std::string description) &&;

 private:
  Size size_;
  std::string body_;
  std::string closing_;  ///< one letter per open group: g or s
};

}  // namespace jme::report
