#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jme {

/// A place where a source can begin again, and how many rows after it were taken. Without bytes it cannot:
/// its rows come again from the first one, and are compared.
///
/// DATA: it counts what others wrote. A durable stream seals it.
struct SourcePlace {
  std::vector<std::byte> bytes{};
  std::uint64_t taken = 0;
  bool operator==(const SourcePlace&) const = default;
};

}  // namespace jme
