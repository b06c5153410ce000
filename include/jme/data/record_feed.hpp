#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jme {

/// Records that come one by one from elsewhere than a file, such as the messages of a log. Each of them is
/// one row, whatever bytes it holds.
class RecordFeed {
 public:
  virtual ~RecordFeed() = default;
  /// The next record; false at the end. May wait, and may throw to end the reading.
  virtual bool next() = 0;
  /// The bytes of the record, valid until the next one. None where it has no value: a bad row.
  [[nodiscard]] virtual std::optional<std::string_view> text() const = 0;
  /// Where the record stands, for messages; nothing of what is in it.
  [[nodiscard]] virtual std::string place() const = 0;
};

}  // namespace jme
