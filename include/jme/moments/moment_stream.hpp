#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <jme/base/matrix_view.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/moments/release.hpp>
#include <jme/moments/releases.hpp>
#include <jme/moments/stream_state.hpp>
#include <jme/random/key.hpp>

namespace jme {

/// The private running moments of a stream of rows.
///
/// A row is clipped to the norm bound, snapped to the lattice and summed into its block; at the block's end
/// both moments meet noise that was made without them, and the workload turns the noisy blocks into a
/// release.
class MomentStream {
 public:
  /// Noise keyed from the system.
  explicit MomentStream(const StreamConfig& config);
  explicit MomentStream(const Mechanism& mechanism);
  /// Reproducible and NOT private: for tests and experiments.
  MomentStream(const Mechanism& mechanism, InsecureTestSeed seed);
  /// For durable streams. One (key, nonce) pair serves one stream, ever: used twice, the two cancel each
  /// other's noise.
  MomentStream(const Mechanism& mechanism, const Key& key, const Nonce& nonce);
  /// Goes on where `state` was taken, in every number as if never stopped; steps from there on draw under
  /// `fresh`, which must be new (docs/theory/safety.md#one-nonce-per-step). Throws StateError for a state
  /// that is corrupt or of another mechanism. Whether it is the newest state, the caller must know.
  static MomentStream resume(const Mechanism& mechanism, const Key& key, const Nonce& fresh,
                             const StreamState& state);
  MomentStream(MomentStream&&) noexcept;
  MomentStream& operator=(MomentStream&&) noexcept;
  ~MomentStream();

  /// Takes the next row. Returns the newest release: a new one where this row closed a block (see
  /// Release::is_new). Throws BudgetExhausted past the horizon, before any noise is drawn; DataError for a
  /// NaN, infinity or wrong width.
  const Release& push(std::span<const double> row);
  /// Takes many rows: all of them or, where one is not finite, has the wrong width or lies past the horizon,
  /// none. The same numbers as row by row, faster. Returns how many releases wait for take_releases.
  std::size_t push_rows(const MatrixView& rows);
  /// A whole block whose rows were summed elsewhere, by one or several BlockSums that were merged: the same
  /// numbers as its rows would give. A block that is not full ends the stream. Throws InvalidParameter where
  /// the sums are of other bounds, or a block is open, or rows cannot be summed beforehand (pp; weights
  /// inside a block). Returns as push_rows.
  std::size_t push_block(const BlockSum& block);
  /// The releases of push_rows and push_block since the last call: they stay until they are fetched.
  [[nodiscard]] Releases take_releases();
  /// Ends the stream: releases a partial last block, if any (then is_new). No row may follow.
  const Release& finish();

  [[nodiscard]] const Release& release() const;
  [[nodiscard]] const Mechanism& mechanism() const;
  [[nodiscard]] std::size_t rows() const;
  /// No row may follow: finished, or the horizon is used up.
  [[nodiscard]] bool is_finished() const;
  /// What resume needs. Throws StateError inside a block: half a block's sum is raw data and never leaves.
  /// `since`: noise steps whose kept vectors the caller has already (StreamState::kept).
  [[nodiscard]] StreamState state(std::uint64_t since = 0) const;
  /// Noise steps so far: releases, or rows where every row is noised.
  [[nodiscard]] std::uint64_t noise_steps() const;

 private:
  struct Engine;
  explicit MomentStream(std::unique_ptr<Engine> engine);
  [[nodiscard]] Engine& engine() const;
  std::unique_ptr<Engine> engine_;
};

}  // namespace jme
