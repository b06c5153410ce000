#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/named_parts.hpp>
#include <jme/base/quoted_part.hpp>

namespace jme {

namespace {

NamedPart take_named_part(std::string_view& text, std::string_view field, std::string_view example) {
  const auto fail = [&] {
    return InvalidParameter(
        field, fmt::format("must be a list such as {}, each name once; a name or value with ',' or '=' in it "
                           "is written in double quotes",
                           example));
  };
  const std::optional<std::string> name = take_part(text, "=,");
  if (!name || name->empty() || !text.starts_with('=')) throw fail();
  text.remove_prefix(1);
  const std::optional<std::string> value = take_part(text, ",");
  if (!value || value->empty()) throw fail();
  return {.name = *name, .value = *value};
}

}  // namespace

std::vector<NamedPart> parse_named_parts(std::string_view field, std::string_view text,
                                         std::string_view example) {
  std::vector<NamedPart> parts;
  for (;; text.remove_prefix(1)) {
    NamedPart part = take_named_part(text, field, example);
    if (std::ranges::any_of(parts, [&](const NamedPart& other) { return other.name == part.name; })) {
      throw InvalidParameter(field, fmt::format("names {} twice", part.name));
    }
    parts.push_back(std::move(part));
    if (text.empty()) return parts;
  }
}

std::string named_parts_text(const std::vector<NamedPart>& parts) {
  std::string text;
  for (const NamedPart& part : parts) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", quoted_part(part.name), quoted_part(part.value));
  }
  return text;
}

}  // namespace jme
