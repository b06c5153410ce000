#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <jme/random/key.hpp>

namespace jme {

/// From this noise step on, draws were made under this nonce. Noise steps are releases; for PP, which adds
/// noise to every row, they are rows.
struct NoncePeriod {
  std::uint64_t first_step;
  Nonce nonce;
};

/// SECRET: what the noise of windows keeps of one of its last steps.
struct KeptNoise {
  std::uint64_t step;  ///< a noise step, from 0
  std::vector<double> first{}, second{};
};

/// A MomentStream at a block's end, ready for disk. Together with the mechanism and the key it is everything
/// that MomentStream::resume needs. The key is not part of it.
struct StreamState {
  std::uint64_t rows = 0;
  std::uint64_t steps = 0;  ///< releases
  bool finished = false;
  std::vector<NoncePeriod> nonces{};
  /// SECRET: the noise filters' buffers. Whoever has them and the releases can remove noise from the data, so
  /// encrypt them. Empty where there is nothing to keep. They may always be emptied: then resume makes all
  /// noise again from the nonces, which takes as long as it took the first time.
  std::vector<std::byte> secret{};
  /// SECRET: what was kept of the noise steps since the state before, of at most the last `steps_kept`,
  /// oldest first. It never changes, so a state need not write all of it again. To resume, all of the last
  /// `steps_kept` must be here, or none of them and no `secret`.
  std::vector<KeptNoise> kept{};
  std::uint64_t steps_kept = 0;
  /// Noisy sums and the newest release: functions of what was published.
  std::vector<std::byte> open{};
};

}  // namespace jme
