#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/models/pca.hpp>

#include "models/model_values.hpp"

namespace jme {
namespace {

// Plus for the largest entry of every row, the first of equals.
void sign_by_themselves(Eigen::MatrixXd& components) {
  for (Eigen::Index i = 0; i < components.rows(); ++i) {
    Eigen::Index largest = 0;
    components.row(i).cwiseAbs().maxCoeff(&largest);
    if (components(i, largest) < 0) components.row(i) = -components.row(i);
  }
}

// Pairs the most alike first, so that no two components take the sign of the same one.
void sign_by_memory(Eigen::MatrixXd& components, const Eigen::MatrixXd& memory) {
  Eigen::MatrixXd likeness = components * memory.transpose();
  const Eigen::MatrixXd products = likeness;
  likeness = likeness.cwiseAbs();
  for (Eigen::Index paired = 0; paired < components.rows(); ++paired) {
    Eigen::Index now = 0, before = 0;
    likeness.maxCoeff(&now, &before);
    if (products(now, before) < 0) components.row(now) = -components.row(now);
    likeness.row(now).setConstant(-1);
    likeness.col(before).setConstant(-1);
  }
}

}  // namespace

PrincipalComponents ComponentTracker::next(const RunningMoments& moments, std::size_t count) {
  const auto k = static_cast<Eigen::Index>(count);
  const Eigen::VectorXd& h = moments.units().half_width;
  const Eigen::Index d = h.size();
  if (k < 1 || k > d) {
    throw InvalidParameter("pca", static_cast<double>(count),
                           "between 1 and " + std::to_string(d) + ", the number of columns");
  }
  if (!moments.is_known()) {
    const VectorEstimate none{.value = Eigen::VectorXd::Constant(k, NAN),
                              .noise_std = Eigen::VectorXd::Constant(k, NAN)};
    return {.values = none,
            .shares = none,
            .components = {.value = Eigen::MatrixXd::Constant(k, d, NAN),
                           .noise_std = Eigen::MatrixXd::Constant(k, d, NAN)},
            .separations = Eigen::VectorXd::Constant(k, NAN)};
  }
  auto [values, components] = models::components_of(moments);
  if (memory_.size() == 0) {
    sign_by_themselves(components);
  } else if (memory_.rows() == d && memory_.cols() == d) {
    sign_by_memory(components, memory_);
  } else {
    throw InvalidParameter("pca", "the components before have another dimension");
  }
  memory_ = components;

  const double whole = values.cwiseMax(0.0).sum();
  const Eigen::VectorXd counts = (values.array() > 0).cast<double>();
  const Eigen::MatrixXd counted =
      h.asDiagonal() * components.transpose() * counts.asDiagonal() * components * h.asDiagonal();
  PrincipalComponents result{
      .values = {.value = values.head(k).cwiseMax(0.0), .noise_std = Eigen::VectorXd(k)},
      .shares = {.value = Eigen::VectorXd::Zero(k), .noise_std = Eigen::VectorXd(k)},
      .components = {.value = components.topRows(k), .noise_std = Eigen::MatrixXd(k, d)},
      .separations = Eigen::VectorXd::Constant(k, INFINITY)};
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(d);
  for (Eigen::Index i = 0; i < k; ++i) {
    // First-order perturbation: dl_i = v_i' dC v_i, dv_i = sum_{j != i} v_j (v_j' dC v_i) / (l_i - l_j), with
    // dC = H dU H for noise dU in the unit box.
    const Eigen::VectorXd scaled = h.cwiseProduct(components.row(i).transpose());
    std::vector<MomentNoise::Product> product{{.a = scaled, .b = scaled}};
    result.values.noise_std(i) = moments.noise().std_of(zero, product);
    for (const Eigen::Index j : {i - 1, i + 1}) {
      if (j < 0 || j >= d) continue;
      const Eigen::VectorXd other = h.cwiseProduct(components.row(j).transpose());
      const std::vector<MomentNoise::Product> difference{{.a = scaled, .b = scaled},
                                                         {.a = other, .b = -other}};
      const double separation = std::abs(values(i) - values(j)) / moments.noise().std_of(zero, difference);
      result.separations(i) = std::min(result.separations(i), separation);
    }
    // d(l_i / w) = (v_i' dC v_i - l_i / w <P, dC>) / w, P the projection on the components that count in w.
    const double share = whole > 0 ? result.values.value(i) / whole : 0;
    result.shares.value(i) = share;
    result.shares.noise_std(i) =
        whole > 0 ? moments.noise().std_of(zero, (scaled * scaled.transpose() - share * counted) / whole)
                  : INFINITY;
    Eigen::VectorXd weights = (values(i) - values.array()).inverse();
    weights(i) = 0;
    const Eigen::MatrixXd spread =
        h.asDiagonal() * components.transpose() * weights.asDiagonal() * components;
    for (Eigen::Index r = 0; r < d; ++r) {
      product[0].a = spread.col(r);
      result.components.noise_std(i, r) = moments.noise().std_of(zero, product);
    }
  }
  return result;
}

}  // namespace jme
