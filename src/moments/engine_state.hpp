#pragma once

#include <vector>

#include <jme/mechanism/mechanism.hpp>
#include <jme/moments/stream_state.hpp>

namespace jme {

/// The nonces of a stream that goes on from `state` under `fresh`. Throws StateError where the state's counts
/// cannot be this mechanism's.
[[nodiscard]] std::vector<NoncePeriod> periods_after(const Mechanism& mechanism, const StreamState& state,
                                                     const Nonce& fresh);

}  // namespace jme
