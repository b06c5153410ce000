#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <jme/moments/block_sum.hpp>
#include <jme/moments/moment_stream.hpp>

#include "filter/stream.hpp"
#include "moments/fork_guard.hpp"
#include "moments/noise_levels.hpp"
#include "moments/row_batch.hpp"
#include "moments/second_sum.hpp"
#include "moments/worker_pool.hpp"
#include "noise/shaped_noise.hpp"

namespace jme {

/// Both channels of a MomentStream in step with each other.
struct MomentStream::Engine {
  /// Noise steps from a period's first on are drawn under its nonce.
  Engine(const Mechanism& design, const Key& key, std::vector<NoncePeriod> nonces);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const StreamConfig& config() const { return mechanism.config(); }
  [[nodiscard]] const Horizon& horizon() const { return mechanism.horizon(); }

  void push(std::span<const double> values);
  void push_rows(const MatrixView& view);
  void push_block(const BlockSum& block);
  void finish();
  [[nodiscard]] StreamState state(std::uint64_t since) const;
  /// On an engine that has done nothing yet. Throws StateError.
  void restore(const StreamState& state);

  void check_whole() const;
  void check_takes_rows() const;
  void check_open(std::size_t more_rows) const;
  void check(std::span<const double> values) const;
  void add_row(std::span<const double> values);
  void close_block();
  void close_first();
  void close_second();
  void collect_pairs();
  void close_bias();
  void correct_diagonal();
  void describe_release(std::size_t step);
  void begin_accumulation(FilterStream& accumulate, const Workload& workload) const;

  ForkGuard guard;
  Mechanism mechanism;
  RowMap map;
  std::vector<NoncePeriod> nonces;
  NoiseLevels levels;
  bool noises_rows;
  ShapedNoise noise_first;
  std::optional<ShapedNoise> noise_second;
  WorkerPool pool;
  std::vector<double> row, first;
  std::optional<SecondSum> second_sum, pair_sum;
  std::vector<double> beyond_moments;  // of the block that is closing: counts of pairs, i < j; the trace
  FilterStream accumulate_first;
  std::optional<FilterStream> accumulate_second;
  std::optional<SquaredNoiseBias> bias;  // PP
  double beta_first, beta_second;
  std::size_t rows = 0, rows_in_block = 0;
  bool finished = false, broken = false;
  Release newest;
  std::optional<RowBatch> batch;  // where rows have no weights and get no noise one by one
  Releases kept;                  // of push_rows and push_block, until they are fetched
};

}  // namespace jme
