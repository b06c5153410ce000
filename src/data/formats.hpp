#pragma once

#include <memory>
#include <string>

#include <jme/data/input_reader.hpp>

namespace jme::data {

/// Throws InvalidParameter for options that do not fit the format.
void check_options(InputFormat format, const InputOptions& options);

[[nodiscard]] std::unique_ptr<InputReader> open_npy(const std::string& path, const InputOptions& options);

}  // namespace jme::data
