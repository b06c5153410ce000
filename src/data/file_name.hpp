#pragma once

#include <string>

#include <jme/data/input_options.hpp>

namespace jme::data {

/// The file's extension in lower case with its dot, looking through .gz and .xz; "" without one.
[[nodiscard]] std::string extension(const std::string& path);

/// How a file of this name is packed, where `asked` leaves it to the name.
[[nodiscard]] Compression compression_of(const std::string& path, Compression asked);

}  // namespace jme::data
