#pragma once

#include <string>

#include <jme/mechanism/mechanism.hpp>
#include <jme/output/metadata.hpp>

namespace jme {

// Parts of the statement that are about rows which may not count.

/// The window in which rows of a person are limited: "day", "window of 6h", "slot of 15m".
[[nodiscard]] std::string window_name(const StreamConfig& config);
/// A sentence after those about the limit: what it changes about the numbers themselves.
[[nodiscard]] std::string statement_of_counted_rows(const StreamConfig& config);
/// Where counts are private: what a record that cannot be used does to the run. An end shows it to readers.
[[nodiscard]] std::string statement_of_bad_rows(const RunDescription& run);

}  // namespace jme
