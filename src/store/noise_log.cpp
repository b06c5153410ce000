#include "store/noise_log.hpp"

#include <algorithm>

#include "store/bytes.hpp"
#include "store/log_encoding.hpp"
#include "store/sealed.hpp"

namespace jme::store {

namespace {

/// The nonce that drew a noise step.
const Nonce& nonce_of(const std::vector<NoncePeriod>& nonces, std::uint64_t step) {
  const NoncePeriod* found = nullptr;
  for (const NoncePeriod& period : nonces) {
    if (period.first_step <= step) found = &period;
  }
  if (found == nullptr) throw damaged("a step of its noise has no nonce");
  return found->nonce;
}

Bytes context_of(std::uint64_t step) {
  return ByteWriter().text("jme noise step").number(step).bytes();
}

std::vector<double> numbers_from(ByteReader& reader) {
  return values_from<double>(reader.take(reader.value<std::uint64_t>()));
}

}  // namespace

void NoiseLog::write(const StreamKeys& keys, const StreamState& state) {
  if (state.kept.empty()) return;
  if (!insert_) {
    insert_.emplace(*database_, "INSERT INTO noise VALUES (?, ?)");
    delete_.emplace(*database_, "DELETE FROM noise WHERE step < ?");
  }
  for (const KeptNoise& vectors : state.kept) {
    const Bytes numbers = ByteWriter().field(bytes_of(vectors.first)).field(bytes_of(vectors.second)).bytes();
    const Key key = keys.seal_noise(nonce_of(state.nonces, vectors.step));
    const Bytes sealed = seal(key, vectors.step, context_of(vectors.step), numbers);
    insert_->bind(1, static_cast<std::int64_t>(vectors.step)).bind(2, sealed).run();
  }
  const std::uint64_t done = state.kept.back().step + 1;
  delete_->bind(1, static_cast<std::int64_t>(done - std::min(done, state.steps_kept))).run();
}

std::vector<KeptNoise> NoiseLog::read(const StreamKeys& keys, const std::vector<NoncePeriod>& nonces) {
  std::vector<KeptNoise> kept;
  Statement select = database_->prepare("SELECT step, sealed FROM noise ORDER BY step");
  while (select.step()) {
    const std::uint64_t step = whole(select.number(0));
    const Bytes numbers =
        unseal(keys.seal_noise(nonce_of(nonces, step)), step, context_of(step), select.blob(1));
    ByteReader reader(numbers);
    KeptNoise& vectors = kept.emplace_back(KeptNoise{.step = step});
    vectors.first = numbers_from(reader);
    vectors.second = numbers_from(reader);
  }
  return kept;
}

}  // namespace jme::store
