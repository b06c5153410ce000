#pragma once

#include <nlohmann/json_fwd.hpp>

#include <jme/pipeline/run_fields.hpp>

namespace jme {

/// The JSON Schema of a setting's value as RunSettings::from_json reads it: its type, what else is allowed,
/// its default and its help. Values that have the type and break the rule are refused when the run is
/// prepared.
[[nodiscard]] nlohmann::ordered_json schema_of(const RunField& field);

}  // namespace jme
