#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jme/base/field.hpp>
#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// A setting of a stream.
struct StreamField : Field {
  /// Its value in a mechanism. No value: the mechanism does not have it, or its part is in other values
  /// already (tau is the lambda of cs; threads never change a number).
  FieldValue (*in_force)(const Mechanism& mechanism) = nullptr;
  /// Takes over what was given, where it needs no other setting.
  void (*read)(StreamConfig& config, const std::string& text) = nullptr;
};

/// All settings of a stream, in the order of help: StreamConfig as text.
[[nodiscard]] const std::vector<StreamField>& stream_fields();

/// Throws InvalidParameter("objective", ...).
[[nodiscard]] Objective parse_objective(std::string_view text);

}  // namespace jme
