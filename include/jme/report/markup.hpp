#pragma once

#include <string>
#include <string_view>

namespace jme::report {

/// Characters with a meaning in HTML and SVG become references. Characters that no document may hold (broken
/// UTF-8, control characters) or that change the direction of the text around them become U+FFFD, so that a
/// column name is plain text wherever it is shown.
[[nodiscard]] std::string escaped(std::string_view plain);

/// Text ready for a page. Only the functions below make it, and they escape their arguments, so plain text
/// cannot become markup by mistake.
class Markup {
 public:
  Markup() = default;
  [[nodiscard]] const std::string& html() const { return html_; }
  [[nodiscard]] bool empty() const { return html_.empty(); }

  Markup& operator+=(const Markup& other) {
    html_ += other.html_;
    return *this;
  }
  friend Markup operator+(Markup left, const Markup& right) { return left += right; }

 private:
  explicit Markup(std::string html) : html_(std::move(html)) {}
  friend Markup text(std::string_view plain);
  friend Markup strong(std::string_view plain);
  friend Markup code(std::string_view plain);
  friend Markup small(std::string_view plain);
  friend Markup link(std::string_view address, std::string_view words);
  std::string html_;
};

[[nodiscard]] Markup text(std::string_view plain);
[[nodiscard]] Markup strong(std::string_view plain);
[[nodiscard]] Markup code(std::string_view plain);
/// A line of its own below what it belongs to, smaller and paler.
[[nodiscard]] Markup small(std::string_view plain);
/// A link to https:, http:, a heading (#...) or a file beside the page. Throws InvalidParameter for any other
/// scheme: "javascript:" is an address too.
[[nodiscard]] Markup link(std::string_view address, std::string_view words);

}  // namespace jme::report
