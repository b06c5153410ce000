#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace jme::cli {

/// The answer to a BudgetQuestion for people. Each line of it has a "command" besides.
[[nodiscard]] std::string budget_table(const nlohmann::ordered_json& answer);

}  // namespace jme::cli
