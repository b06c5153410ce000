#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <jme/mechanism/batch_mechanism.hpp>
#include <jme/random/key.hpp>

namespace jme {

/// A contiguous part of both channels' vectors, from coordinate `begin` of the stream's slice. `second` is
/// empty where there is no second channel.
struct BlockTile {
  std::size_t begin;
  std::span<double> first, second;
};

/// A part of the coordinates of a training that several processes share.
struct CoordinateSlice {
  std::size_t begin, count;
  /// Part `part` (from 0) of `parts` that have all coordinates together, each once; those of few coordinates
  /// may be empty. They begin where a step's work is divided among threads, so that the same sums are formed.
  static CoordinateSlice of(std::size_t dimension, std::size_t part, std::size_t parts);
};

/// What a process draws with that has one slice. All processes of a training have the same key and nonce, and
/// no two the same coordinate, so that every draw is used once. SECRET as a whole.
struct NoiseShare {
  Key key;
  Nonce nonce;
  CoordinateSlice slice;
};

/// Where a BlockStream's noise stands. SECRET: with the releases it reveals the data.
struct BlockStreamState {
  std::size_t steps = 0;
  std::vector<double> first{}, second{};
};

/// The engine's step for blocks that come as ready sums, such as training batches: both channels are snapped
/// to the lattice and meet noise that was made without them (docs/theory/safety.md#rounded-noise). There is
/// no workload: each step gives its own noisy sums, and the caller may average them in any way.
class BlockStream {
 public:
  /// Noise keyed from the system.
  explicit BlockStream(const BatchMechanism& mechanism);
  /// Reproducible and NOT private: for tests and experiments.
  BlockStream(const BatchMechanism& mechanism, InsecureTestSeed seed);
  /// One process's slice of a stream: tiles, vectors and states are those of its coordinates alone, and have
  /// the numbers that they have in a stream of all. Throws InvalidParameter for a slice that
  /// CoordinateSlice::of does not give.
  BlockStream(const BatchMechanism& mechanism, const NoiseShare& share);
  BlockStream(BlockStream&&) noexcept;
  BlockStream& operator=(BlockStream&&) noexcept;
  ~BlockStream();

  /// Makes one step, tile by tile, each tile once, on several threads at a time: `load` writes the block's
  /// sums, and `take` gets them back with noise. Both are in natural units. Where squares are formed from the
  /// sum (jme-batch-mean, jme-paper), `load` leaves `second` alone. The sums must be finite and no longer
  /// than 2^30 norm bounds: check first, because a step that fails half-way ends the stream. Throws
  /// BudgetExhausted past the horizon, before anything is drawn. `touched`: vectors of the stream's width
  /// that `load` and `take` go through; they are fetched while draws are made.
  void step(const std::function<void(const BlockTile&)>& load,
            const std::function<void(const BlockTile&)>& take, std::span<const float* const> touched = {});

  /// Calls work(begin, count) over the whole width on the stream's threads, for what callers do with vectors
  /// of this width.
  void share_out(const std::function<void(std::size_t, std::size_t)>& work);

  [[nodiscard]] std::size_t steps_done() const;
  [[nodiscard]] const BatchMechanism& mechanism() const;
  [[nodiscard]] CoordinateSlice slice() const;  ///< all coordinates, unless it is one of several

  /// What `restore` needs. Throws StateError for a shape whose memory grows with every step.
  [[nodiscard]] BlockStreamState state() const;
  /// Goes on after `state` with noise from a new key, so that no draw is ever made twice. Only on a
  /// stream that has done nothing. Throws StateError.
  void restore(const BlockStreamState& state);

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace jme
