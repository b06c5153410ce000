#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jme {

/// A setting of a run, described once: the flags, the reading of settings files and their printing are made
/// from this.
struct RunField {
  /// What its value is in JSON: a number, a whole number, text, a list of names, ranges by column, true or
  /// false.
  enum class Type { real, count, text, list, ranges, flag };

  std::string name;  ///< with underscores: "norm_bound"
  Type type;
  std::string fallback;  ///< the default as text; empty where there is none, or where it depends on others
  std::string rule;      ///< what is allowed, for messages: "must be ..."
  std::string group;     ///< what it is about
  std::string value;     ///< how help names its value: "Z"
  std::string help;
  std::string alias{};  ///< a second name
};

/// All of them, in the order of help.
[[nodiscard]] const std::vector<RunField>& run_fields();
/// The field of this name; null where there is none.
[[nodiscard]] const RunField* find_run_field(std::string_view name);
/// The known name that needs the fewest changes of letters to become `name`: for messages.
[[nodiscard]] const std::string& nearest_run_field(std::string_view name);

}  // namespace jme
