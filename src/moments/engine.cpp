#include "moments/engine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "filter/norms.hpp"
#include "mechanism/noise_scales.hpp"
#include "moments/check_rows.hpp"
#include "moments/lattice_row.hpp"
#include "moments/step_threads.hpp"

namespace jme {
namespace {

// The accumulator sees full blocks only; a partial last one is closed by FilterStream::last_step.
FilterStream accumulator(const Workload& workload, const Horizon& horizon, std::size_t width) {
  return {workload.filter(Horizon(horizon.steps() * horizon.every(), horizon.every())), Direction::forward,
          width};
}

double weight_of_row_before(const Workload& workload, const Horizon& horizon) {
  return workload.weighs_rows(horizon) ? workload.weight_in_block(1) : 1.0;
}

DrawPeriods draw_periods(const Key& key, const std::vector<NoncePeriod>& nonces) {
  std::vector<DrawPeriod> periods;
  periods.reserve(nonces.size());
  for (const NoncePeriod& period : nonces) {
    periods.push_back({.first_step = period.first_step, .source = GaussianSource(key, period.nonce)});
  }
  return DrawPeriods(std::move(periods));
}

/// Coordinates of the wider channel.
std::size_t widest(const ReleaseLayout& layout) {
  return std::max(layout.first_size(), layout.second_size());
}

/// What a step passes through, tile by tile, each tile in the nearest cache from end to end: data, noise
/// (where there is any), workload, unit.
struct StepPath {
  ShapedNoise* noise;
  FilterStream* accumulate;
  double unit;
  std::span<double> out;
};

/// data(begin, count, to) writes entries of the block's sum; it may write up to 7 numbers more.
template <class Data>
void run_step(WorkerPool& pool, const StepPath& path, const Data& data) {
  const auto run_tile = [&](std::size_t begin) {
    alignas(64) std::array<double, FilterStream::tile + FilterStream::lane> buffer;
    const std::size_t count = std::min(FilterStream::tile, path.out.size() - begin);
    const std::span<double> values(buffer.data(), FilterStream::padded(count));
    data(begin, count, buffer.data());
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), 0.0);
    if (path.noise != nullptr) {
      Upcoming upcoming;
      path.accumulate->announce_tile(begin, upcoming);
      upcoming.add(path.out.data() + begin);
      path.noise->add_tile(begin, values, upcoming);
    }
    path.accumulate->step_tile(begin, values, path.unit, path.out.data() + begin);
  };
  if (path.noise != nullptr) path.noise->begin_step();
  constexpr std::size_t piece = coordinates_per_piece;
  pool.run((path.out.size() + piece - 1) / piece, [&](std::size_t number) {
    const std::size_t end = std::min(path.out.size(), (number + 1) * piece);
    for (std::size_t begin = number * piece; begin < end; begin += FilterStream::tile) run_tile(begin);
  });
  if (path.noise != nullptr) path.noise->end_step();
  path.accumulate->end_step();
}

void snap(std::span<double> values) {
  for (double& v : values) v = std::floor(v + 0.5);
}

}  // namespace

MomentStream::Engine::Engine(const Mechanism& design, const Key& key, std::vector<NoncePeriod> periods)
    : mechanism(design),
      map(RowMap::of(mechanism)),
      nonces(std::move(periods)),
      levels(mechanism),
      noises_rows(squares_noisy_rows(config().method)),
      noise_first(mechanism.c1(), draw_periods(key, nonces), Channel::first,
                  noise_scale_first(mechanism, mechanism.calibration()), mechanism.sum_words()),
      pool(threads_for_step(widest(map.layout), config().threads)),
      row(map.layout.first_size()),
      first(map.layout.first_size(), 0.0),
      accumulate_first(accumulator(mechanism.workload_first(), horizon(), map.layout.first_size())),
      beta_first(weight_of_row_before(mechanism.workload_first(), horizon())),
      beta_second(weight_of_row_before(mechanism.workload_second(), horizon())),
      newest(map.layout),
      kept(map.layout) {
  newest.shares_noise_ = noises_rows;
  if (!noises_rows && beta_first == 1 && beta_second == 1) {
    batch.emplace(map);
  }
  if (!mechanism.has_second()) return;
  accumulate_second.emplace(accumulator(mechanism.workload_second(), horizon(), map.layout.second_size()));
  second_sum.emplace(config().dimension, config().second, horizon().every(), beta_second,
                     noises_rows ? SecondSum::Rows::real : SecondSum::Rows::lattice, &pool,
                     mechanism.lattice().product_bits);
  if (map.layout.count_of_pairs() > 0) {
    pair_sum.emplace(config().dimension, SecondMoment::full, horizon().every(), beta_second,
                     SecondSum::Rows::lattice, &pool, mechanism.lattice().product_bits);
  }
  beyond_moments.resize(map.layout.second_size() - map.layout.moment_size());
  if (noises_rows) {
    bias.emplace(mechanism, accumulator(mechanism.workload_second(), horizon(), 1), beta_second);
  } else {
    noise_second.emplace(mechanism.c2(), draw_periods(key, nonces), Channel::second,
                         noise_scale_second(mechanism, mechanism.calibration()), mechanism.sum_words());
  }
}

// A step that failed half-way (memory ran out) leaves the channels out of step with each other: the
// sensitivity was computed for channels in step, so such a stream releases nothing more.
void MomentStream::Engine::check_whole() const {
  guard.check();
  if (broken) throw StateError("the stream failed inside a step and cannot go on");
}

// Rows of a slot are summed before they come here: a slot ends by the clock and not with a row.
void MomentStream::Engine::check_takes_rows() const {
  if (!horizon().has_slots()) return;
  throw InvalidParameter("row", "steps are slots of time here: their rows come as sums of a slot");
}

void MomentStream::Engine::check_open(std::size_t more_rows) const {
  check_whole();
  if (finished) throw BudgetExhausted("the stream was finished: no row may follow");
  if (more_rows <= horizon().rows() - rows) return;
  const std::size_t beyond = horizon().rows() + 1;
  if (horizon().has_slots() && !horizon().is_unbounded()) {
    throw BudgetExhausted(fmt::format("the horizon of {} slots is used up", horizon().steps()));
  }
  if (horizon().is_unbounded()) {
    throw BudgetExhausted(
        fmt::format("row {}: a stream without a horizon ends after 2^26 steps of noise; begin another, which "
                    "spends its own budget",
                    beyond));
  }
  throw BudgetExhausted(fmt::format("row {}: the horizon of {} rows is used up", beyond, horizon().rows()));
}

void MomentStream::Engine::check(std::span<const double> values) const {
  check_takes_rows();
  check_open(1);
  if (values.size() != config().dimension) {
    throw DataError(fmt::format("row {}: has {} values, the dimension is {}", rows + 1, values.size(),
                                config().dimension),
                    rows + 1);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) && !(map.allows_absent() && std::isnan(values[i]))) {
      throw DataError(fmt::format("row {}, column {}: not a finite number", rows + 1, i + 1), rows + 1,
                      i + 1);
    }
  }
}

void MomentStream::Engine::push(std::span<const double> values) {
  check(values);
  broken = true;
  add_row(values);
  broken = false;
}

void MomentStream::Engine::push_rows(const MatrixView& view) {
  check_takes_rows();
  check_open(view.rows);
  check_rows(view, config().dimension, map.allows_absent(), rows);
  broken = true;
  std::vector<double> values(view.columns);
  for (std::size_t done = 0; done < view.rows;) {
    const std::size_t left_in_block = std::min(horizon().every() - rows_in_block, horizon().rows() - rows);
    if (!batch || left_in_block == 1) {
      for (std::size_t j = 0; j < view.columns; ++j) values[j] = view.at(done, j);
      add_row(values);
      ++done;
    } else {
      const std::size_t end = done + std::min(left_in_block, view.rows - done);
      rows += end - done;
      rows_in_block += end - done;
      while (done < end) {
        const std::size_t count = std::min(batch->capacity(), end - done);
        batch->take(view.part(done, count));
        if (second_sum) second_sum->add(batch->units(), count);
        if (pair_sum) pair_sum->add(batch->present(), count);
        done += count;
      }
      batch->add_sum_to(first);
      newest.is_new_ = false;
      if (rows_in_block == horizon().every() || rows == horizon().rows()) close_block();
    }
    if (newest.is_new_) kept.append(newest);
  }
  broken = false;
}

void MomentStream::Engine::push_block(const BlockSum& block) {
  const bool is_slot = horizon().has_slots();
  const std::size_t taken = is_slot ? 1 : block.rows();  // a slot counts as one, whatever it holds
  check_open(taken);
  if (!batch) {
    throw InvalidParameter(
        "block", "rows that get noise one by one, or have weights inside a block, must come as rows");
  }
  if (rows_in_block != 0) throw InvalidParameter("block", "a block of rows is open: it must be closed first");
  block.check_fits(mechanism);
  const std::size_t wanted = std::min(horizon().every(), horizon().rows() - rows);
  if (!is_slot && (taken == 0 || taken > wanted)) {
    throw InvalidParameter(
        "block", fmt::format("it has {} rows, the next block of this stream has {}", block.rows(), wanted));
  }
  broken = true;
  std::transform(block.first().begin(), block.first().end(), first.begin(),
                 [](std::int64_t sum) { return static_cast<double>(BlockSum::saturated(sum)); });
  if (second_sum) second_sum->assign(block.products());
  if (pair_sum) pair_sum->assign(block.pairs());
  rows += taken;
  rows_in_block = taken;
  finished = taken < wanted;  // a block that is not full is the last one
  close_block();
  kept.append(newest);
  broken = false;
}

void MomentStream::Engine::add_row(std::span<const double> values) {
  snap_row(map, values, row);
  if (noises_rows) noise_first.add_to(row);
  for (std::size_t i = 0; i < row.size(); ++i) first[i] = beta_first * first[i] + row[i];
  const std::size_t d = config().dimension;
  if (second_sum) second_sum->add(std::span(row).first(d));
  if (pair_sum) pair_sum->add(std::span(row).subspan(d, d));
  if (bias) bias->add_row(rows);
  ++rows;
  ++rows_in_block;
  newest.is_new_ = false;
  if (rows_in_block == horizon().every() || rows == horizon().rows()) close_block();
}

void MomentStream::Engine::finish() {
  check_whole();
  newest.is_new_ = false;
  broken = true;
  if (!finished && rows_in_block > 0) close_block();
  finished = true;
  broken = false;
}

void MomentStream::Engine::close_block() {
  close_first();
  if (second_sum) close_second();
  newest.rows_ = rows;
  newest.steps_ += 1;
  newest.is_new_ = true;
  rows_in_block = 0;
  describe_release(newest.steps_ - 1);
}

void MomentStream::Engine::describe_release(std::size_t step) {
  const auto level = levels.at(step, rows);
  const Calibration& noise = mechanism.calibration();
  const auto scaled = [](double deviation, double to, double from) {
    return from > 0 ? deviation * (to / from) : 0.0;
  };
  newest.std_first_ = level.first;
  newest.std_count_ = scaled(level.first, noise.std_count, noise.std_first);
  newest.std_rows_ = scaled(level.first, noise.std_rows, noise.std_first);
  newest.std_second_ =
      map.layout.trace ? scaled(level.second, noise.std_diagonal(), noise.std_second) : level.second;
  newest.diagonal_covariance_ = -noise.trace_share * level.second * level.second;
  newest.std_off_diagonal_ = noises_rows ? level.second * std::sqrt(0.5)
                                         : scaled(level.second, noise.std_off_diagonal, noise.std_second);
  newest.std_pair_count_ = scaled(level.second, noise.std_pair_count, noise.std_second);
  newest.count_unit_ = mechanism.workload_first().rows_per_weight(rows);
  newest.weight_first_ = mechanism.workload_first().weight_sum(step, rows, horizon());
  newest.weight_second_ = mechanism.workload_second().weight_sum(step, rows, horizon());
}

void MomentStream::Engine::begin_accumulation(FilterStream& accumulate, const Workload& workload) const {
  if (rows_in_block == horizon().every()) {
    accumulate.begin_step();
  } else {
    accumulate.begin_last_step(workload.close(rows, rows_in_block));
  }
}

void MomentStream::Engine::close_first() {
  if (beta_first != 1 && !noises_rows) snap(first);
  begin_accumulation(accumulate_first, mechanism.workload_first());
  run_step(pool,
           {.noise = noises_rows ? nullptr : &noise_first,
            .accumulate = &accumulate_first,
            .unit = mechanism.lattice().first,
            .out = newest.first_},
           [&](std::size_t begin, std::size_t count, double* to) {
             std::copy_n(first.begin() + static_cast<std::ptrdiff_t>(begin), count, to);
           });
  std::fill(first.begin(), first.end(), 0.0);
  // Counts are on a lattice of their own, 2^-20 of a row.
  const double to_rows = 1 / (lattice_one * mechanism.lattice().first);
  for (std::size_t i = config().dimension; i < newest.first_.size(); ++i) newest.first_[i] *= to_rows;
}

void MomentStream::Engine::collect_pairs() {
  const std::size_t d = config().dimension;
  std::vector<double> triangle(map.layout.moment_size());
  pair_sum->close(triangle);
  auto to = beyond_moments.begin();
  for (std::size_t i = 0; i < d; ++i) {
    const auto row_begin = triangle.begin() + static_cast<std::ptrdiff_t>(packed_index(i, i, d));
    to = std::copy(row_begin + 1, row_begin + static_cast<std::ptrdiff_t>(d - i), to);
  }
}

void MomentStream::Engine::close_second() {
  const Lattice& lattice = mechanism.lattice();
  second_sum->begin_close();
  if (pair_sum) collect_pairs();
  if (map.layout.trace) beyond_moments.back() = second_sum->trace();
  begin_accumulation(*accumulate_second, mechanism.workload_second());
  run_step(pool,
           {.noise = noise_second ? &*noise_second : nullptr,
            .accumulate = &*accumulate_second,
            .unit = noises_rows ? lattice.first * lattice.first : lattice.second,
            .out = newest.second_},
           [&](std::size_t begin, std::size_t count, double* to) {
             const std::size_t size = map.layout.moment_size();
             const std::size_t moments = begin < size ? std::min(count, size - begin) : 0;
             if (moments > 0) second_sum->write_tile(begin, moments, to);
             if (moments == count) return;
             std::copy_n(beyond_moments.begin() + static_cast<std::ptrdiff_t>(begin + moments - size),
                         count - moments, to + moments);
           });
  second_sum->end_close();
  if (bias) close_bias();
  if (map.layout.trace) correct_diagonal();
}

// Least squares between the diagonal and the trace that was released besides: post-processing.
void MomentStream::Engine::correct_diagonal() {
  const std::size_t d = config().dimension;
  const auto entry = [&](std::size_t i) -> double& {
    return newest.second_[config().second == SecondMoment::full ? packed_index(i, i, d) : i];
  };
  double rest = newest.second_.back();
  for (std::size_t i = 0; i < d; ++i) rest -= entry(i);
  const double each = mechanism.calibration().trace_share * rest;
  for (std::size_t i = 0; i < d; ++i) entry(i) += each;
}

// PP: the bias is named, or taken off.
void MomentStream::Engine::close_bias() {
  const bool is_whole = rows_in_block == horizon().every();
  const double total = bias->close_block(
      is_whole ? std::nullopt : std::optional(mechanism.workload_second().close(rows, rows_in_block)));
  newest.bias_second_ = config().method == Method::pp ? total : 0;
  if (config().method != Method::pp_debiased) return;
  const std::size_t d = config().dimension;
  for (std::size_t i = 0; i < d; ++i) {
    newest.second_[config().second == SecondMoment::full ? packed_index(i, i, d) : i] -= total;
  }
}

}  // namespace jme
