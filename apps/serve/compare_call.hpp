#pragma once

#include <jme/service/served_stream.hpp>

#include "message.hpp"

namespace jme::serve {

/// How the means of two windows of a stream differ (inquiry/compare_answer.hpp), by the parameters from and
/// to. Throws InvalidParameter.
[[nodiscard]] Answer compare_call(const Head& head, const Admitted& what, const ServedStream& stream);

}  // namespace jme::serve
