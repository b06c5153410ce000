#pragma once

#include <optional>

#include <jme/pipeline/run_settings.hpp>
#include <jme/store/durable_stream.hpp>

namespace jme::cli {

/// Where the stream is kept: --state and what belongs to it, checked; none without it.
[[nodiscard]] std::optional<DurableOptions> durable_options(const RunSettings& settings);

}  // namespace jme::cli
