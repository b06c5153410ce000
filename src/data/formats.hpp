#pragma once

#include <memory>
#include <string>

#include <jme/data/row_reader.hpp>

#include "data/row_source.hpp"

namespace jme::data {

/// The rows of an input. Throws InvalidParameter for options that do not fit its format.
[[nodiscard]] std::unique_ptr<RowSource> open_rows(const std::string& path, const InputOptions& options);

[[nodiscard]] std::unique_ptr<RowSource> open_csv(const std::string& path, const InputOptions& options);
[[nodiscard]] std::unique_ptr<RowSource> open_ndjson(const std::string& path, const InputOptions& options);
[[nodiscard]] std::unique_ptr<RowSource> open_npy(const std::string& path, const InputOptions& options);

}  // namespace jme::data
