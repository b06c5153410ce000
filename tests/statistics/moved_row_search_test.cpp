// Searches for a row that a change of its slot moves farther than the stated mu of a moved row allows. Rows
// go through the stream itself, clamping, rounding and counts included; under the same test seed the noise of
// two streams is the same, so that the difference of their releases is what the rows alone make, and whitened
// by the noise of the releases it is the mu that the best attacker has against this pair.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <jme/mechanism/moved_rows.hpp>
#include <jme/moments/moment_stream.hpp>

#include "statistics/oracle.hpp"
#include "statistics/released_parts.hpp"

namespace jme::moved_row_search_tests {
namespace {

using released_parts::Row;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// What everything that was released makes of its noise: release by release, whitened.
class Whitener {
 public:
  explicit Whitener(const Mechanism& mechanism)
      : noise_(released_parts::deviations(mechanism)),
        undo_first_(mechanism.c1().to_dense() * oracle::inverse(mechanism.a1().to_dense())),
        undo_second_(mechanism.c2().to_dense() * oracle::inverse(mechanism.a2().to_dense())) {}

  [[nodiscard]] Eigen::VectorXd of(const Releases& releases) const {
    const Eigen::Index n = undo_first_.rows();
    Eigen::MatrixXd first(n, noise_.first.size()), second(n, noise_.second.size());
    for (Eigen::Index t = 0; t < n; ++t) {
      const Release& release = releases[static_cast<std::size_t>(t)];
      Eigen::Index i = 0;
      for (const double value : release.first()) first(t, i++) = value;
      for (const double value : release.counts()) first(t, i++) = value;
      first(t, i) = *release.row_count();
      i = 0;
      for (const double value : release.second()) second(t, i++) = value;
      for (const double value : release.pair_counts()) second(t, i++) = value;
    }
    const Eigen::MatrixXd a = undo_first_ * first * noise_.first.cwiseInverse().asDiagonal();
    Eigen::VectorXd all(a.size() + second.size());
    all.head(a.size()) = a.reshaped();
    if (second.size() > 0) {
      all.tail(second.size()) =
          (undo_second_ * second * noise_.second.cwiseInverse().asDiagonal()).reshaped();
    }
    return all;
  }

 private:
  released_parts::Parts noise_;
  Eigen::MatrixXd undo_first_, undo_second_;
};

/// What a row in this slot, or all rows that a person may have, or none at all, make of the releases.
Eigen::VectorXd response(const Mechanism& mechanism, const Whitener& whitener, std::size_t slot,
                         const Row* row) {
  MomentStream stream(mechanism, InsecureTestSeed{1});
  for (std::size_t t = 0; t < mechanism.horizon().steps(); ++t) {
    BlockSum sum(RowMap::of(mechanism));
    const bool has_rows = row != nullptr && t == slot;
    for (std::size_t i = 0; has_rows && i < mechanism.config().participation.rows; ++i) sum.add(*row);
    stream.push_block(sum);
  }
  return whitener.of(stream.take_releases());
}

/// Corners of the box and of the ball, rows between them, and rows that lack cells.
std::vector<Row> candidates(const StreamConfig& config) {
  const std::size_t d = config.dimension;
  std::vector<Row> rows;
  for (std::size_t signs = 0; signs < (std::size_t{1} << d); ++signs) {
    Row row(d);
    for (std::size_t i = 0; i < d; ++i) row[i] = (signs >> i & 1U) != 0 ? -1 : 1;
    rows.push_back(row);
  }
  rows.emplace_back(d, 0.0);
  Row lone(d, 0.0), half(d, 1.0), between(d, -0.236);
  lone[0] = 1;
  half[0] = 0;
  rows.insert(rows.end(), {lone, half, between});
  if (!config.observed) return rows;
  Row lacks(d, 1.0), has(d, absent);
  lacks[0] = absent;
  has[0] = -1;
  rows.insert(rows.end(), {lacks, has});
  return rows;
}

struct Found {
  double moved = 0;     ///< from one slot to another
  double replaced = 0;  ///< within a slot
  [[nodiscard]] double largest() const { return std::max(moved, replaced); }
};

Found search(const Mechanism& mechanism) {
  const Whitener whitener(mechanism);
  const std::size_t n = mechanism.horizon().steps();
  const std::vector<Row> rows = candidates(mechanism.config());
  const Eigen::VectorXd empty = response(mechanism, whitener, 0, nullptr);
  std::vector<Eigen::VectorXd> responses;
  for (std::size_t slot = 0; slot < n; ++slot) {
    for (const Row& row : rows) responses.push_back(response(mechanism, whitener, slot, &row));
  }
  Found found;
  for (std::size_t i = 0; i < responses.size(); ++i) {
    found.replaced = std::max(found.replaced, (responses[i] - empty).norm());
    for (std::size_t j = 0; j < i; ++j) {
      double& largest = i / rows.size() == j / rows.size() ? found.replaced : found.moved;
      largest = std::max(largest, (responses[i] - responses[j]).norm());
    }
  }
  return found;
}

Shape fast() {
  return Shape::blt({.poles = {0.99}, .zeros = {0.05}});
}

StreamConfig slots(std::size_t d) {
  return {.budget = {.sigma = 0.25},
          .steps = 6,
          .slot_seconds = 3600,
          .dimension = d,
          .norm_bound = std::sqrt(static_cast<double>(d)),
          .unit_box = true,
          .private_count = true,
          .workload = prefix(),
          .shape = fast(),
          .adjacency = Adjacency::add_remove};
}

std::string words(const StreamConfig& config) {
  return "d=" + std::to_string(config.dimension) + " lambda=" + std::to_string(config.lambda.value_or(-1)) +
         " shape=" + config.shape.name() +
         " shape2=" + (config.shape_second ? config.shape_second->name() : "") +
         " geometry=" + std::string(name(config.geometry)) + " second=" + std::string(name(config.second)) +
         " observed=" + std::to_string(config.observed) + " " + std::string(name(config.adjacency)) +
         " zeta=" + std::to_string(config.norm_bound);
}

void expect_not_exceeded(const StreamConfig& config) {
  const Mechanism mechanism(config);
  EXPECT_LE(search(mechanism).largest(), mu_of_moved_rows(mechanism) * 1.000001) << words(config);
}

/// Every adjacency, what is released, lambda and pair of shapes, for rows like these.
void search_all(const StreamConfig& rows) {
  for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    for (const SecondMoment second : {SecondMoment::none, SecondMoment::diagonal, SecondMoment::full}) {
      for (const double lambda : {0.002, 0.1, 0.39, 2.0, 9.0}) {
        for (const auto& [first, other] : std::vector<std::pair<Shape, Shape>>{
                 {fast(), fast()}, {fast(), Shape::identity()}, {Shape::identity(), fast()}}) {
          StreamConfig config = rows;
          config.adjacency = adjacency;
          config.second = second;
          config.shape = first;
          if (second != SecondMoment::none) {
            config.lambda = lambda;
            if (other.name() != first.name()) config.shape_second = other;
          }
          expect_not_exceeded(config);
          if (second == SecondMoment::none) break;
        }
        if (second == SecondMoment::none) break;
      }
    }
  }
}

TEST(MovedRowSearch, FindsNoRowOfTheBoxThatMovesMoreThanIsStated) {
  for (const std::size_t d : {1U, 2U, 3U}) search_all(slots(d));
}

TEST(MovedRowSearch, FindsNoRowWithMissingCellsThatMovesMoreThanIsStated) {
  for (const std::size_t d : {1U, 2U}) {
    StreamConfig config = slots(d);
    config.observed = true;
    search_all(config);
  }
}

TEST(MovedRowSearch, FindsNoRowWithANormBoundThatMovesMoreThanIsStated) {
  StreamConfig config = slots(2);
  config.norm_bound = 1.2;
  search_all(config);
  config.geometry = Geometry::ball;
  search_all(config);
}

TEST(MovedRowSearch, FindsNoRowOfAWindowThatMovesMoreThanIsStated) {
  for (const double lambda : {0.01, 0.3, 2.0}) {
    for (const auto& second : std::vector<std::optional<Shape>>{{}, Shape::identity(), fast()}) {
      StreamConfig config = slots(2);
      config.steps = 16;
      config.workload = window(4);
      config.shape = Shape::automatic();
      config.lambda = lambda;
      config.shape_second = second;
      expect_not_exceeded(config);
    }
  }
}

// All rows of a person go from one slot to another, and become others.
TEST(MovedRowSearch, FindsNoPersonWithSeveralRowsWhoMovesMoreThanIsStated) {
  for (const double lambda : {0.01, 0.3, 2.0}) {
    for (const auto& second : std::vector<std::optional<Shape>>{{}, Shape::identity()}) {
      for (const Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
        StreamConfig config = slots(2);
        config.participation.rows = 3;
        config.adjacency = adjacency;
        config.lambda = lambda;
        config.shape_second = second;
        expect_not_exceeded(config);
      }
    }
  }
}

// What is stated is not more than some row moves: a small lambda, and a second channel without a shape.
TEST(MovedRowSearch, FindsWhatIsStatedWhereLambdaIsSmallOrShapesDiffer) {
  for (const std::size_t d : {2U, 3U}) {
    StreamConfig config = slots(d);
    config.geometry = Geometry::box;
    config.shape = Shape::scaled_blt(2);  // columns of one length
    config.lambda = 0.02;
    const Mechanism small(config);
    EXPECT_GE(search(small).replaced, 0.99999 * mu_of_moved_rows(small));
    EXPECT_GT(mu_of_moved_rows(small), 1.1 * std::sqrt(2) * small.mu());
    // Also from one slot to another, a row moves more than two rows that come and go.
    EXPECT_GT(search(small).moved, 1.001 * std::sqrt(2) * small.mu());

    config.lambda.reset();
    config.shape_second = Shape::identity();
    const Mechanism differ(config);
    EXPECT_GE(search(differ).moved, 0.99999 * mu_of_moved_rows(differ));
    EXPECT_GT(mu_of_moved_rows(differ), 1.02 * std::sqrt(2) * differ.mu());
  }
}

}  // namespace
}  // namespace jme::moved_row_search_tests
