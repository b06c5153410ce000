#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <jme/inquiry/released_run.hpp>

namespace jme {

/// What is compared, as people write it: T, a release; or A..B, the rows after A up to B. T of `from` is
/// 0..T; T of `to` is the rows after those of `from` up to T. Without `to`: up to the last release.
struct CompareQuestion {
  std::string from;
  std::optional<std::string> to{};
};

/// The windows that are meant. Throws InvalidParameter.
[[nodiscard]] TwoWindows windows_of(const ReleasedRun& releases, const CompareQuestion& question);

/// from, to, columns, mean (before, after, change), interval, noise_std, p, changed, statement.
[[nodiscard]] nlohmann::ordered_json compare_json(const ReleasedRun& releases,
                                                  const CompareQuestion& question);
/// "+0.4 ± 0.3" of every column, for people.
[[nodiscard]] std::string change_words(const MeanChange& change);
/// What "±", p and "changed" mean, in one sentence each.
[[nodiscard]] std::string compare_statement(std::size_t columns, bool variance_is_released);

}  // namespace jme
