#include <memory>
#include <utility>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>

#include "moments/engine.hpp"
#include "moments/engine_state.hpp"

namespace jme {

MomentStream::MomentStream(const StreamConfig& config) : MomentStream(Mechanism(config)) {}

MomentStream::MomentStream(const Mechanism& mechanism)
    : MomentStream(mechanism, Key::from_system(), nonce_from_system()) {}

MomentStream::MomentStream(const Mechanism& mechanism, InsecureTestSeed seed)
    : MomentStream(mechanism, seed.key(), Nonce{}) {}

MomentStream::MomentStream(const Mechanism& mechanism, const Key& key, const Nonce& nonce)
    : MomentStream(std::make_unique<Engine>(mechanism, key, std::vector{NoncePeriod{0, nonce}})) {}

MomentStream::MomentStream(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

MomentStream MomentStream::resume(const Mechanism& mechanism, const Key& key, const Nonce& fresh,
                                  const StreamState& state) {
  auto engine = std::make_unique<Engine>(mechanism, key, periods_after(mechanism, state, fresh));
  engine->restore(state);
  return MomentStream(std::move(engine));
}

MomentStream::MomentStream(MomentStream&&) noexcept = default;
MomentStream& MomentStream::operator=(MomentStream&&) noexcept = default;
MomentStream::~MomentStream() = default;

const Release& MomentStream::push(std::span<const double> row) {
  engine().push(row);
  return engine().newest;
}

std::size_t MomentStream::push_rows(const MatrixView& rows) {
  engine().push_rows(rows);
  return engine().kept.size();
}

std::size_t MomentStream::push_block(const BlockSum& block) {
  engine().push_block(block);
  return engine().kept.size();
}

Releases MomentStream::take_releases() {
  return std::exchange(engine().kept, Releases(engine().map.layout));
}

const Release& MomentStream::finish() {
  engine().finish();
  return engine().newest;
}

const Release& MomentStream::release() const {
  return engine().newest;
}
const Mechanism& MomentStream::mechanism() const {
  return engine().mechanism;
}
std::size_t MomentStream::rows() const {
  return engine().rows;
}
bool MomentStream::is_finished() const {
  return engine().finished || engine().rows >= engine().horizon().rows();
}
StreamState MomentStream::state(std::uint64_t since) const {
  return engine().state(since);
}

std::uint64_t MomentStream::noise_steps() const {
  return engine().noise_first.steps_done();
}

MomentStream::Engine& MomentStream::engine() const {
  if (!engine_) throw StateError("the stream was moved from");
  return *engine_;
}

}  // namespace jme
