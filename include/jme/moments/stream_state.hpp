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

/// SECRET: what the noise of windows keeps of one of its last steps.
struct KeptNoise {
  std::uint64_t step;  ///< a noise step, from 0
  std::vector<double> first{}, second{};
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
  /// SECRET: of the noise steps since the state before, at most the last `steps_kept`, oldest first: they
  /// never change, so that a state need not write them all again. To resume, all of the last `steps_kept`
  /// must be here, or none of them and no `secret`.
  std::vector<KeptNoise> kept{};
  std::uint64_t steps_kept = 0;
  /// Noisy sums and the newest release: functions of what was published.
  std::vector<std::byte> open{};
};

}  // namespace jme
