#include <algorithm>
#include <clocale>
#include <cmath>

#include <boost/multiprecision/cpp_dec_float.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/workload/workload.hpp>

#include "filter/norms.hpp"
#include "filter/stream.hpp"

namespace jme {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Weight of row `row` (from 0) in the release after `rows_seen` rows, from the workload's definition over
/// rows.
double row_weight(const Workload& workload, std::size_t row, std::size_t rows_seen, std::size_t every) {
  if (row >= rows_seen) return 0;
  switch (workload.kind()) {
    case Workload::Kind::prefix:
      return 1;
    case Workload::Kind::mean:
      return 1 / static_cast<double>(rows_seen);
    case Workload::Kind::decay:
      return std::pow(workload.beta(), static_cast<double>(rows_seen - 1 - row));
    case Workload::Kind::window: {
      // The last `window` rows, counted back from the end the current block would have if it were full.
      const std::size_t end = (rows_seen + every - 1) / every * every;
      return row + workload.window_rows() >= end ? 1 / static_cast<double>(workload.window_rows()) : 0;
    }
    case Workload::Kind::custom:
      break;
  }
  const auto step = static_cast<double>((rows_seen - 1) / every), block = static_cast<double>(row / every);
  return 1 + step - .5 * block * block;
}

Eigen::MatrixXd custom_matrix(std::size_t steps) {
  const auto n = static_cast<Eigen::Index>(steps);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      matrix(i, j) = 1 + static_cast<double>(i) - .5 * static_cast<double>(j) * static_cast<double>(j);
    }
  }
  return matrix;
}

struct Case {
  std::size_t rows, every;
};
const std::vector<Case> cases{{1, 1},    {30, 1},   {350, 7},  {353, 7}, {348, 7},
                              {500, 50}, {501, 50}, {349, 50}, {20, 50}};

std::vector<Workload> workloads(const Horizon& horizon) {
  std::vector<Workload> all{prefix(), mean(), decay(.9), decay(.999), custom(custom_matrix(horizon.steps()))};
  for (const std::size_t blocks : {1, 3, 6}) {
    const std::size_t rows = blocks * horizon.every();
    if (rows <= horizon.rows()) all.push_back(window(rows));
  }
  return all;
}

TEST(Workload, OverBlocksIsTheWorkloadOverRowsAtEveryRelease) {
  for (const Case& at : cases) {
    const Horizon horizon(at.rows, at.every);
    for (const Workload& workload : workloads(horizon)) {
      const Eigen::MatrixXd blocks = workload.filter(horizon).to_dense();
      for (std::size_t step = 0; step < horizon.steps(); ++step) {
        for (std::size_t row = 0; row < at.rows; ++row) {
          const std::size_t block = row / at.every;
          const double in_block = workload.weight_in_block(horizon.rows_through(block) - 1 - row);
          const double got =
              blocks(static_cast<Eigen::Index>(step), static_cast<Eigen::Index>(block)) * in_block;
          const double expected = row_weight(workload, row, horizon.rows_through(step), at.every);
          // beta^k is rounded once and raised to at most 50 blocks: 50 roundings, and pow's.
          ASSERT_NEAR(got, expected, 1e-14 * std::abs(expected))
              << workload.name() << " rows " << at.rows << " every " << at.every << " row " << row << " step "
              << step;
        }
      }
    }
  }
}

TEST(Workload, HasTheWeightSumOfItsRowsAtEveryRelease) {
  for (const Case& at : cases) {
    const Horizon horizon(at.rows, at.every);
    for (const Workload& workload : workloads(horizon)) {
      for (std::size_t rows_seen = 1; rows_seen <= at.rows; ++rows_seen) {
        long double sum = 0, size = 0;
        for (std::size_t row = 0; row < rows_seen; ++row) {
          const double weight = row_weight(workload, row, rows_seen, at.every);
          sum += weight;
          size += std::abs(weight);
        }
        // Each weight of the oracle carries a rounding or two.
        ASSERT_NEAR(workload.weight_sum((rows_seen - 1) / at.every, rows_seen, horizon),
                    static_cast<double>(sum), 1e-14 * static_cast<double>(size))
            << workload.name() << " after " << rows_seen;
      }
    }
  }
}

TEST(Workload, ClosesInsideABlockAsItWouldOverRows) {
  // Rows 1, 2, 3, ... end after `rows_seen`, before the horizon or at it.
  for (const Case& at : cases) {
    const Horizon horizon(at.rows, at.every);
    for (const Workload& workload : workloads(horizon)) {
      for (std::size_t rows_seen = 1; rows_seen <= at.rows; ++rows_seen) {
        FilterStream stream(workload.filter(horizon), Direction::forward, 1);
        std::vector<double> out(1);
        for (std::size_t begin = 0; begin < rows_seen; begin += at.every) {
          const std::size_t end = std::min(begin + at.every, rows_seen);
          double block = 0;
          for (std::size_t row = begin; row < end; ++row) {
            block += workload.weight_in_block(end - 1 - row) * static_cast<double>(row + 1);
          }
          if (end == rows_seen) {
            stream.last_step(std::vector{block}, out, workload.close(rows_seen, end - begin));
          } else {
            stream.step(std::vector{block}, out);
          }
        }
        long double expected = 0, size = 0;
        for (std::size_t row = 0; row < rows_seen; ++row) {
          const long double term =
              row_weight(workload, row, rows_seen, at.every) * static_cast<double>(row + 1);
          expected += term;
          size += std::abs(term);
        }
        // A few hundred roundings of positive terms, or of `size` where the custom matrix has both signs.
        ASSERT_NEAR(out[0], static_cast<double>(expected), 1e-13 * static_cast<double>(size))
            << workload.name() << " every " << at.every << " after " << rows_seen;
      }
    }
  }
}

TEST(Workload, OverABlockIsEquallyWellKnownByRecursionAndAsAMatrix) {
  // The partial last block of a decay must not lose its place in the norms.
  const Horizon horizon(353, 7);
  for (const Workload& workload : workloads(horizon)) {
    const Filter a = workload.filter(horizon);
    const std::vector<double> norms = squared_inverse_row_norms(Filter::identity(a.steps()));
    const std::vector<double> got = squared_error_row_norms(a, Filter::identity(a.steps()));
    const Eigen::VectorXd expected = a.to_dense().rowwise().squaredNorm();
    for (std::size_t t = 0; t < a.steps(); ++t) {
      EXPECT_NEAR(got[t], expected(static_cast<Eigen::Index>(t)),
                  1e-13 * expected(static_cast<Eigen::Index>(t)));
      EXPECT_EQ(norms[t], 1.0);
    }
  }
}

TEST(WeightSum, OfASlowDecayDoesNotCancel) {
  using Big = boost::multiprecision::cpp_dec_float_50;
  for (const double beta : {1e-9, .3, .9, .999999, 1 - 1e-12}) {
    const Horizon horizon(1'000'000, 1000);
    for (const std::size_t rows : {std::size_t{1}, std::size_t{1000}, std::size_t{999'999}}) {
      const Big exact = (1 - pow(Big(beta), static_cast<int>(rows))) / (1 - Big(beta));
      const double got = decay(beta).weight_sum((rows - 1) / 1000, rows, horizon);
      // log1p, expm1, the product and the quotient: four roundings; log1p(beta - 1) has one more below 1/2.
      EXPECT_LE(abs(Big(got) / exact - 1).convert_to<double>(), 1e-15) << beta << " " << rows;
    }
  }
}

TEST(Decay, WithAHugeBlockForgetsTheBlocksBefore) {
  const Filter filter = decay(.5).filter(Horizon(1'000'000, 100'000));  // .5^100000 is 0 in double
  for (const double weight : filter.row_weights(9)) EXPECT_TRUE(std::isfinite(weight));
  EXPECT_EQ(filter.row_weights(9)[9], 1.0);
  EXPECT_EQ(filter.row_weights(9)[8], 0.0);
}

TEST(WeighsRows, OnlyInDecayingBlocks) {
  EXPECT_TRUE(decay(.9).weighs_rows(Horizon(10, 2)));
  EXPECT_FALSE(decay(.9).weighs_rows(Horizon(10, 1)));
  EXPECT_FALSE(mean().weighs_rows(Horizon(10, 2)));
  EXPECT_FALSE(prefix().weighs_rows(Horizon(10, 2)));
  EXPECT_FALSE(window(4).weighs_rows(Horizon(10, 2)));
}

TEST(ParseWorkload, ReadsEveryNameItWrites) {
  for (const char* text : {"prefix", "mean", "decay:0.99", "decay:1e-05", "decay:0.9999999999999999",
                           "window:1", "window:100", "window:18446744073709551615"}) {
    EXPECT_EQ(Workload::parse(text).name(), text);
  }
  EXPECT_EQ(Workload::parse("decay:.99").beta(), .99);
  EXPECT_EQ(Workload::parse("window:100").window_rows(), 100u);
  EXPECT_EQ(custom(Eigen::MatrixXd::Identity(2, 2), "@a.npy").name(), "@a.npy");
}

TEST(ParseWorkload, DoesNotAskTheLocale) {
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // decimal comma; where it is not installed, the C locale stays
  EXPECT_EQ(Workload::parse("decay:0.5").beta(), .5);
  EXPECT_THROW(Workload::parse("decay:0,5"), InvalidParameter);
  std::setlocale(LC_ALL, "C");
}

TEST(ParseWorkload, SaysWhatIsAllowed) {
  EXPECT_THAT([] { Workload::parse("foo"); },
              ThrowsMessage<InvalidParameter>(
                  "workload = foo: must be prefix, mean, decay:BETA, window:ROWS or @matrix.npy"));
  EXPECT_THAT([] { Workload::parse("decay:1", "workload2"); },
              ThrowsMessage<InvalidParameter>("workload2 = decay:1: must be decay:BETA with BETA in (0, 1)"));
  EXPECT_THAT([] { Workload::parse("window:0"); },
              ThrowsMessage<InvalidParameter>(
                  "workload = window:0: must be window:ROWS with a whole number ROWS of at least 1"));
}

TEST(ParseWorkload, RefusesEverythingElse) {
  for (const char* text : {"",           "Prefix",     "prefix ",
                           "mean:1",     "decay",      "decay:",
                           "decay:x",    "decay:0",    "decay:1",
                           "decay:-0.5", "decay:nan",  "decay:inf",
                           "decay:0.5x", "decay: 0.5", "decay:1e-400",
                           "window",     "window:",    "window:-1",
                           "window:1.5", "window:10x", "window:99999999999999999999",
                           "@matrix.npy"}) {
    EXPECT_THROW(Workload::parse(text), InvalidParameter) << text;
  }
}

TEST(Workload, RefusesAHorizonThatDoesNotFit) {
  EXPECT_THAT([] { (void)window(11).filter(Horizon(10)); },
              ThrowsMessage<InvalidParameter>(
                  "workload = window:11: must be a window of at most 10 rows, the horizon"));
  EXPECT_THAT([] { (void)window(10).filter(Horizon(100, 3)); },
              ThrowsMessage<InvalidParameter>(
                  "workload = window:10: must be a window of a multiple of every = 3 rows"));
  EXPECT_THAT([] { (void)custom(Eigen::MatrixXd::Identity(3, 3), "@a.npy").filter(Horizon(8, 2)); },
              ThrowsMessage<InvalidParameter>("@a.npy: is a matrix for 3 steps, but the horizon has 4"));
}

TEST(Workload, RefusesParametersOutsideTheirRange) {
  for (const double beta : {0.0, 1.0, -1.0, 2.0, std::nan(""), double{INFINITY}}) {
    EXPECT_THROW((void)decay(beta), InvalidParameter);
  }
  EXPECT_THROW((void)window(0), InvalidParameter);
  EXPECT_THAT([] { (void)custom(Eigen::MatrixXd::Ones(2, 2), "@a.npy"); },
              ThrowsMessage<InvalidParameter>(HasSubstr("@a.npy: must be lower triangular")));
}

}  // namespace
}  // namespace jme
