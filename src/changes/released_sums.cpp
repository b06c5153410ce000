#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/changes/released_sums.hpp>

namespace jme {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

bool sums_all_rows(const Workload& workload) {
  return workload.kind() == Workload::Kind::prefix || workload.kind() == Workload::Kind::mean;
}

}  // namespace

Increments::Increments(const Workload& workload, const Horizon& horizon)
    : workload_(workload), horizon_(horizon) {
  if (workload.kind() == Workload::Kind::custom) matrix_ = workload.filter(horizon);
}

double Increments::of_matrix(std::size_t step, double value) const {
  const std::vector<double> weights = matrix_->row_weights(step);
  for (std::size_t s = 0; s < step; ++s) value -= weights[s] * blocks_[s];
  return weights[step] == 0 ? not_known : value / weights[step];
}

double Increments::next(std::size_t step, std::size_t rows, double value) {
  const bool follows = step == next_step_;
  double block = not_known;
  if (follows) {
    switch (workload_.kind()) {
      case Workload::Kind::prefix:
      case Workload::Kind::mean:
        block = value - before_;
        break;
      case Workload::Kind::decay:
        block = value - before_ * std::pow(workload_.beta(), static_cast<double>(rows - rows_before_));
        break;
      case Workload::Kind::window: {
        // What enters the window, less what leaves it.
        const std::size_t length = workload_.window_rows() / horizon_.every();
        block = value - before_ + (step >= length ? blocks_[step % length] : 0);
        if (blocks_.size() < length) blocks_.resize(length);
        blocks_[step % length] = block;
        break;
      }
      case Workload::Kind::custom:
        block = of_matrix(step, value);
        blocks_.push_back(block);
        break;
    }
    next_step_ = step + 1;
  } else if (sums_all_rows(workload_)) {
    next_step_ = step + 1;  // goes on from here: the next block needs this release alone
  }
  before_ = value;
  rows_before_ = rows;
  return block;
}

ReleasedSums::ReleasedSums(const Mechanism& mechanism)
    : layout_(ReleaseLayout::of(mechanism)),
      workload_(mechanism.workload_first()),
      sums_all_rows_(sums_all_rows(workload_)),
      increments_(layout_.first_size(), Increments(workload_, mechanism.horizon())) {}

void ReleasedSums::add(std::size_t step, std::size_t rows, const std::vector<double>& values) {
  if (values.size() != layout_.first_size()) {
    throw InvalidParameter("releases", "have another number of columns than their stream");
  }
  if (!steps_.empty() && step <= last_step()) {
    throw InvalidParameter("releases", fmt::format("must be in order: t={} comes after t={}", rows,
                                                   steps_.rbegin()->second.rows));
  }
  Step made{.rows = rows, .values = values, .blocks = std::vector<double>(values.size())};
  for (std::size_t i = 0; i < values.size(); ++i) {
    made.blocks[i] = increments_[i].next(step, rows, values[i]);
  }
  steps_.emplace_hint(steps_.end(), step, std::move(made));
}

void ReleasedSums::add(const Release& release) {
  std::vector<double> values(release.first().begin(), release.first().end());
  values.insert(values.end(), release.counts().begin(), release.counts().end());
  if (release.row_count()) values.push_back(*release.row_count());
  for (double& value : values) value *= release.count_unit();
  add(release.steps() - 1, release.rows(), values);
}

const ReleasedSums::Step& ReleasedSums::step(std::size_t step) const {
  const auto found = steps_.find(step);
  if (found == steps_.end()) {
    throw StateError(fmt::format("releases: that of step {} is missing", step + 1));
  }
  return found->second;
}

std::size_t ReleasedSums::rows(std::size_t at) const {
  return step(at).rows;
}

std::optional<std::size_t> ReleasedSums::step_of(std::size_t t) const {
  for (const auto& [at, made] : steps_) {
    if (made.rows == t) return at;
  }
  return std::nullopt;
}

double ReleasedSums::sum(std::size_t i, StepRange blocks) const {
  if (sums_all_rows_) {
    const double before = blocks.begin == 0 ? 0 : step(blocks.begin - 1).values[i];
    return step(blocks.end - 1).values[i] - before;
  }
  double sum = 0;
  for (std::size_t at = blocks.begin; at < blocks.end; ++at) sum += step(at).blocks[i];
  if (std::isnan(sum)) {
    throw StateError(
        fmt::format("releases: a comparison of the workload {} needs all of them from the first one on",
                    workload_.name()));
  }
  return sum;
}

BlockWeights block_weights(const Workload& workload, const Horizon& horizon, std::size_t rows) {
  if (!workload.weighs_rows(horizon)) {
    return {.sum = static_cast<double>(rows), .squares = static_cast<double>(rows)};
  }
  BlockWeights result{};
  for (std::size_t r = 0; r < rows; ++r) {
    const double weight = workload.weight_in_block(r);
    result.sum += weight;
    result.squares += weight * weight;
  }
  return result;
}

}  // namespace jme
