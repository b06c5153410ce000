#include "moments/engine_state.hpp"

#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>

#include "moments/engine.hpp"
#include "moments/state_bytes.hpp"

namespace jme {
namespace {

std::uint64_t noise_steps_of(const Mechanism& mechanism, const StreamState& state) {
  return squares_noisy_rows(mechanism.config().method) ? state.rows : state.steps;
}

// Rows and steps belong together, and only the end of a stream may fall inside a block.
void check_counts(const Mechanism& mechanism, const StreamState& state) {
  const Horizon& horizon = mechanism.horizon();
  const auto refuse = [] { throw StateError("state: its rows and releases are not those of this stream"); };
  if (state.rows > horizon.rows() || state.steps > horizon.steps()) refuse();
  if (state.steps != state.rows / horizon.every() + (state.rows % horizon.every() != 0 ? 1 : 0)) refuse();
  const bool partial = state.rows % horizon.every() != 0;
  if (partial && !state.finished && state.rows != horizon.rows()) refuse();
}

StateHeader header(const Mechanism& mechanism, StateHeader::Part part, std::uint64_t rows,
                   std::uint64_t steps) {
  const ReleaseLayout layout = ReleaseLayout::of(mechanism);
  return {.part = part,
          .rows = rows,
          .steps = steps,
          .first_size = layout.first_size(),
          .second_size = layout.second_size()};
}

void append(std::vector<double>& numbers, std::span<const double> more) {
  numbers.insert(numbers.end(), more.begin(), more.end());
}

/// Hands out the numbers of a saved part in their order.
class Numbers {
 public:
  explicit Numbers(std::span<const double> all) : left_(all) {}
  std::span<const double> take(std::size_t count) {
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

 private:
  std::span<const double> left_;
};

/// What a channel kept of a step; empty where the state does not have it.
ShapedNoise::KeptOf kept_of(const StreamState& state, std::vector<double> KeptNoise::*channel) {
  return [&state, channel](std::size_t step) -> std::span<const double> {
    const std::uint64_t first = state.kept.empty() ? 0 : state.kept.front().step;
    if (step < first || step - first >= state.kept.size()) return {};
    const KeptNoise& vectors = state.kept[step - first];
    const std::vector<double>& numbers = vectors.*channel;
    if (vectors.step != step ||
        !std::all_of(numbers.begin(), numbers.end(), [](double value) { return std::isfinite(value); })) {
      throw StateError("state: what its noise kept is not in order");
    }
    return numbers;
  };
}

}  // namespace

std::vector<NoncePeriod> periods_after(const Mechanism& mechanism, const StreamState& state,
                                       const Nonce& fresh) {
  check_counts(mechanism, state);
  const std::uint64_t done = noise_steps_of(mechanism, state);
  std::vector<NoncePeriod> periods = state.nonces;
  const bool known = std::all_of(periods.begin(), periods.end(),
                                 [done](const NoncePeriod& period) { return period.first_step <= done; });
  if (!known || periods.empty()) throw StateError("state: its nonces do not fit its steps");
  // Nothing that is part of the state was drawn under a nonce that begins at this very step.
  if (periods.back().first_step == done) periods.pop_back();
  periods.push_back({.first_step = done, .nonce = fresh});
  return periods;
}

StreamState MomentStream::Engine::state(std::uint64_t since) const {
  check_whole();
  if (rows_in_block != 0) {
    throw StateError("the stream is inside a block: its state can be taken at a block's end");
  }
  std::vector<double> secret = noise_first.memory();
  if (noise_second) append(secret, noise_second->memory());
  std::vector<double> open = accumulate_first.memory();
  if (accumulate_second) append(open, accumulate_second->memory());
  if (bias) append(open, bias->accumulator().memory());
  append(open, newest.first_);
  append(open, newest.second_);
  append(open, {&newest.bias_second_, 1});
  StreamState state{.rows = rows, .steps = newest.steps_, .finished = finished, .nonces = nonces};
  const std::size_t done = noise_first.steps_done();
  state.steps_kept = std::max(noise_first.steps_kept(), noise_second ? noise_second->steps_kept() : 0);
  for (std::size_t step = std::max<std::size_t>(since, done - std::min(done, state.steps_kept)); step < done;
       ++step) {
    KeptNoise& vectors = state.kept.emplace_back(KeptNoise{.step = step});
    append(vectors.first, noise_first.kept(step));
    if (noise_second) append(vectors.second, noise_second->kept(step));
  }
  if (!secret.empty()) {
    state.secret =
        encode_state(header(mechanism, StateHeader::Part::secret, state.rows, state.steps), secret);
  }
  state.open = encode_state(header(mechanism, StateHeader::Part::open, state.rows, state.steps), open);
  return state;
}

void MomentStream::Engine::restore(const StreamState& state) {
  check_counts(mechanism, state);
  const std::size_t noise_done = noise_steps_of(mechanism, state);
  const bool ended = state.rows % horizon().every() != 0;

  if (state.secret.empty() && state.kept.empty()) {
    noise_first.replay(noise_done);
    if (noise_second) noise_second->replay(noise_done);
  } else {
    const std::size_t in_first = noise_first.memory_size(noise_done);
    const std::size_t in_second = noise_second ? noise_second->memory_size(noise_done) : 0;
    std::vector<double> secret;
    if (!state.secret.empty() || in_first + in_second > 0) {
      secret =
          decode_state(state.secret, header(mechanism, StateHeader::Part::secret, state.rows, state.steps),
                       in_first + in_second);
    }
    Numbers numbers(secret);
    noise_first.restore(noise_done, numbers.take(in_first), kept_of(state, &KeptNoise::first));
    if (noise_second) {
      noise_second->restore(noise_done, numbers.take(in_second), kept_of(state, &KeptNoise::second));
    }
  }

  std::size_t count =
      accumulate_first.memory_size(state.steps) + newest.first_.size() + newest.second_.size() + 1;
  if (accumulate_second) count += accumulate_second->memory_size(state.steps);
  if (bias) count += bias->accumulator().memory_size(state.steps);
  const std::vector<double> open =
      decode_state(state.open, header(mechanism, StateHeader::Part::open, state.rows, state.steps), count);
  Numbers numbers(open);
  const auto restore = [&](FilterStream& stream) {
    stream.restore(state.steps, numbers.take(stream.memory_size(state.steps)), ended);
  };
  restore(accumulate_first);
  if (accumulate_second) restore(*accumulate_second);
  if (bias) restore(bias->accumulator());
  for (AlignedVector* values : {&newest.first_, &newest.second_}) {
    const auto saved = numbers.take(values->size());
    std::copy(saved.begin(), saved.end(), values->begin());
  }
  newest.bias_second_ = numbers.take(1)[0];
  rows = newest.rows_ = state.rows;
  newest.steps_ = state.steps;
  finished = state.finished;
  if (state.steps > 0) describe_release(state.steps - 1);
}

}  // namespace jme
