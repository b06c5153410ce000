#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <jme/theory/plan.hpp>

namespace jme::cli {

[[nodiscard]] nlohmann::ordered_json plan_json(const Plan& plan);
/// Aligned text; the recommended candidate is marked with a star. Below it what each balance costs and gains.
[[nodiscard]] std::string plan_table(const Plan& plan);

}  // namespace jme::cli
