#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <jme/mechanism/batch_mechanism.hpp>
#include <jme/random/key.hpp>

namespace jme {

/// A contiguous part of both channels' vectors. `second` is empty where there is no second channel.
struct BlockTile {
  std::size_t begin;
  std::span<double> first, second;
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

  /// What `restore` needs. Throws StateError for a shape whose memory grows with every step.
  [[nodiscard]] BlockStreamState state() const;
  /// Goes on after `state` with noise from a new key, so that no draw is ever made twice. Only on a
  /// stream that has done nothing. Throws StateError.
  void restore(const BlockStreamState& state);

 private:
  struct Engine;
  BlockStream(const BatchMechanism& mechanism, const Key& key, const Nonce& nonce);
  std::unique_ptr<Engine> engine_;
};

}  // namespace jme
