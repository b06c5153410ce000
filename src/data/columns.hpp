#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jme::data {

/// A file with more columns than this is taken to be something else.
constexpr std::size_t most_columns = std::size_t{1} << 20;

/// "1" to "n": the names of columns that have none.
[[nodiscard]] std::vector<std::string> numbered_columns(std::size_t count);

/// Places in `available` of the `requested` columns, by name or else by 1-based number; all if none is
/// requested. Throws InvalidParameter("columns") for an unknown or repeated column, DataError at `place`
/// where the file has two columns of the same name. `field`: what asks for them, for messages.
[[nodiscard]] std::vector<std::size_t> select_columns(const std::vector<std::string>& available,
                                                      const std::vector<std::string>& requested,
                                                      std::string_view place,
                                                      std::string_view field = "columns");
/// Takes the person's column out of those that nobody chose. Throws InvalidParameter where it is chosen as a
/// data column too, or where no other is left.
void set_apart(std::size_t person, bool are_chosen, std::vector<std::size_t>& selected);

/// The place of the column that says when a row happened, which must be none of the `requested` ones.
[[nodiscard]] std::size_t select_time(const std::vector<std::string>& available,
                                      const std::vector<std::string>& requested, const std::string& time,
                                      std::string_view place);

/// The name as it can be shown: line breaks and tabs become spaces. Throws DataError at `place` if it is not
/// text.
[[nodiscard]] std::string presentable_name(std::string_view name, std::string_view place);

}  // namespace jme::data
