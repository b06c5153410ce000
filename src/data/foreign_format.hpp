#pragma once

#include <string>
#include <string_view>

namespace jme::data {

/// A kind of file that is not text and is not read here.
struct ForeignFormat {
  std::string_view name;    ///< "a Parquet file"
  std::string_view remedy;  ///< how its rows become text, or come here in another way
};

/// What a file is that begins with these bytes; null where they can be the beginning of text in UTF-8. For
/// messages alone: no byte of a file decides how it is read.
[[nodiscard]] const ForeignFormat* foreign_format(std::string_view beginning);
/// The same in words, for messages.
[[nodiscard]] std::string explain(const ForeignFormat& format);

}  // namespace jme::data
