#pragma once

#include <cstddef>
#include <string>

#include "message.hpp"

namespace jme::serve {

/// The releases of a stream as server-sent events, a piece at a time: a reader who is slow, or who reads long
/// releases, keeps no more in memory than what is being sent.
class EventText {
 public:
  explicit EventText(const Events& events) : stream_(*events.stream), next_(events.next) {}

  /// What follows; empty where every release was given.
  [[nodiscard]] std::string next();

 private:
  [[nodiscard]] std::string part_of_a_long_line();

  const ServedStream& stream_;
  std::size_t next_;      // index of a release
  std::size_t done_ = 0;  // bytes of it that were given
};

}  // namespace jme::serve
