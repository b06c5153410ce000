#include <algorithm>
#include <cctype>

#include <jme/base/errors.hpp>
#include <jme/report/markup.hpp>

#include "report/unicode.hpp"

namespace jme::report {

namespace {

/// Addresses that can only be followed, never executed: no scheme but http and https.
bool is_harmless(std::string_view address) {
  if (address.starts_with("https://") || address.starts_with("http://")) return true;
  if (address.empty() || address.starts_with("//")) return false;
  return std::none_of(address.begin(), address.end(), [](char c) {
    return c == ':' || c == '\\' || static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
  });
}

}  // namespace

std::string escaped(std::string_view plain) {
  std::string result;
  for (const char32_t c : decoded(plain)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += encoded(std::u32string_view(&c, 1));
    }
  }
  return result;
}

Markup text(std::string_view plain) {
  return Markup(escaped(plain));
}
Markup strong(std::string_view plain) {
  return Markup("<strong>" + escaped(plain) + "</strong>");
}
Markup code(std::string_view plain) {
  return Markup("<code>" + escaped(plain) + "</code>");
}
Markup small(std::string_view plain) {
  return Markup("<small>" + escaped(plain) + "</small>");
}
Markup link(std::string_view address, std::string_view words) {
  if (!is_harmless(address)) {
    throw InvalidParameter("link", address, "http, https, a heading or a file beside the page");
  }
  return Markup("<a href=\"" + escaped(address) + "\">" + escaped(words) + "</a>");
}

}  // namespace jme::report
