#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace jme {

/// A setting, described once. Flags, settings files and their printing, the metadata of a run and the
/// identity of a durable stream are made from such descriptions.
struct Field {
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

/// What somebody called a matrix of explicit numbers. The name does not determine the numbers.
struct MatrixName {
  std::string name;
};

/// The value of a setting that is in force, after defaults and choices; none where it plays no part.
using FieldValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string, MatrixName,
                                std::vector<std::string>>;

struct SettingInForce {
  std::string name;  ///< of its field
  FieldValue value;
};

}  // namespace jme
