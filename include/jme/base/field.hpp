#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jme {

/// A setting, described once. Flags, settings files, keywords, the schema of the HTTP bodies, the metadata of
/// a run, the identity of a durable stream and the pages about all of these are made from such descriptions.
struct Field {
  /// What its value is in JSON: a number, a whole number, text, a list of names, ranges by column, true or
  /// false.
  enum class Type { real, count, text, list, ranges, flag };
  /// What a front with types of its own takes besides: a length of time, a date, the number of a column.
  enum class Takes { its_type, length_of_time, date, column };
  /// Where it can be given.
  enum Front : unsigned {
    runs = 1,      ///< jme run and jme.Stream
    batches = 2,   ///< DataFrames of Spark that are there as a whole
    served = 4,    ///< streams of a state folder: jme serve and sinks of Spark
    rows = 7,      ///< all of these
    searches = 8,  ///< jme bounds
    plans = 16,    ///< jme plan, which takes all of a run and opens nothing
  };

  std::string name{};   ///< with underscores: "norm_bound"
  std::string alias{};  ///< a second name
  Type type = Type::text;
  Takes takes = Takes::its_type;
  std::string fallback{};  ///< the default as text; empty where there is none, or where it depends on others
  std::string rule{};      ///< what is allowed; empty where the type or the words say it
  std::vector<std::string> words{};  ///< values that completions offer
  std::string group{};               ///< what it is about
  std::string value{};               ///< how help names its value: "Z"
  std::string help{};                ///< without a full stop
  std::string more{};      ///< further sentences, for the manual; settings in backticks: "See `time`."
  unsigned fronts = rows;  ///< of Front
  std::string since = "0.1.0";

  /// For messages: "must be ...".
  [[nodiscard]] std::string allowed() const;
  /// As the command spells it: "--norm-bound".
  [[nodiscard]] std::string flag() const;
};

/// Adds the fields of a group to a table.
template <class Described>
void add_group(std::vector<Described>& table, const char* group, std::vector<Described> fields) {
  for (Described& field : fields) {
    if (field.group.empty()) field.group = group;
    table.push_back(std::move(field));
  }
}

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
