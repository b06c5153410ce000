#pragma once

#include <cctype>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jme::report {

struct Element {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string text;  ///< directly inside it, still escaped

  [[nodiscard]] std::string attribute(std::string_view wanted) const {
    for (const auto& [key, value] : attributes) {
      if (key == wanted) return value;
    }
    return "";
  }
};

/// The elements of a document, in order, read more strictly than a browser would: throws on anything but
/// properly nested elements with quoted attributes and text without bare < or &.
class Outline {
 public:
  explicit Outline(std::string_view document) : rest_(document) {
    while (!rest_.empty()) {
      if (rest_[0] == '<') {
        tag();
      } else {
        words();
      }
    }
    if (!open_.empty()) throw std::runtime_error("not closed: " + elements_[open_.back()].name);
  }

  [[nodiscard]] std::vector<Element> elements() const { return elements_; }
  [[nodiscard]] std::vector<Element> named(std::string_view name) const {
    std::vector<Element> found;
    for (const Element& element : elements_) {
      if (element.name == name) found.push_back(element);
    }
    return found;
  }
  /// Names of elements and attributes without any of their content.
  [[nodiscard]] std::vector<std::string> structure() const {
    std::vector<std::string> result;
    for (const Element& element : elements_) {
      std::string line = element.name;
      for (const auto& [key, value] : element.attributes) line += " " + key;
      result.push_back(line);
    }
    return result;
  }

 private:
  std::string take_until(std::string_view stops) {
    const std::size_t end = rest_.find_first_of(stops);
    if (end == std::string_view::npos) throw std::runtime_error("unexpected end");
    std::string taken(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return taken;
  }

  static void check_references(std::string_view text) {
    for (std::size_t at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
      bool known = false;
      for (const char* reference : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
        known = known || text.substr(at).starts_with(reference);
      }
      if (!known) throw std::runtime_error("a bare &");
    }
  }

  void words() {
    const std::size_t end = std::min(rest_.find('<'), rest_.size());
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end);
    const bool style = !open_.empty() && elements_[open_.back()].name == "style";
    if (!style) {
      check_references(text);
      if (text.find('>') != std::string::npos) throw std::runtime_error("a bare >");
    }
    if (!open_.empty()) elements_[open_.back()].text += text;
  }

  void tag() {
    if (rest_.starts_with("<?xml ") || rest_.starts_with("<!DOCTYPE ")) {
      rest_.remove_prefix(rest_.find('>') + 1);
      return;
    }
    rest_.remove_prefix(1);
    if (rest_[0] == '/') {
      rest_.remove_prefix(1);
      const std::string name = take_until(">");
      rest_.remove_prefix(1);
      if (open_.empty() || elements_[open_.back()].name != name) throw std::runtime_error("closes " + name);
      open_.pop_back();
      return;
    }
    Element element{.name = take_until(" />"), .attributes = {}, .text = ""};
    if (element.name.empty() || std::isalpha(static_cast<unsigned char>(element.name[0])) == 0) {
      throw std::runtime_error("a bare <");
    }
    while (rest_[0] == ' ') {
      rest_.remove_prefix(1);
      const std::string key = take_until("=");
      if (!rest_.starts_with("=\"")) throw std::runtime_error("an attribute without quotes");
      rest_.remove_prefix(2);
      const std::string value = take_until("\"<");
      if (rest_[0] != '"') throw std::runtime_error("< in an attribute");
      rest_.remove_prefix(1);
      check_references(value);
      element.attributes.emplace_back(key, value);
    }
    const bool empty = rest_.starts_with("/>") || element.name == "meta";
    rest_.remove_prefix(rest_[0] == '/' ? 1 : 0);
    if (rest_[0] != '>') throw std::runtime_error("a tag that does not end: " + element.name);
    rest_.remove_prefix(1);
    elements_.push_back(std::move(element));
    if (!empty) open_.push_back(elements_.size() - 1);
  }

  std::string_view rest_;
  std::vector<Element> elements_;
  std::vector<std::size_t> open_;
};

}  // namespace jme::report
