#pragma once

#include <string>
#include <string_view>

#include "message.hpp"

namespace jme::serve {

/// Where a request leads.
struct Route {
  int status = 200;       ///< 200, 404, or 405 where only the method is wrong
  Admitted what{};        ///< 200
  std::string allowed{};  ///< 405: the methods that there are
};

/// Paths are compared as they are: nothing is decoded and nothing is made shorter, so that two spellings are
/// two paths.
[[nodiscard]] Route find_route(std::string_view method, std::string_view target);

}  // namespace jme::serve
