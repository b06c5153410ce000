#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace jme {

/// Settings of a run by the names of their fields (run_fields()), as text: what somebody wrote, before it is
/// made a RunConfig.
class RunSettings {
 public:
  /// `field` is one of run_fields(). A flag is "true" or "false".
  void set(std::string_view field, std::string text);
  /// The text of a field; none where it was not set.
  [[nodiscard]] const std::optional<std::string>& operator[](std::string_view field) const;
  /// A flag that is set and true.
  [[nodiscard]] bool is_on(std::string_view field) const;
  /// These settings, and those of `below` for the fields that these leave open.
  [[nodiscard]] RunSettings over(const RunSettings& below) const;

  /// Reads a JSON object: keys are fields, values are as JSON has them, {"epsilon": 1, "rows": 5000,
  /// "bounds": {"temp": [-20, 45]}, "emit": ["mean", "covariance"]}; text as a flag would have it is allowed
  /// everywhere. `origin` names the text in messages. Throws InvalidParameter; for an unknown key the message
  /// names the nearest known one.
  static RunSettings from_json(std::string_view text, const std::string& origin);
  /// All settings as a JSON object of several lines: those that are set, and the defaults of the others.
  /// Reading it back gives the same run.
  [[nodiscard]] std::string to_json() const;

 private:
  std::map<std::string, std::optional<std::string>, std::less<>> texts_;
};

}  // namespace jme
