#pragma once

#include <string>
#include <vector>

#include "experiments/reproduction.hpp"

namespace jme::experiments {

/// index.html: every finished item with its charts, the paper's claims beside what the numbers say, and the
/// paper's errata. One self-contained page; the CSV files are beside it.
[[nodiscard]] std::string page_of(const std::vector<Outcome>& outcomes, const Reproduction& reproduction);

}  // namespace jme::experiments
