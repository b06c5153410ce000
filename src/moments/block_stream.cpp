#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/filter/sum_words.hpp>
#include <jme/moments/block_stream.hpp>

#include "mechanism/noise_scales.hpp"
#include "moments/block_kernels.hpp"
#include "moments/fork_guard.hpp"
#include "moments/step_threads.hpp"
#include "moments/worker_pool.hpp"
#include "noise/shaped_noise.hpp"

namespace jme {
namespace {

constexpr std::size_t tile = FilterStream::tile;
constexpr std::size_t batch_piece = coordinates_per_piece;

/// How squares of the sum are formed in lattice units: second = factor * first^2.
double square_factor(const BatchMechanism& mechanism) {
  const Lattice& lattice = mechanism.lattice();
  const double m = mechanism.config().method == BatchMethod::jme_batch_mean ? mechanism.config().batch : 1;
  return lattice.first * lattice.first / (lattice.second * m * m);
}

const CoordinateSlice& checked(const CoordinateSlice& slice, std::size_t dimension) {
  const auto ends_a_piece = [&](std::size_t place) { return place % batch_piece == 0 || place == dimension; };
  if (slice.begin > dimension || slice.count > dimension - slice.begin || !ends_a_piece(slice.begin) ||
      !ends_a_piece(slice.begin + slice.count)) {
    throw InvalidParameter("slice", "must be one of those that CoordinateSlice::of gives");
  }
  return slice;
}

ShapedNoise noise_of(const Filter& shape, const GaussianSource& draws, Channel channel,
                     const NoiseScale& scale, const CoordinateSlice& slice) {
  // All coordinates of a batch have the same scale.
  return {shape, draws, channel, NoiseScale::uniform(slice.count, scale.base()), SumWords::one, slice.begin};
}

NoiseShare share_of_all(const BatchMechanism& mechanism, const Key& key, const Nonce& nonce) {
  return {.key = key, .nonce = nonce, .slice = {.begin = 0, .count = mechanism.config().dimension}};
}

}  // namespace

CoordinateSlice CoordinateSlice::of(std::size_t dimension, std::size_t part, std::size_t parts) {
  if (part >= parts) throw InvalidParameter("part", "must be below the number of parts");
  const std::size_t pieces = (dimension + batch_piece - 1) / batch_piece;
  const auto begin_of = [&](std::size_t p) {
    return std::min(dimension, (pieces / parts * p + std::min(p, pieces % parts)) * batch_piece);
  };
  return {.begin = begin_of(part), .count = begin_of(part + 1) - begin_of(part)};
}

struct BlockStream::Engine {
  Engine(const BatchMechanism& design, const GaussianSource& draws, const CoordinateSlice& part)
      : mechanism(design),
        slice(checked(part, mechanism.config().dimension)),
        noise_first(noise_of(mechanism.c1(), draws, Channel::first, noise_scale_first(mechanism), slice)),
        pool(threads_for_step(slice.count, mechanism.config().threads)) {
    if (mechanism.has_second()) {
      noise_second.emplace(
          noise_of(mechanism.c2(), draws, Channel::second, noise_scale_second(mechanism), slice));
    }
  }

  void check_whole() const {
    guard.check();
    if (broken) throw StateError("the stream failed inside a step and cannot go on");
  }

  /// The lattice of every coordinate of the squares, each times what its bound is of the largest one: then
  /// the same noise in lattice units suits all of them.
  template <class Of>
  void fill_lattice(std::size_t begin, std::size_t count, double* factors, const Of& of) const {
    std::fill_n(factors, FilterStream::padded(count), 1.0);
    mechanism.square_layers().for_each_part(slice.begin + begin, slice.begin + begin + count,
                                            [&](std::size_t from, std::size_t to, double ratio) {
                                              double* const factor = factors + (from - slice.begin - begin);
                                              std::fill_n(factor, to - from,
                                                          of(mechanism.lattice().second * ratio));
                                            });
  }

  void snap_second(std::size_t begin, const double* first, double* second, std::size_t count) const {
    const std::size_t whole = FilterStream::padded(count);
    if (!takes_squares(mechanism.config().method)) {
      snap_block_squares(square_factor(mechanism), first, second, whole);
    } else if (mechanism.square_layers().is_uniform()) {
      snap_block(1 / mechanism.lattice().second, second, whole);
    } else {
      alignas(64) std::array<double, tile> factors;
      fill_lattice(begin, count, factors.data(), [](double unit) { return 1 / unit; });
      snap_block(factors.data(), second, whole);
    }
  }

  void scale_second(std::size_t begin, double* second, std::size_t count) const {
    const std::size_t whole = FilterStream::padded(count);
    if (mechanism.square_layers().is_uniform()) return scale_block(mechanism.lattice().second, second, whole);
    alignas(64) std::array<double, tile> factors;
    fill_lattice(begin, count, factors.data(), [](double unit) { return unit; });
    scale_block(factors.data(), second, whole);
  }

  void run_tile(std::size_t begin, const std::function<void(const BlockTile&)>& load,
                const std::function<void(const BlockTile&)>& take, std::span<const float* const> touched) {
    alignas(64) std::array<double, tile> first, second;
    const Lattice& lattice = mechanism.lattice();
    const std::size_t count = std::min(tile, slice.count - begin);
    const std::size_t whole = FilterStream::padded(count);
    const bool squares = noise_second.has_value();
    const BlockTile data{
        .begin = begin, .first = {first.data(), count}, .second = {second.data(), squares ? count : 0}};
    std::fill_n(first.data() + count, whole - count, 0.0);
    std::fill_n(second.data() + count, whole - count, 0.0);
    // While draws are made, the next tile is fetched: one half of it during each channel's draws.
    Upcoming beside_first, beside_second;
    for (std::size_t v = 0; v < touched.size(); ++v)
      (squares && v % 2 == 1 ? beside_second : beside_first).add(touched[v] + begin + tile);
    load(data);
    snap_block(1 / lattice.first, first.data(), whole);
    if (squares) {
      snap_second(begin, first.data(), second.data(), count);
      noise_second->add_tile(begin, {second.data(), whole}, beside_second);
      scale_second(begin, second.data(), count);
    }
    noise_first.add_tile(begin, {first.data(), whole}, beside_first);
    scale_block(lattice.first, first.data(), whole);
    take(data);
  }

  void step(const std::function<void(const BlockTile&)>& load,
            const std::function<void(const BlockTile&)>& take, std::span<const float* const> touched) {
    check_whole();
    const std::size_t width = slice.count;
    noise_first.begin_step();
    broken = true;
    if (noise_second) noise_second->begin_step();
    pool.run((width + batch_piece - 1) / batch_piece, [&](std::size_t number) {
      const std::size_t end = std::min(width, (number + 1) * batch_piece);
      for (std::size_t begin = number * batch_piece; begin < end; begin += tile)
        run_tile(begin, load, take, touched);
    });
    noise_first.end_step();
    if (noise_second) noise_second->end_step();
    broken = false;
  }

  ForkGuard guard;
  BatchMechanism mechanism;
  CoordinateSlice slice;
  ShapedNoise noise_first;
  std::optional<ShapedNoise> noise_second;
  WorkerPool pool;
  bool broken = false;
};

BlockStream::BlockStream(const BatchMechanism& mechanism, const NoiseShare& share)
    : engine_(std::make_unique<Engine>(mechanism, GaussianSource(share.key, share.nonce), share.slice)) {}
BlockStream::BlockStream(const BatchMechanism& mechanism)
    : BlockStream(mechanism, share_of_all(mechanism, Key::from_system(), nonce_from_system())) {}
BlockStream::BlockStream(const BatchMechanism& mechanism, InsecureTestSeed seed)
    : BlockStream(mechanism, share_of_all(mechanism, seed.key(), Nonce{})) {}
BlockStream::BlockStream(BlockStream&&) noexcept = default;
BlockStream& BlockStream::operator=(BlockStream&&) noexcept = default;
BlockStream::~BlockStream() = default;

void BlockStream::step(const std::function<void(const BlockTile&)>& load,
                       const std::function<void(const BlockTile&)>& take,
                       std::span<const float* const> touched) {
  engine_->step(load, take, touched);
}

void BlockStream::share_out(const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t width = engine_->slice.count;
  engine_->pool.run((width + batch_piece - 1) / batch_piece, [&](std::size_t number) {
    work(number * batch_piece, std::min(batch_piece, width - number * batch_piece));
  });
}

std::size_t BlockStream::steps_done() const {
  return engine_->noise_first.steps_done();
}
const BatchMechanism& BlockStream::mechanism() const {
  return engine_->mechanism;
}
CoordinateSlice BlockStream::slice() const {
  return engine_->slice;
}

BlockStreamState BlockStream::state() const {
  engine_->check_whole();
  const auto memory = [&](const ShapedNoise& noise, const Filter& shape) {
    if (!noise.memory_is_bounded() || !shape.lag_taps().empty()) {
      throw StateError("the shape remembers every step: such a run cannot be saved");
    }
    return noise.memory();
  };
  BlockStreamState state{.steps = steps_done(),
                         .first = memory(engine_->noise_first, engine_->mechanism.c1())};
  if (engine_->noise_second) state.second = memory(*engine_->noise_second, engine_->mechanism.c2());
  return state;
}

void BlockStream::restore(const BlockStreamState& state) {
  engine_->check_whole();
  if (steps_done() != 0) throw StateError("state: only a stream that has done nothing can go on from one");
  engine_->broken = true;
  engine_->noise_first.restore(state.steps, state.first);
  if (engine_->noise_second) {
    engine_->noise_second->restore(state.steps, state.second);
  } else if (!state.second.empty()) {
    throw StateError("state: it has a second channel, and this stream has none");
  }
  engine_->broken = false;
}

}  // namespace jme
