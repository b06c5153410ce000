#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace jme::python {

/// Names of columns that have none: their numbers, from 1.
[[nodiscard]] std::vector<std::string> numbered(std::size_t dimension);

/// Where an input has these columns, in their order: by its names, or, where it has none, by place among
/// `width` of them; columns that are all called by numbers are those places. A number is a place among names
/// too, where none of them is the number of a column; the labels that pandas makes up, 0, 1 and so on, are no
/// names. Throws InvalidParameter("columns") for a column that is not there or is there twice, for two
/// columns in one place, and for labels of pandas that are names of all columns as well; DataError for
/// another number of columns.
[[nodiscard]] std::vector<std::size_t> column_places(const std::vector<std::string>& columns,
                                                     const std::optional<std::vector<std::string>>& names,
                                                     std::size_t width);

}  // namespace jme::python
