#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <jme/random/key.hpp>

namespace jme {

/// From this noise step on, this nonce drew. Noise steps are releases; PP, which noises every row, counts
/// rows.
struct NoncePeriod {
  std::uint64_t first_step;
  Nonce nonce;
};

/// A MomentStream at a block's end, ready for disk. With the mechanism and the key it is everything that
/// MomentStream::resume needs. The key is no part of it.
struct StreamState {
  std::uint64_t rows = 0;
  std::uint64_t steps = 0;  ///< releases
  bool finished = false;
  std::vector<NoncePeriod> nonces{};
  /// SECRET: the noise filters' buffers. Whoever has them and the releases can take noise off the data:
  /// encrypt them. Empty where there is nothing to keep, and may be emptied always: then resume makes all
  /// noise again from the nonces, which takes as long as it took.
  std::vector<std::byte> secret{};
  /// Noisy sums and the newest release: functions of what was published.
  std::vector<std::byte> open{};
};

}  // namespace jme
