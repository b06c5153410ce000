#pragma once

#include <span>
#include <string_view>

#include "message.hpp"

namespace jme::serve {

/// A file of the page, as it was when the server was built.
struct PageFile {
  std::string_view name;
  std::string_view tag;  ///< changes with the text
  std::string_view text;
};

/// Made from apps/serve/page by embed_page.cmake.
[[nodiscard]] std::span<const PageFile> page_files();

/// The page (no name) or one of its files. Nothing of it is secret: whoever looks at it needs a token of his
/// own for what it shows, unless releases are public.
[[nodiscard]] Answer page(const Head& head, std::string_view name, bool public_releases);

}  // namespace jme::serve
