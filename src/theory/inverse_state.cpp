#include "theory/inverse_state.hpp"

namespace jme::theory {
std::size_t InverseState::states(const Toeplitz& core) {
  return core.taps.size() - 1 + core.modes.size();
}

InverseState::InverseState(const Toeplitz& core)
    : feedback_(!core.inverted), past_(static_cast<Eigen::Index>(core.taps.size()) - 1) {
  const auto modes = static_cast<Eigen::Index>(core.modes.size());
  output_.resize(past_ + modes);
  poles_.resize(modes);
  for (Eigen::Index k = 0; k < past_; ++k) output_(k) = core.taps[static_cast<std::size_t>(k) + 1];
  for (Eigen::Index i = 0; i < modes; ++i) {
    output_(past_ + i) = core.modes[static_cast<std::size_t>(i)].weight;
    poles_(i) = core.modes[static_cast<std::size_t>(i)].pole;
  }
  // A new value enters the newest past value, or the modes at once where no past is kept.
  entry_ = Eigen::VectorXd::Zero(past_ + modes);
  if (past_ > 0) {
    entry_(0) = 1;
  } else {
    entry_.setOnes();
  }
  const double first = core.taps.front();
  gain_ = feedback_ ? 1 / first : first;
  if (feedback_) output_ /= -first;
  input_ = feedback_ ? Eigen::VectorXd(gain_ * entry_) : entry_;
}

Eigen::MatrixXd InverseState::advance_columns(const Eigen::MatrixXd& m) const {
  Eigen::MatrixXd next(m.rows(), m.cols());
  const Eigen::Index modes = poles_.size();
  if (past_ > 0) {
    next.row(0).setZero();
    next.middleRows(1, past_ - 1) = m.topRows(past_ - 1);
  }
  next.bottomRows(modes) = poles_.asDiagonal() * m.bottomRows(modes);
  if (past_ > 0 && modes > 0) next.bottomRows(modes).rowwise() += m.row(past_ - 1);
  if (feedback_) {
    const Eigen::RowVectorXd fed = output_.transpose() * m;
    if (past_ > 0) {
      next.row(0) += fed;
    } else {
      next.rowwise() += fed;
    }
  }
  return next;
}

Eigen::VectorXd InverseState::advance(const Eigen::VectorXd& s) const {
  return advance_columns(s);
}

Eigen::MatrixXd InverseState::advance_both(const Eigen::MatrixXd& m) const {
  return advance_columns(advance_columns(m).transpose());
}

}  // namespace jme::theory
