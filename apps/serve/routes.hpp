#pragma once

#include <string>
#include <string_view>

#include "message.hpp"

namespace jme::serve {

/// Where a request leads.
struct Route {
  int status = 200;       ///< 200, 404, 405 where only the method is wrong, or 400 where the query is
  Admitted what{};        ///< 200 and 400
  std::string allowed{};  ///< 405: the methods that there are; 400: the parameters
};

/// Paths are compared as they are: nothing is decoded and nothing is made shorter, so that two spellings are
/// two paths.
[[nodiscard]] Route find_route(std::string_view method, std::string_view target);

}  // namespace jme::serve
