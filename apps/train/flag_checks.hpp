#pragma once

#include <cstdint>

#include <CLI/CLI.hpp>

namespace jme::train {

// CLI11 reads "-1" as a very large count and says only that "x" could not be converted.

/// A whole number from `least` to `most`.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least, std::uint64_t most = 1'000'000'000'000);
/// A finite number.
[[nodiscard]] CLI::Validator number();

}  // namespace jme::train
