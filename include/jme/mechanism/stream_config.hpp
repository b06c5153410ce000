#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <jme/base/geometry.hpp>
#include <jme/base/horizon.hpp>
#include <jme/base/values.hpp>
#include <jme/calibration/method.hpp>
#include <jme/sensitivity/participation.hpp>
#include <jme/shaping/shape.hpp>
#include <jme/workload/workload.hpp>

namespace jme {

/// Either (epsilon, delta) or the noise multiplier sigma itself.
struct Budget {
  std::optional<double> epsilon{};
  std::optional<double> delta{};
  std::optional<double> sigma{};

  /// Epsilon and delta, unless sigma is given. Throws InvalidParameter where one of them is missing, or where
  /// sigma is given besides.
  [[nodiscard]] std::optional<ApproxDp> approx_dp() const;
  /// sigma, or the exact Gaussian calibration of (epsilon, delta). Throws InvalidParameter.
  [[nodiscard]] double noise_multiplier() const;
};

/// Everything that is public before the first row. Plain data; Mechanism checks it.
struct StreamConfig {
  Budget budget;
  std::optional<std::size_t> rows{};   ///< horizon in rows; or give `steps`
  std::optional<std::size_t> steps{};  ///< horizon in releases; rows = steps * every
  bool unbounded = false;              ///< in place of rows and steps: no horizon (prefix, mean and decay)
  std::size_t every = 1;               ///< rows per step: one release after every `every` rows
  /// A step is a slot of this many seconds, with any number of rows, also none. `steps` counts slots, every
  /// is 1, counts are private, and so is the time of a row within its slot. A window counts slots, a decay
  /// weighs them.
  std::optional<std::uint64_t> slot_seconds{};
  std::size_t dimension = 0;
  double norm_bound = 0;
  /// Every cell lies in [-1, 1] (it is clamped), as where columns have bounds. The geometry `box` implies it.
  bool unit_box = false;
  Geometry geometry = Geometry::automatic;
  /// Cells that are NaN are absent: means are over present cells, second moments over present pairs, and both
  /// are counted privately. Needs the box.
  bool observed = false;
  /// How many rows exist is private, and released with noise. A row with a missing cell does not exist; where
  /// cells may be absent, a row without any does not.
  bool private_count = false;
  Workload workload = mean();
  std::optional<Workload> workload_second{};  ///< default: the same
  Method method = Method::jme;
  Shape shape = Shape::automatic();
  std::optional<Shape> shape_second{};  ///< default: the same
  SecondMoment second = SecondMoment::full;
  Adjacency adjacency = Adjacency::replace_one;
  Participation participation{};
  /// participation.rows is enforced by ids: only so many records of a person count, the others do not exist.
  /// The promise is then about all rows of a person together. Needs a private count.
  bool persons_are_limited = false;
  std::optional<double> lambda{};   ///< jme under add-remove, lambda-jme
  std::optional<double> balance{};  ///< weight w2/w1 of the second moment's error; sets lambda
                                    ///< (docs/theory/sensitivity.md#the-best-lambda)
  double alpha = 0.5;               ///< ime
  std::optional<double> tau{};      ///< cs, default 1/zeta^2
  Objective objective = Objective::rmse;
  /// Most memory that `auto` may use, in vectors; default: what state_limit says.
  std::optional<std::size_t> max_state_vectors{};
  /// By default as many as the processor has where a step is large enough to share, else 1. Never changes a
  /// number.
  std::optional<unsigned> threads{};
};

/// What of its rows may be absent.
[[nodiscard]] Presence presence_of(const StreamConfig& config);

/// How long a window is in which rows of a person are limited: "day", "6h".
[[nodiscard]] std::string window_words(const StreamConfig& config);

/// The horizon that it asks for. Throws InvalidParameter.
[[nodiscard]] Horizon horizon_of(const StreamConfig& config);

/// What `auto` may keep in memory: what the configuration asks for, or a limit by the width of the wider
/// channel.
[[nodiscard]] StateLimit state_limit(const StreamConfig& config);

}  // namespace jme
