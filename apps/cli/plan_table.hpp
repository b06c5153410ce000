#pragma once

#include <string>

#include <jme/theory/plan.hpp>

namespace jme::cli {

/// Aligned text; the recommended candidate is marked with a star. Below the table it says what each balance
/// costs and gains.
[[nodiscard]] std::string plan_table(const Plan& plan);

}  // namespace jme::cli
