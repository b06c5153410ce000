#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace jme::python {

/// Names of columns that have none: their numbers, from 1.
[[nodiscard]] std::vector<std::string> numbered(std::size_t dimension);

/// Where an input has these columns, in their order: by its names, or, where it has none, by place among
/// `width` of them; columns that are all called by numbers are those places. Throws
/// InvalidParameter("columns") for a column that is not there or is there twice, DataError for another number
/// of columns.
[[nodiscard]] std::vector<std::size_t> column_places(const std::vector<std::string>& columns,
                                                     const std::optional<std::vector<std::string>>& names,
                                                     std::size_t width);

}  // namespace jme::python
