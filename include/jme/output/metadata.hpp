#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <jme/base/field.hpp>
#include <jme/clock/slots.hpp>
#include <jme/columns/bounds.hpp>
#include <jme/columns/missing.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/output/emit.hpp>
#include <jme/output/found_bounds.hpp>

namespace jme {

/// Slots of time as steps.
struct ClockDescription {
  SlotSchedule schedule;
  bool has_begun = false;  ///< the schedule's beginning is known
  std::optional<Seconds> from{},
      until{};  ///< as they were given; without `until` rows count where they arrive
  std::string time_column{};
  TimeUnit time_unit = TimeUnit::second;
  bool drops_late = false;
};

/// What a reader of the releases must know, all of it public.
struct RunDescription {
  const Mechanism& mechanism;
  const ColumnBounds& bounds;
  const EmitOptions& emit;
  std::optional<std::uint64_t> insecure_seed{};
  std::string missing{};  ///< the rules for missing cells as they were written; empty without any
  OnBadRow on_bad_row = OnBadRow::fail;
  std::string person{};                         ///< the column that says whose row it is; empty: none
  bool persons_in_one_partition = false;        ///< is assumed of the input
  std::string records{};                        ///< what a record of CSV is; empty for other formats
  std::optional<BoundsOrigin> bounds_origin{};  ///< where the bounds were found, and are not public knowledge
  bool bounds_are_sought = false;               ///< they are not found yet: the unit box stands for them
  std::optional<ClockDescription> clock{};      ///< where steps are slots of time
  /// Settings of the run that are not those of its stream: what the metadata say besides.
  std::vector<SettingInForce> settings{};
};

/// The first line of a run: version, configuration, privacy and column names.
[[nodiscard]] nlohmann::ordered_json metadata(const RunDescription& run,
                                              const std::vector<std::string>& columns);
/// The same as a line of text.
[[nodiscard]] std::string metadata_line(const RunDescription& run, const std::vector<std::string>& columns);

}  // namespace jme
