#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <jme/data/bounds.hpp>
#include <jme/data/row_reader.hpp>
#include <jme/mechanism/mechanism.hpp>

#include "emit.hpp"

namespace jme::cli {

/// What a reader of the releases must know, all of it public.
struct RunDescription {
  const Mechanism& mechanism;
  const ColumnBounds& bounds;
  const EmitOptions& emit;
  std::string bounds_text;  ///< --bounds as it was written; empty without bounds
  std::optional<std::uint64_t> insecure_seed;
  std::string missing{};  ///< --missing as it was written; empty without it
  OnBadRow on_bad_row = OnBadRow::fail;
  std::string records{};  ///< what a record of CSV is; empty for other formats
};

/// The first line of a run: version, configuration, privacy and column names.
[[nodiscard]] nlohmann::ordered_json metadata(const RunDescription& run,
                                              const std::vector<std::string>& columns);

/// The plan and the privacy statement in words, for --dry-run.
[[nodiscard]] std::string dry_run_text(const RunDescription& run, const std::vector<std::string>& columns);

}  // namespace jme::cli
