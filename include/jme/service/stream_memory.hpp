#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include <jme/pipeline/prepared_run.hpp>

namespace jme {

/// Bytes of memory that a served stream takes: an upper bound for requests that end one block at a time. A
/// request that ends several keeps their releases, of 256 MiB at most, until all of them are written.
struct StreamMemory {
  std::size_t standing =
      0;  ///< as long as the stream is open: noise, workload, open block, places of releases
  std::size_t working = 0;  ///< besides, while a release is made, written as a line and committed

  [[nodiscard]] std::size_t all() const { return standing + working; }
};

/// From the configuration alone, before anything is opened: dimension, second moment, counts, what the shapes
/// and workloads remember, the open block, and the lines of a release. Each release after the first 16,384
/// takes 48 bytes that are not counted. Numbers beyond 2^60 stand for more than any machine has.
///     const StreamMemory memory = memory_of_stream(*prepared_run(settings));
///     if (memory.all() > limit) ...
[[nodiscard]] StreamMemory memory_of_stream(const PreparedRun& run);

/// How much memory streams may take.
struct MemoryLimits {
  std::size_t per_stream = std::numeric_limits<std::size_t>::max();
  std::size_t total = std::numeric_limits<std::size_t>::max();
  std::size_t writers = 2;  ///< streams that make releases at the same time
};

/// The memory of all streams of a service together: what each takes as long as it is open, and what as many
/// of the largest as there are writers take besides while they make releases.
class MemoryInUse {
 public:
  explicit MemoryInUse(const MemoryLimits& limits) : limits_(limits) {}

  /// Why a stream of this size must not be opened besides the others, with the numbers; empty where it may.
  [[nodiscard]] std::string refusal(const StreamMemory& stream) const;
  void add(const StreamMemory& stream);
  /// Bytes.
  [[nodiscard]] std::size_t total() const;

 private:
  MemoryLimits limits_;
  std::size_t standing_ = 0, largest_working_ = 0;
};

}  // namespace jme
