#pragma once

#include <string_view>

#include <jme/report/markup.hpp>
#include <jme/report/page.hpp>

namespace jme::experiments {

/// The Markdown of our own documents, as parts of a page: "# " begins a section, deeper headings are
/// subsections; paragraphs, lists, tables and indented listings. Links out of the page keep their words only.
void add_markdown(report::Page& page, std::string_view markdown);

/// `code`, **strong**, *strong too* and [words](address) in a line of text.
[[nodiscard]] report::Markup inline_markdown(std::string_view text);

}  // namespace jme::experiments
