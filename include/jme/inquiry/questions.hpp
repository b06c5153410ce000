#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <jme/mechanism/stream_config.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/run_settings.hpp>
#include <jme/theory/plan.hpp>

namespace jme {

// Questions that can be answered before any data is touched. What is asked comes as people write it, by the
// names of the command's flags, and each answer is the JSON object that the command prints: every front gives
// the same one. All of them throw InvalidParameter.

using Asked = std::optional<std::string>;

/// Two of these three; the third is the answer.
struct CalibrateQuestion {
  Asked epsilon{}, delta{}, sigma{};
};
/// epsilon, delta, sigma, mu, rho.
[[nodiscard]] nlohmann::ordered_json answer(const CalibrateQuestion& question);

/// What training on sampled batches costs, or the noise that it needs.
struct AccountQuestion {
  Asked sampling{}, sampling_rate{}, bands{}, steps{}, epochs{}, delta{}, sigma{}, epsilon{}, adjacency{};
};
/// epsilon_pld, epsilon_rdp, rdp_order, sigma; with allocation both directions, turns and epochs.
[[nodiscard]] nlohmann::ordered_json answer(const AccountQuestion& question);

/// How good a noise shape is for a workload.
struct ShapeQuestion {
  Asked rows{}, steps{}, every{}, workload{}, shape{}, objective{}, max_state_vectors{};
};
/// shape, rmse, max, column_norm, state_vectors, parameters; without a horizon also steps and at.
[[nodiscard]] nlohmann::ordered_json answer(const ShapeQuestion& question,
                                            const MatrixReader& read_matrix = {});

/// How far one person can move both moments.
struct SensitivityQuestion {
  Asked dimension{}, norm_bound{}, rows{}, steps{}, every{}, lambda{}, workload{}, workload2{}, shape{},
      shape2{}, adjacency{}, participations{}, separation{}, batch{}, squares{};
};
/// lambda, lambda_free, sensitivity, sensitivity_first.
[[nodiscard]] nlohmann::ordered_json answer(const SensitivityQuestion& question,
                                            const MatrixReader& read_matrix = {});

/// What a plan compares for these settings: only what they name.
[[nodiscard]] PlanScope plan_scope(const RunSettings& settings, const StreamConfig& config);
/// The plan for a run with these settings.
[[nodiscard]] Plan plan_of(const RunSettings& settings, const MatrixReader& read_matrix = {});

}  // namespace jme
