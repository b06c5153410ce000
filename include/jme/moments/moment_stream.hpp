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
  /// For durable streams. A (key, nonce) pair must only ever serve one stream: where two streams use the same
  /// pair, their noise cancels in the difference.
  MomentStream(const Mechanism& mechanism, const Key& key, const Nonce& nonce);
  /// Goes on where `state` was taken, with every number as if the stream had never stopped. Steps from there
  /// on draw under `fresh`, which must be new (docs/theory/safety.md#one-nonce-per-step). Throws StateError
  /// for a state that is corrupt or belongs to another mechanism. The caller must know that it is the newest
  /// state.
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
  /// none. The numbers are the same as row by row, but it is faster. Returns how many releases wait for
  /// take_releases.
  std::size_t push_rows(const MatrixView& rows);
  /// Takes a whole block whose rows were summed elsewhere, by one BlockSum or several that were merged. The
  /// numbers are those that the rows themselves would give. A block that is not full ends the stream. Throws
  /// InvalidParameter where the sums were made with other bounds, or a block is open, or rows cannot be
  /// summed beforehand (pp; weights inside a block). Returns what push_rows returns.
  std::size_t push_block(const BlockSum& block);
  /// The releases of push_rows and push_block since the last call; they are kept until they are fetched.
  [[nodiscard]] Releases take_releases();
  /// Ends the stream: releases a partial last block if there is one (then the release is_new). No row may
  /// follow.
  const Release& finish();

  [[nodiscard]] const Release& release() const;
  [[nodiscard]] const Mechanism& mechanism() const;
  [[nodiscard]] std::size_t rows() const;
  /// No row may follow: the stream was finished, or the horizon is used up.
  [[nodiscard]] bool is_finished() const;
  /// What resume needs. Throws StateError inside a block, because the sum of part of a block is raw data and
  /// never leaves the stream. `since`: the number of first noise steps whose kept vectors the caller has
  /// already (StreamState::kept).
  [[nodiscard]] StreamState state(std::uint64_t since = 0) const;
  /// Noise steps so far: releases, or rows where every row gets noise.
  [[nodiscard]] std::uint64_t noise_steps() const;

 private:
  struct Engine;
  explicit MomentStream(std::unique_ptr<Engine> engine);
  [[nodiscard]] Engine& engine() const;
  std::unique_ptr<Engine> engine_;
};

}  // namespace jme
