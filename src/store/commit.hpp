#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <jme/moments/stream_state.hpp>
#include <jme/store/commit.hpp>

#include "store/hmac.hpp"

namespace jme::store {

/// One release as it is stored.
struct StoredRelease {
  std::uint64_t step = 0;         ///< from 1
  std::uint64_t rows = 0;         ///< included in the release
  std::vector<double> numbers{};  ///< Release::packed
  Tag digest{};                   ///< of the block's rows or sums (block_digest.hpp)
  std::optional<Tag> id{};        ///< of a block that is known by its id
};

/// Everything that one transaction writes (docs/development/recovery.md).
struct Commit {
  std::vector<StoredRelease> releases{};
  StreamState state{};  ///< after them
  SealedParts sealed{};
};

}  // namespace jme::store
