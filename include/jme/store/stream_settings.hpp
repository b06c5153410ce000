#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jme/base/field.hpp>
#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// A public parameter by the name of its flag. Numbers are written so that they read back as the same double.
struct Setting {
  std::string name, value;
  bool operator==(const Setting&) const = default;
};
using Settings = std::vector<Setting>;

/// The value of a setting; empty where there is none of that name.
[[nodiscard]] std::string_view value_of(const Settings& settings, std::string_view name);

/// Adds a setting in force under the name of its flag; nothing where it has no value.
void add_setting(Settings& settings, std::string_view field, const FieldValue& value);

/// How noise is made from draws. 2: rounded inside the recursion, ties decided exactly. States of jme 0.1.0
/// have no such setting; their noise cannot be continued.
inline constexpr std::string_view mechanism_version_setting = "mechanism version";
inline constexpr std::string_view mechanism_version = "3";

/// What is not a stream says so.
inline constexpr std::string_view kind_setting = "kind";
inline constexpr std::string_view search_kind = "search for bounds";
/// A stream that leaves out the records of such a search names it.
inline constexpr std::string_view left_out_setting = "left-out-search";

/// Everything public that makes a mechanism what it is: its version, the settings in force (stream_fields()),
/// noise, lattice, and A1, A2, C1, C2 by digests of their numbers. A setting that only says how it is
/// computed (threads) is not part of it.
[[nodiscard]] Settings settings_of(const Mechanism& mechanism);

}  // namespace jme
