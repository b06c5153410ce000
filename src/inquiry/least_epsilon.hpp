#pragma once

#include <functional>
#include <optional>

namespace jme::inquiry {

/// The least epsilon of four digits that meets a goal which every larger one meets as well; none up to
/// 1024. Goals that 2^-20 meets are answered with it.
[[nodiscard]] std::optional<double> least_epsilon(const std::function<bool(double epsilon)>& meets);

}  // namespace jme::inquiry
