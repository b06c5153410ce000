#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <jme/service/write_request.hpp>

#include "message.hpp"

namespace jme::serve {

/// A whole number and nothing else.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);

/// What a request that writes asks for, by its fields, or why it is refused. Does not look into the body.
[[nodiscard]] std::variant<WriteRequest, Answer> write_request(const Head& head, const Admitted& what,
                                                               std::string body);

}  // namespace jme::serve
