#pragma once

#include <cstddef>
#include <optional>

#include <Eigen/Core>

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>
#include <jme/workload/workload.hpp>

namespace jme::theory {

/// C^-1 of a dense or small filter, and Q = C^-1 C^-T.
[[nodiscard]] Eigen::MatrixXd noise_covariance(const Filter& c);

/// tr(B'B (Q o Q)), B the row-level workload at releases, Q = C^-1 C^-T over rows: half the summed variance
/// of the releases of squared unit noise. Exact; empty where no exact way is cheap enough:
///   C of at most 64 states, workload not custom   O(n states^2), any n (windows: no column schedule)
///   C Toeplitz up to a column schedule            O(n^2), n <= longest_by_lags
[[nodiscard]] std::optional<double> squared_noise_trace(const Workload& workload, const Horizon& horizon,
                                                        const Filter& c);
inline constexpr std::size_t longest_by_lags = 16384;

// The ways one by one, so that each can be checked against the others.
[[nodiscard]] double squared_noise_trace_dense(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& q);
[[nodiscard]] double squared_noise_trace_by_lags(const Workload& workload, const Horizon& horizon,
                                                 const Filter& c);
[[nodiscard]] double squared_noise_trace_by_states(const Workload& workload, const Horizon& horizon,
                                                   const Filter& c);

[[nodiscard]] bool is_identity(const Filter& c);

}  // namespace jme::theory
