// Calibration of rows in a box, from the definition alone: every entry and count that is released, divided by
// its own standard deviation, may move by at most 1/sigma in all, on every pair of neighbours.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/calibration/calibration.hpp>

#include "sensitivity/box_rows.hpp"

namespace jme {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double box_sigma = 0.8;

RowModel box_rows(std::size_t d, Presence presence = Presence::complete) {
  return {.dimension = d,
          .norm_bound = std::sqrt(static_cast<double>(d)) * (1 + 1e-12),
          .geometry = Geometry::box,
          .presence = presence,
          .counts_rows = presence != Presence::complete};
}

struct Person {
  std::string what;
  MatrixXd gram_first, gram_second;  ///< of one person's rows
};

/// sigma^2 times the largest squared shift, by ascent over the person's rows. `off` scales the noise off the
/// diagonal.
double spent(const CalibrationRequest& request, const Calibration& c, const Person& person, double off = 1) {
  const auto others = static_cast<double>(request.rows.dimension - 1);
  const auto weight = [](double std) { return std > 0 ? 1 / (std * std) : 0.0; };
  // The values' own weight is taken into the Gram matrices, and out of everything else in their channel.
  const double unit = weight(c.std_first);
  const bool is_bounded = request.rows.norm_bound * request.rows.norm_bound < others + 1;
  const testing::BoxProblem problem{
      .weights = {.diagonal = weight(c.std_second) / unit,
                  .off_diagonal = weight(off * c.std_off_diagonal) / unit * others,
                  .cells = weight(c.std_count) / unit,
                  .pairs = weight(c.std_pair_count) / unit * others,
                  .row = weight(c.std_rows) / unit},
      .dimension = request.rows.dimension,
      .presence = request.rows.presence,
      .adjacency = request.rows.adjacency,
      .norm_bound = is_bounded ? request.rows.norm_bound : 1e9,
      .gram_first = person.gram_first,
      .gram_second = person.gram_second};
  return box_sigma * box_sigma * unit * testing::largest_found(problem, 12, 31);
}

struct Case {
  Exposure exposure;
  std::vector<Person> people;
};

MatrixXd one(double value) {
  return MatrixXd::Constant(1, 1, value);
}

/// Identity; columns of norm 1 that overlap; unequal columns; two rows of one person, in the bound's own
/// terms.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  cases.push_back({single_exposure({1}, {1}), {{"identity", one(1), one(1)}}});
  cases.push_back(
      {single_exposure({4, 1, 2}, {1, 3, 2}),
       {{"unequal 1", one(4), one(1)}, {"unequal 2", one(1), one(3)}, {"unequal 3", one(2), one(2)}}});
  MatrixXd first(2, 2), second(2, 2);
  first << 1, 0.4, 0.4, 1;
  second << 1, 0.3, 0.3, 1;
  cases.push_back({Exposure{.patterns = {{{.first = 1.4, .second = 1.3}, {.first = 1.4, .second = 1.3}}},
                            .blocks_touched = 2},
                   {{"two rows", first, second}}});
  first << 1, -0.4, -0.4, 1;
  cases.push_back({cases.back().exposure, {{"two rows, opposite", first, second}}});
  return cases;
}

TEST(BoxPrivacy, HoldsForEveryShapePresenceAndAdjacency) {
  for (const Case& shape : all_cases()) {
    for (std::size_t d : {1U, 2U, 4U}) {
      for (const Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
        for (const Presence presence : {Presence::complete, Presence::rows, Presence::cells}) {
          for (const Method method : {Method::jme, Method::lambda_jme}) {
            for (const SecondMoment second :
                 {SecondMoment::none, SecondMoment::diagonal, SecondMoment::full}) {
              CalibrationRequest request{.method = method,
                                         .sigma = box_sigma,
                                         .rows = box_rows(d, presence),
                                         .exposure = shape.exposure,
                                         .second = second};
              request.rows.adjacency = adjacency;
              const Calibration calibration = calibrate(request);
              double most = 0;
              for (const Person& person : shape.people) {
                most = std::max(most, spent(request, calibration, person));
              }
              SCOPED_TRACE(::testing::Message()
                           << shape.people[0].what << " " << d << " " << name(adjacency) << " "
                           << static_cast<int>(presence) << " " << name(method) << " " << name(second));
              EXPECT_LE(most, 1 + 1e-12);
              // What jme promises of single rows is exact under replace-one: no noise is wasted.
              if (method == Method::jme && shape.people[0].gram_first.cols() == 1 &&
                  adjacency == Adjacency::replace_one) {
                EXPECT_GE(most, 1 - 1e-6);
              } else {
                EXPECT_GE(most, 0.3);
              }
            }
          }
        }
      }
    }
  }
}

TEST(BoxPrivacy, OfEveryLambdaHolds) {
  const Person person{"identity", one(1), one(1)};
  for (const Presence presence : {Presence::complete, Presence::cells}) {
    for (double lambda : {0.1, 1.0, 2.2, 2.5, 3.0, 10.0}) {
      const CalibrationRequest request{.method = Method::lambda_jme,
                                       .sigma = box_sigma,
                                       .rows = box_rows(3, presence),
                                       .exposure = single_exposure({1}, {1}),
                                       .lambda = lambda};
      const double most = spent(request, calibrate(request), person);
      EXPECT_LE(most, 1 + 1e-12) << lambda;
      EXPECT_GE(most, 0.8) << lambda;
    }
  }
}

TEST(BoxPrivacy, HoldsWithANormBoundBelowTheCorners) {
  const Person person{"identity", one(1), one(1)};
  for (const Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
    for (double bound : {0.7, 1.3, 1.9}) {
      for (const bool counts : {false, true}) {
        CalibrationRequest request{.sigma = box_sigma,
                                   .rows = box_rows(4, counts ? Presence::rows : Presence::complete),
                                   .exposure = single_exposure({1}, {1})};
        request.rows.adjacency = adjacency;
        request.rows.norm_bound = bound;
        const Calibration calibration = calibrate(request);
        EXPECT_LE(spent(request, calibration, person), 1 + 1e-12);
        if (adjacency == Adjacency::add_remove) continue;
        EXPECT_GE(spent(request, calibration, person), 1 - 1e-6);
        EXPECT_NEAR(calibration.std_first, box_sigma * 2 * bound, 1e-11);
      }
    }
  }
}

TEST(BoxPrivacy, FailsForNoiseTenPercentTooSmallAndForTheBallsProducts) {
  const Person person{"identity", one(1), one(1)};
  CalibrationRequest request{.sigma = box_sigma, .rows = box_rows(4), .exposure = single_exposure({1}, {1})};
  const Calibration calibration = calibrate(request);
  CalibrationRequest less = request;
  less.sigma = 0.9 * box_sigma;
  EXPECT_GT(spent(request, calibrate(less), person), 1.2);
  EXPECT_GT(spent(request, calibration, person, 0.97), 1.001);
}

TEST(BoxCalibration, HasItsOwnNoiseForEveryKindOfEntry) {
  CalibrationRequest request{
      .sigma = box_sigma, .rows = box_rows(5, Presence::cells), .exposure = single_exposure({9}, {9})};
  const double std_first = box_sigma * 2 * std::sqrt(5.0) * 3;
  for (const Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
    request.rows.adjacency = adjacency;
    const Calibration cells = calibrate(request);
    // With the row count at its limit both adjacencies need the same noise.
    EXPECT_NEAR(cells.std_first, std_first, 1e-10);
    EXPECT_DOUBLE_EQ(cells.lambda, 1);
    EXPECT_NEAR(cells.std_second, std_first, 1e-10);
    EXPECT_NEAR(cells.std_off_diagonal, std_first * 2, 1e-10);
    EXPECT_NEAR(cells.std_pair_count, std_first * std::sqrt(8.0), 1e-10);
    EXPECT_NEAR(cells.std_count, std_first * std::sqrt(2.0), 1e-10);
    EXPECT_NEAR(cells.std_rows, std_first / std::sqrt(3.75), 1e-10);
  }
  request.rows = box_rows(5);
  const Calibration complete = calibrate(request);
  EXPECT_NEAR(complete.std_second, std_first / std::sqrt(2.0), 1e-10);
  EXPECT_NEAR(complete.std_off_diagonal, std_first * 2, 1e-10);
  EXPECT_EQ(complete.std_count + complete.std_pair_count + complete.std_rows, 0);
  request.method = Method::lambda_jme;
  EXPECT_DOUBLE_EQ(calibrate(request).lambda, 4);
}

TEST(BoxCalibration, PaysForTheRoundingOfEveryEntryAtItsWeight) {
  CalibrationRequest request{
      .sigma = box_sigma, .rows = box_rows(5, Presence::cells), .exposure = single_exposure({9}, {9})};
  const double plain = calibrate(request).sensitivity;
  request.slack = {.first = 0.01, .second = 0.02, .count = 0.03};
  // 5 values; 5 counts of weight 1/2 and one of 15/4. 5 squares, 10 products of weight 1/4, 10 pairs of 1/8.
  const double first = std::sqrt(5 * 1e-4 + (2.5 + 3.75) * 9e-4);
  const double second = std::sqrt((5 + 2.5) * 4e-4 + 1.25 * 9e-4);
  EXPECT_NEAR(calibrate(request).sensitivity, plain + 3 * first + 3 * second, 1e-12);
}

TEST(BoxCalibration, IsForTheJointMethodsAlone) {
  for (const Method method : {Method::ime, Method::cs, Method::pp, Method::pp_debiased}) {
    CalibrationRequest request{.method = method, .rows = box_rows(3), .exposure = single_exposure({1}, {1})};
    EXPECT_THROW((void)calibrate(request), InvalidParameter);
    request.rows.geometry = Geometry::ball;
    EXPECT_NO_THROW((void)calibrate(request));
    request.rows.counts_rows = true;
    EXPECT_THROW((void)calibrate(request), InvalidParameter);
  }
}

}  // namespace
}  // namespace jme
