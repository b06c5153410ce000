#pragma once

#include <cstddef>

#include <Eigen/Core>

#include <jme/filter/filter.hpp>

namespace jme::theory {

/// y = T^-1 u as a linear system of few states: y_t = gain u_t + h's_t, s_{t+1} = F s_t + g u_t. The states
/// are the past values in T's taps and one accumulator per mode; T's inverse feeds its own output back
/// (docs/theory/shaping.md#streaming).
class InverseState {
 public:
  explicit InverseState(const Toeplitz& core);

  [[nodiscard]] static std::size_t states(const Toeplitz& core);
  [[nodiscard]] Eigen::Index size() const { return output_.size(); }
  [[nodiscard]] double gain() const { return gain_; }
  [[nodiscard]] const Eigen::VectorXd& output() const { return output_; }  ///< h
  [[nodiscard]] const Eigen::VectorXd& input() const { return input_; }    ///< g
  /// F s, in as many operations as there are states.
  [[nodiscard]] Eigen::VectorXd advance(const Eigen::VectorXd& s) const;
  /// F m, column by column.
  [[nodiscard]] Eigen::MatrixXd advance_columns(const Eigen::MatrixXd& m) const;
  /// F m F' for symmetric m.
  [[nodiscard]] Eigen::MatrixXd advance_both(const Eigen::MatrixXd& m) const;

 private:
  bool feedback_;
  Eigen::Index past_;  // how many past values are kept
  double gain_;
  Eigen::VectorXd poles_, entry_, output_, input_;
};

}  // namespace jme::theory
