#include <fmt/format.h>

#include <jme/report/drawing.hpp>
#include <jme/report/markup.hpp>

#include "report/canvas.hpp"
#include "report/theme.hpp"

namespace jme::report {

Drawing::Drawing(Size size, std::string title, std::string description, std::string body)
    : size_(size), title_(std::move(title)), description_(std::move(description)), body_(std::move(body)) {}

std::string Drawing::opening(std::string_view id, std::string_view further) const {
  const std::string safe_id = escaped(id);
  std::string result = fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{}-t{}\" "
      "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\" "
      "font-size=\"12\"{}>\n",
      coordinate(size_.width), coordinate(size_.height), safe_id,
      description_.empty() ? "" : fmt::format(" {}-d", safe_id), further);
  result += fmt::format("<title id=\"{}-t\">{}</title>\n", safe_id, escaped(title_));
  if (!description_.empty()) {
    result += fmt::format("<desc id=\"{}-d\">{}</desc>\n", safe_id, escaped(description_));
  }
  return result;
}

std::string Drawing::element(std::string_view id) const {
  return opening(id, "") + body_ + "</svg>\n";
}

std::string Drawing::file() const {
  std::set<std::string, std::less<>> used = classes_in(body_);
  used.emplace("paper");
  const std::string further = fmt::format(" xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\"",
                                          coordinate(size_.width), coordinate(size_.height));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + opening("chart", further) + "<style>\n" +
         drawing_styles(used) + "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n" + body_ +
         "</svg>\n";
}

}  // namespace jme::report
