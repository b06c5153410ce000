#pragma once

#include <jme/store/durable_stream.hpp>
#include <jme/store/ledger.hpp>

#include "store/stream_log.hpp"

namespace jme::store {

/// What is public about a stream of this mechanism.
[[nodiscard]] About about_stream(const Mechanism& mechanism, const DurableOptions& options);

/// What the ledger says of something that has this description and no rows yet.
[[nodiscard]] LedgerEntry entry_of(const About& about);

/// Throws BudgetExhausted where a new charge brings the source's total above options.max_mu. Under the lock
/// of the folder, so that nothing else starts on the source between the sum and the new charge.
void check_source_budget(const DurableOptions& options, const About& about);

}  // namespace jme::store
