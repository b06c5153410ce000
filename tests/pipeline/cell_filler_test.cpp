// Fills from releases whose number of rows is private.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <jme/pipeline/cell_filler.hpp>

#include "models/synthetic.hpp"

namespace jme {
namespace {

TEST(CellFiller, DividesByThePrivateCountOnceItIsKnown) {
  const std::vector<std::string> columns{"a", "b", "c"};
  const ReleaseLayout layout{.dimension = 3, .second = SecondMoment::full, .row_count = true};
  const std::array<std::size_t, 1> missing{0};
  for (const char* rule : {"mean", "model"}) {
    CellFiller filler(MissingRules::parse(rule).of(columns, ColumnBounds::none(3)), std::sqrt(3.0), true);
    // Half of the rows do not exist: the public weight is twice the count.
    Eigen::MatrixXd x(4000, 3);
    x.topRows(2000) = test::three_columns(2000);
    x.bottomRows(2000).setConstant(NAN);
    const Eigen::VectorXd mean = x.topRows(2000).colwise().mean().transpose();
    const auto fill = [&] {
      std::vector<double> row{NAN, mean(1), mean(2)};
      filler.fill(row, missing);
      return row[0];
    };
    filler.learn(test::numbers_of(x, layout, test::NoiseStds::box(2000, 3)).exact(1));
    EXPECT_EQ(fill(), 0) << rule << ": the count is below two deviations of its noise";
    filler.learn(test::numbers_of(x, layout, test::NoiseStds::box(0.1, 3)).exact(2));
    EXPECT_NEAR(fill(), mean(0), 1e-6) << rule;
  }
}

}  // namespace
}  // namespace jme
