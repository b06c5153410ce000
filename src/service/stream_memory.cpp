#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/format.h>

#include <jme/mechanism/release_layout.hpp>
#include <jme/moments/wide_int.hpp>
#include <jme/service/stream_memory.hpp>

namespace jme {

namespace {

constexpr std::size_t number = sizeof(double), wide = sizeof(WideInt);
constexpr std::size_t more_than_any = std::size_t{1} << 60;
/// SQLite's own buffers, files and small objects; and what several releases take that share a commit, of at
/// most 2^13 numbers together, a thousand bytes for each.
constexpr std::size_t fixed_standing = std::size_t{1} << 20, fixed_working = std::size_t{10} << 20;
constexpr std::size_t longest_number = 25;  // "-1.2345678901234567e-308,"
constexpr std::size_t most_places = 16'384, bytes_of_place = 48;
/// A vector that grows one step at a time has room for twice what it holds, and while it moves for thrice.
constexpr std::size_t growth = 3;

/// Sums of products of sizes: they do not wrap around.
class Bytes {
 public:
  void add(std::initializer_list<std::size_t> factors) {
    double product = 1;
    for (const std::size_t factor : factors) product *= static_cast<double>(factor);
    sum_ += product;
  }
  [[nodiscard]] std::size_t sum() const {
    return sum_ < static_cast<double>(more_than_any) ? static_cast<std::size_t>(sum_) : more_than_any;
  }

 private:
  double sum_ = 0;
};

struct Sizes {
  explicit Sizes(const PreparedRun& run)
      : mechanism(run.mechanism()),
        layout(ReleaseLayout::of(mechanism)),
        dimension(layout.dimension),
        first(layout.first_size()),
        second(mechanism.has_second() ? layout.second_size() : 0),
        moments(mechanism.has_second() ? layout.moment_size() : 0),
        triangles(moments == 0                  ? 0
                  : layout.count_of_pairs() > 0 ? 2
                                                : 1),
        square(layout.second == SecondMoment::full ? dimension * dimension : dimension) {}
  const Mechanism& mechanism;
  ReleaseLayout layout;
  std::size_t dimension, first, second;
  std::size_t moments;    // numbers of a second moment
  std::size_t triangles;  // second moments that are summed: products, and pairs of cells
  std::size_t square;     // numbers in which one is summed
};

/// What a workload's matrix, applied forwards, remembers.
std::size_t vectors_of_workload(const Filter& filter) {
  if (filter.is_dense() || (filter.last_row() && !filter.last_mode_weight())) return filter.steps();
  const Toeplitz& core = filter.core();
  return std::min(core.taps.size(), filter.steps()) + core.modes.size() + 1;
}

/// What a shape, applied backwards, remembers; twice where sums have two words.
std::size_t vectors_of_noise(const Filter& shape, SumWords words) {
  return shape.inverse_state_vectors() * (words == SumWords::two ? 2 : 1);
}

/// Numbers of a matrix that stand for themselves. Each part of a stream that uses a filter has a copy.
std::size_t numbers_of(const Filter& filter) {
  if (filter.is_dense()) return filter.steps() * filter.steps();
  return filter.core().taps.size() + filter.core().inverse_taps.size();
}

/// Rows that wait in a panel or a batch until they are summed, and the sums, at two places: the open block,
/// and the engine that takes it.
void add_sums(const Sizes& of, Bytes& bytes) {
  constexpr std::size_t places = 2, rows_of_panel = 256, lanes = 8, few_columns = 48;
  const std::size_t rows_of_batch = of.dimension <= few_columns ? 8 * lanes : lanes;
  bytes.add({places, rows_of_batch + 4, of.first, number});
  bytes.add({places, of.triangles, rows_of_panel, of.dimension, number});
  bytes.add({places, of.triangles, of.square, number});
  bytes.add({places, of.triangles, of.moments, wide});  // what no double holds any more
  bytes.add({of.triangles, of.moments, wide});          // the open block itself
  if (of.dimension <= few_columns) bytes.add({places, of.triangles, of.moments, lanes, number});
}

void add_filters(const Sizes& of, Bytes& bytes) {
  const Mechanism& m = of.mechanism;
  constexpr std::size_t copies = 4;  // of the mechanism, of the stream that runs, of its norms, of their sums
  for (const Filter* filter : {&m.a1(), &m.a2(), &m.c1(), &m.c2()}) {
    bytes.add({copies, numbers_of(*filter), number});
  }
  const auto add = [&](const Filter& a, const Filter& c, std::size_t width) {
    bytes.add({vectors_of_workload(a), width, growth * number});
    bytes.add({vectors_of_noise(c, m.sum_words()), width, growth * number});
  };
  // Vectors are padded to whole lanes of 8.
  add(m.a1(), m.c1(), of.first + 8);
  if (of.second > 0) add(m.a2(), m.c2(), of.second + 8);
}

/// Numbers of a release as it is emitted, each beside its noise.
std::size_t emitted_numbers(const Sizes& of, const EmitOptions& emit) {
  const std::size_t d = of.dimension;
  const auto numbers = [&](const EmitItem& item) {
    switch (item.kind) {
      case Emit::first:
      case Emit::mean:
        return d;
      case Emit::pca:
        return item.count * (d + 2);
      case Emit::regression:
        return d + 1;
      case Emit::density:
        return d * d + d + 1;
      default:
        return of.square;
    }
  };
  std::size_t sum = 2 * d;  // intervals of means
  for (const EmitItem& item : emit.values) sum += numbers(item);
  if (of.layout.cell_counts) sum += d + of.square;
  return 2 * sum;
}

void add_line(const Sizes& of, const EmitOptions& emit, Bytes& bytes) {
  // A value's own text, the line and the noise that joins it, the line as it is kept, and the lines that are
  // written together; all of them grow.
  constexpr std::size_t copies = 4;
  bytes.add({emitted_numbers(of, emit), longest_number, copies});
  // Estimates and what they are computed from: values, noise, divisors, products, a decomposition.
  const std::size_t matrices = 6 + 4 * emit.values.size();
  if (of.layout.second == SecondMoment::full) bytes.add({matrices, of.square, number});
  bytes.add({matrices, of.first, number});
}

void add_commit(const Sizes& of, Bytes& bytes) {
  // The release: the newest, the one that is kept, waiting or packed, and its record, sealed.
  bytes.add({8, of.first + of.second, number});
  // The open block: a copy, its bytes while they grow, the bytes that are kept, and those that are sealed.
  bytes.add({7, of.triangles, of.moments, wide});
  // The state: what noise and workload remember, as numbers, as bytes that grow, and sealed.
  const Mechanism& m = of.mechanism;
  const auto add = [&](const Filter& a, const Filter& c, std::size_t width) {
    // Noise that remembers every step is made again instead.
    const bool is_kept = c.inverse_state_vectors() + 1 < c.steps();
    const std::size_t noise = is_kept ? vectors_of_noise(c, m.sum_words()) : 0;
    bytes.add({vectors_of_workload(a) + noise, width, 5 * number});
  };
  add(m.a1(), m.c1(), of.first);
  if (of.second > 0) add(m.a2(), m.c2(), of.second);
}

std::string in_words(std::size_t bytes) {
  if (bytes >= more_than_any) return "more than 2^60 bytes";
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::size_t sum_of(std::size_t a, std::size_t b) {
  return std::min(more_than_any, std::min(a, more_than_any) + std::min(b, more_than_any));
}

}  // namespace

StreamMemory memory_of_stream(const PreparedRun& run) {
  const Sizes sizes(run);
  Bytes standing, working;
  standing.add({fixed_standing});
  standing.add({std::min(sizes.mechanism.horizon().steps(), most_places), bytes_of_place});
  add_filters(sizes, standing);
  add_sums(sizes, standing);
  working.add({fixed_working});
  add_line(sizes, run.emit(), working);
  add_commit(sizes, working);
  return {.standing = standing.sum(), .working = working.sum()};
}

std::size_t MemoryInUse::total() const {
  Bytes working;
  working.add({largest_working_, limits_.writers});
  return sum_of(standing_, working.sum());
}

std::string MemoryInUse::refusal(const StreamMemory& stream) const {
  if (stream.all() > limits_.per_stream) {
    return fmt::format(
        "the stream would take {} of memory, and one stream may take {} here (memory-per-stream): fewer "
        "columns, the second moment's diagonal alone or a shape that remembers less take less",
        in_words(stream.all()), in_words(limits_.per_stream));
  }
  MemoryInUse with_it = *this;
  with_it.add(stream);
  if (with_it.total() <= limits_.total) return {};
  return fmt::format(
      "the stream would take {} of memory, the streams that are open take {} of the {} that all of them may "
      "take (memory)",
      in_words(stream.all()), in_words(total()), in_words(limits_.total));
}

void MemoryInUse::add(const StreamMemory& stream) {
  standing_ = sum_of(standing_, stream.standing);
  largest_working_ = std::max(largest_working_, stream.working);
}

}  // namespace jme
