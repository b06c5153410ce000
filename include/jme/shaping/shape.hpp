#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>
#include <jme/workload/workload.hpp>

namespace jme {

/// What "least error" means when shapes are compared or optimised.
enum class Objective { rmse, max };

/// Poles and zeros of a buffered linear Toeplitz matrix: T(x) = prod(1 - zeros_i x) / prod(1 - poles_i x),
/// interlacing 1 > poles_0 > zeros_0 > poles_1 > ... > 0.
struct BltParameters {
  std::vector<double> poles, zeros;
};

/// A buffered linear Toeplitz matrix between two diagonals, C = L T D^-1 (docs/theory/shaping.md#scaled-blt):
/// rows scaled by
///     l_t = (t + start_offset)^start_power (n - t + end_offset)^end_power,   t = 1..n,
/// and columns by their norms, so that every column of C has norm 1. start_offset > -1, end_offset > 0. On an
/// unbounded horizon end_power is 0 and start_power at most 0.
///
/// With lag taps, T is divided by 1 + sum_i weight_i x^lag_i, and the powers are 0. This is what scaled-blt:P
/// means for a window of k steps, with lags k, 2k, 3k.
struct ScaledBltParameters {
  BltParameters blt;
  double start_offset = 0, start_power = 0;
  double end_offset = 1, end_power = 0;
  std::vector<LagTap> lag_taps{};
};

/// The name of a noise-shaping matrix C, before a workload and a horizon make it a filter.
class Shape {
 public:
  static constexpr std::size_t max_buffers = 6;         ///< of blt and scaled-blt by number
  static constexpr std::size_t max_dense_steps = 2048;  ///< of dense: about a minute of computing

  enum class Kind {
    automatic,
    identity,
    square_root,
    banded,
    banded_inverse,
    blt,
    scaled_blt,
    dense,
    custom
  };

  Shape() = default;  ///< auto

  /// "auto", "identity", "sqrt", "banded:16", "banded-inverse:16", "blt:4", "scaled-blt:4",
  /// "scaled-blt:4:prefix", "dense". Throws InvalidParameter.
  static Shape parse(std::string_view text, std::string_view parameter = "shape");
  static Shape automatic();
  static Shape identity();
  static Shape square_root();
  static Shape banded(std::size_t width);
  static Shape banded_inverse(std::size_t width);
  /// With the parameters of least objective for the workload and horizon; 1 to max_buffers.
  static Shape blt(std::size_t buffers);
  static Shape scaled_blt(std::size_t buffers);
  /// With those of least objective for the prefix sum, whatever the workload.
  static Shape scaled_blt_for_prefix(std::size_t buffers);
  /// With these parameters, for any workload.
  static Shape blt(BltParameters parameters);
  static Shape scaled_blt(ScaledBltParameters parameters);
  static Shape dense();
  static Shape custom(Eigen::MatrixXd matrix, std::string name = "custom");

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::size_t order() const { return order_; }
  /// Poles, zeros and (scaled-blt) schedule, where they were given explicitly.
  [[nodiscard]] const std::optional<ScaledBltParameters>& blt_parameters() const { return blt_; }
  [[nodiscard]] std::string name() const;

  /// The same shape with the numbers of blt:P or scaled-blt:P written out (blt_parameters()); any other
  /// unchanged. A durable stream stores this shape, because another machine's optimiser may differ in the
  /// last digit.
  [[nodiscard]] Shape with_parameters(const Workload& workload, const Horizon& horizon,
                                      Objective objective = Objective::rmse) const;

  /// C for this workload and horizon, over its steps. Not for `automatic`: choose_shape resolves that first.
  [[nodiscard]] Filter filter(const Workload& workload, const Horizon& horizon,
                              Objective objective = Objective::rmse) const;

 private:
  explicit Shape(Kind kind, std::size_t order = 0) : kind_(kind), order_(order) {}
  Kind kind_ = Kind::automatic;
  std::size_t order_ = 0;
  bool for_prefix_ = false;
  std::optional<ScaledBltParameters> blt_;
  std::optional<Eigen::MatrixXd> matrix_;
  std::string name_;
};

/// How good C is for A: two figures and what they are made of (docs/theory/shaping.md#quality).
struct ShapeQuality {
  double rmse;                ///< ||C||_{1->2} ||A C^-1||_F / sqrt(n)
  double max;                 ///< ||C||_{1->2} max_t ||row t of A C^-1||
  double column_norm;         ///< ||C||_{1->2}
  std::size_t state_vectors;  ///< vectors per coordinate that streaming C^-1 keeps
};
/// Over the first `steps` steps, or all.
[[nodiscard]] ShapeQuality shape_quality(const Filter& workload, const Filter& shape,
                                         std::size_t steps = std::numeric_limits<std::size_t>::max());

/// How many vectors per coordinate a shape may keep.
struct StateLimit {
  std::size_t vectors = 5;    ///< running sums and past values
  std::size_t with_lags = 5;  ///< of windows, with what their lag taps reach back to
  [[nodiscard]] bool admits(const Filter& shape) const {
    return shape.inverse_state_vectors() <= (shape.lag_taps().empty() ? vectors : with_lags);
  }
};
/// `asked` vectors where it is given; else five, and for windows as many as fit in 256 MB at this width, but
/// at least five.
[[nodiscard]] StateLimit state_limit(std::optional<std::size_t> asked, std::size_t width);

/// What `auto` means: the shape of least `objective` among those whose state fits, on ties (within 1e-5) the
/// one with less state. Never `custom`, and `dense` only where n <= 256 and its state (n vectors) fits. For
/// long horizons the choice follows from what is known about the shapes, without computing any errors.
[[nodiscard]] Shape choose_shape(const Workload& workload, const Horizon& horizon, Objective objective,
                                 const StateLimit& limit);
/// All shapes that make sense for the workload, for planners that compare them.
[[nodiscard]] std::vector<Shape> candidate_shapes(const Workload& workload, const Horizon& horizon);

}  // namespace jme
