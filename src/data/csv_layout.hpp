#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/data/input_options.hpp>

namespace jme::data {

/// Which cells of a CSV record are taken as what. It comes from the header or from the options, never from a
/// row.
struct CsvLayout {
  bool has_header = false;
  std::size_t width = 0;                ///< cells of a record, exactly
  std::vector<std::string> columns{};   ///< their names
  std::vector<std::size_t> selected{};  ///< their places in a record
  std::optional<std::size_t> person{};  ///< place of the id
  std::optional<std::size_t> time_place{};
};

/// Throws InvalidParameter for a delimiter or decimal sign that cannot be one.
void check_delimiter(char delimiter);
void check_decimal(const InputOptions& options);

/// `place`: of the header, for messages. Throws DataError for a header that cannot be one.
[[nodiscard]] CsvLayout csv_layout(std::string_view header, const InputOptions& options,
                                   const std::string& place);
/// Without a header.
[[nodiscard]] CsvLayout declared_csv_layout(const InputOptions& options);

/// Another delimiter that would cut a record, which is one cell now, into this many; none where none would.
[[nodiscard]] std::optional<Remedy> delimiter_that_cuts(std::string_view record, char delimiter,
                                                        std::size_t cells, bool exactly);

}  // namespace jme::data
