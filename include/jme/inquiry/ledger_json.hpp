#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <jme/store/ledger.hpp>

namespace jme {

/// "2026-11-17T09:30:00Z".
[[nodiscard]] std::string utc_text(std::int64_t seconds);
/// What a stream is doing, in a word: running, finished, open, or problem.
[[nodiscard]] std::string condition_of(const LedgerEntry& entry);
/// The streams of a ledger, and what was spent on each source at this delta (Ledger::totals).
[[nodiscard]] nlohmann::ordered_json ledger_json(const Ledger& ledger, std::optional<double> delta = {});

}  // namespace jme
