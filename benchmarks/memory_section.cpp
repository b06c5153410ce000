#include <sys/resource.h>

#include "rows.hpp"
#include "sections.hpp"

namespace jme::bench {
namespace {

/// Peak memory of this process after `pushed` rows, beside what it is allowed: the state vectors of the
/// second moment's noise and three more (draws, block, release), and 64 MB for everything else. Must be run
/// in a separate process.
Json memory(const StreamSize& size, std::size_t pushed) {
  MomentStream stream(prefix_mechanism(size));
  RowPool pool(size.dimension, 16);
  push(stream, pool, pushed);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const std::size_t width = second_moment_size(SecondMoment::full, size.dimension);
  const std::size_t vectors = stream.mechanism().c2().inverse_state_vectors();
  return {{"peak_bytes", 1024 * usage.ru_maxrss},
          {"allowed_bytes", (vectors + 3) * width * 8 + 64'000'000},
          {"state_vectors", vectors},
          {"coordinates", width}};
}

}  // namespace

Json wide_memory_section(const Options& options) {
  return memory({.dimension = 1000, .rows = 100'000}, options.quick ? 10 : 50);
}

Json long_memory_section(const Options& /*options*/) {
  return memory({.dimension = 10, .rows = 1'000'000}, 1'000'000);
}

}  // namespace jme::bench
