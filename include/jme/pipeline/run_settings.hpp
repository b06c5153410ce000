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
  /// everywhere. `origin` names the text in messages. Throws InvalidParameter, for an unknown key with the
  /// nearest known one.
  static RunSettings from_json(std::string_view text, const std::string& origin);
  /// The whole of it as a JSON object of several lines: what is set, and the defaults of what is not. Read
  /// back it means the same.
  [[nodiscard]] std::string to_json() const;

 private:
  std::map<std::string, std::optional<std::string>, std::less<>> texts_;
};

}  // namespace jme
