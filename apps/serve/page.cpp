#include "page.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include <jme/version.hpp>

#include "report/theme.hpp"

namespace jme::serve {

namespace {

constexpr std::string_view front = "index.html";
constexpr std::string_view theme = "theme.css";
constexpr std::string_view server = "server.json";  // what the page has to know before it asks for a token
// Scripts and styles come from this server's own files, and requests go to it alone: text of a stream that
// looks like markup can neither run nor send anything anywhere.
constexpr const char* policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The colours of reports.
const PageFile& theme_file() {
  static const std::string text = report::page_styles();
  static const std::string tag = fmt::format("{:016x}", std::hash<std::string>()(text));
  static const PageFile file{.name = theme, .tag = tag, .text = text};
  return file;
}

const PageFile* find_file(std::string_view name) {
  if (name == theme) return &theme_file();
  const auto all = page_files();
  const auto found = std::find_if(all.begin(), all.end(), [&](const PageFile& f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const char* type_of(std::string_view name) {
  const std::string_view ending = name.substr(name.rfind('.') + 1);
  if (ending == "html") return "text/html; charset=utf-8";
  if (ending == "css") return "text/css; charset=utf-8";
  if (ending == "js") return "text/javascript; charset=utf-8";
  return "image/svg+xml";
}

/// Whether one of the tags of If-None-Match is this one; a proxy that compresses answers makes them weak.
bool knows(std::string_view tags, const std::string& tag) {
  return tags == "*" || tags.find(tag) != std::string_view::npos;
}

}  // namespace

Answer page(const Head& head, std::string_view name, bool public_releases) {
  if (name == server) {
    return {.body = fmt::format("{{\"version\":\"{}\",\"public_releases\":{}}}\n", version, public_releases)};
  }
  const PageFile* const file = name == front ? nullptr : find_file(name.empty() ? front : name);
  if (file == nullptr) return problem(404, "Not Found", "there is nothing at this path", head);
  const std::string tag = fmt::format("\"{}\"", file->tag);
  Answer answer{.type = type_of(file->name),
                .fields = {{"ETag", tag},
                           {"Cache-Control", "no-cache"},
                           {"Content-Security-Policy", policy},
                           {"Cross-Origin-Opener-Policy", "same-origin"},
                           {"Cross-Origin-Resource-Policy", "same-origin"}}};
  if (knows(head.field("if-none-match"), tag)) {
    answer.status = 304;
  } else {
    answer.body = file->text;
  }
  return answer;
}

}  // namespace jme::serve
