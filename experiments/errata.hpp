#pragma once

#include <string_view>

#include <jme/report/page.hpp>

namespace jme::experiments {

/// docs/errata.md as it was when the program was built: the page and the document cannot differ.
[[nodiscard]] std::string_view errata_markdown();

/// The same as sections of a page.
void add_errata(report::Page& page);

}  // namespace jme::experiments
