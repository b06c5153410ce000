#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace jme::kafka {

/// How far a topic was read: for every partition the offset at which the reading began, and the offset of the
/// record that comes next. Offsets need not be dense: aborted records and transaction markers have some, too.
///
/// They count records: a durable stream keeps them sealed.
struct TopicPlace {
  struct Partition {
    std::int64_t begin = 0, next = 0;
    bool operator==(const Partition&) const = default;
  };
  std::string cluster, topic;
  std::vector<Partition> partitions{};  ///< by number

  [[nodiscard]] std::vector<std::byte> bytes() const;
  /// Throws StateError for bytes that bytes() did not make.
  [[nodiscard]] static TopicPlace from_bytes(std::span<const std::byte> bytes);
  /// Throws StateError where this is the place in another topic or cluster, or where partitions are gone.
  void check_is_of(const TopicPlace& now) const;
  bool operator==(const TopicPlace&) const = default;
};

}  // namespace jme::kafka
