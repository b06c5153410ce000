#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jme {

/// One part of "temp=37,pulse=80".
struct NamedPart {
  std::string name, value;

  bool operator==(const NamedPart&) const = default;
};

/// "temp=37,pulse=80": names and values as quoted_part() writes them, each name once. `field` is for
/// messages, and so is `example` ("temp=37"). Throws InvalidParameter.
[[nodiscard]] std::vector<NamedPart> parse_named_parts(std::string_view field, std::string_view text,
                                                       std::string_view example);
/// The same list as text.
[[nodiscard]] std::string named_parts_text(const std::vector<NamedPart>& parts);

}  // namespace jme
