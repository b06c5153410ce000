#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/base/horizon.hpp>
#include <jme/base/parse.hpp>
#include <jme/base/spelling.hpp>
#include <jme/base/values.hpp>

#include "base/packed_triangle.hpp"

namespace jme {
namespace {

std::string message(const std::exception& error) {
  return error.what();
}

TEST(InvalidParameter, NamesTheParameterItsValueAndWhatIsAllowed) {
  EXPECT_EQ(message(InvalidParameter("delta", 1.0, "in (0, 1)")), "delta = 1: must be in (0, 1)");
  EXPECT_EQ(message(InvalidParameter("shape", "foo", "auto")), "shape = foo: must be auto");
  EXPECT_EQ(message(InvalidParameter("rows", "must be given")), "rows: must be given");
}

TEST(NearestSpelling, IsTheWordWithTheFewestLettersChanged) {
  const std::vector<std::string> words{"--epsilon", "--delta", "--every"};
  EXPECT_EQ(nearest_spelling("--epsilo", words), "--epsilon");
  EXPECT_EQ(nearest_spelling("--delat", words), "--delta");
  EXPECT_EQ(nearest_spelling("evry", words), "--every");
  EXPECT_EQ(nearest_spelling("x", {}), "");
}

TEST(InvalidParameter, SaysItsFieldWithUnderscoresSoThatEveryFrontCanSpellIt) {
  EXPECT_EQ(InvalidParameter("norm-bound", 0.0, "above 0").field(), "norm_bound");
  EXPECT_EQ(InvalidParameter("shape", "foo", "auto").field(), "shape");
  EXPECT_EQ(InvalidParameter("max-state-vectors", "must be given").field(), "max_state_vectors");
}

TEST(DataError, NamesTheSettingThatWouldHelpInItsMessageAndApart) {
  const Remedy plain{.field = "compression", .value = "none"}, bare{.field = "no_header"};
  EXPECT_EQ(plain.words(), "compression none");
  EXPECT_EQ(bare.words(), "no-header");
  const DataError file("a.gz: use " + plain.words(), plain), row("a.csv:3: use " + bare.words(), 2, 1, bare);
  EXPECT_EQ(file.remedy()->field, "compression");
  EXPECT_EQ(file.row(), std::nullopt);
  EXPECT_EQ(row.remedy()->field, "no_header");
  EXPECT_EQ(row.row(), 2U);
  EXPECT_EQ(DataError("no rows").remedy(), std::nullopt);
}

TEST(DataError, SaysRowAndColumnWhereThereIsOne) {
  const DataError cell("row 3, column 2: missing", 3, 2), row("row 3: has 1 value", 3), file("no rows");
  EXPECT_EQ(cell.row(), 3U);
  EXPECT_EQ(cell.column(), 2U);
  EXPECT_EQ(row.row(), 3U);
  EXPECT_FALSE(row.column());
  EXPECT_FALSE(file.row());
  EXPECT_EQ(message(cell), "row 3, column 2: missing");
}

TEST(Parameters, AreReadStrictlyAndInAnyLocale) {
  EXPECT_EQ(parse_count("rows", "1e6"), 1'000'000U);
  EXPECT_EQ(parse_list("emit", "a,b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parse_list("columns", "\"a,b\",c=d,\"\"\"\""), (std::vector<std::string>{"a,b", "c=d", "\""}));
  EXPECT_THROW(static_cast<void>(parse_list("columns", "\"a,b")), InvalidParameter);
  EXPECT_EQ(parse_second("diagonal"), SecondMoment::diagonal);
  EXPECT_EQ(name(SecondMoment::none), "none");
  EXPECT_THROW(static_cast<void>(parse_count("rows", "1.5")), InvalidParameter);
  EXPECT_THROW(static_cast<void>(parse_positive("sigma", "inf")), InvalidParameter);
  EXPECT_THROW(static_cast<void>(parse_real("sigma", "1,5")), InvalidParameter);
  EXPECT_THROW(static_cast<void>(parse_list("emit", "a,,b")), InvalidParameter);
  EXPECT_THROW(static_cast<void>(parse_second("both")), InvalidParameter);
}

TEST(CheckedValues, RefuseWhatIsOutsideTheirRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    EXPECT_THROW(Epsilon{bad}, InvalidParameter);
    EXPECT_THROW(NormBound{bad}, InvalidParameter);
  }
  for (const double bad : {0.0, -1.0, 1.0, 2.0, nan}) EXPECT_THROW(Delta{bad}, InvalidParameter);
  EXPECT_EQ(static_cast<double>(Delta{1e-300}), 1e-300);
}

TEST(Horizon, CutsRowsIntoBlocksOfWhichTheLastMayBeShorter) {
  const Horizon horizon(10, 4);
  EXPECT_EQ(horizon.steps(), 3U);
  EXPECT_EQ(horizon.rows_in_step(0), 4U);
  EXPECT_EQ(horizon.rows_in_step(2), 2U);
  EXPECT_EQ(horizon.rows_through(1), 8U);
  EXPECT_EQ(horizon.rows_through(2), 10U);
  EXPECT_EQ(horizon.by_row().steps(), 10U);
}

TEST(Horizon, RefusesNothingAndTooMuch) {
  EXPECT_THROW(Horizon(0), InvalidParameter);
  EXPECT_THROW(Horizon(5, 0), InvalidParameter);
  EXPECT_THROW(Horizon(Horizon::most_steps + 1), InvalidParameter);
  EXPECT_NO_THROW(Horizon(1'000'000'000'000, 100'000));
  EXPECT_EQ(Horizon(std::numeric_limits<std::size_t>::max(), std::size_t{1} << 40).steps(),
            std::size_t{1} << 24);
}

TEST(SecondMomentSize, CountsTheSymmetricHalf) {
  EXPECT_EQ(second_moment_size(SecondMoment::full, 4), 10U);
  EXPECT_EQ(second_moment_size(SecondMoment::diagonal, 4), 4U);
  EXPECT_EQ(second_moment_size(SecondMoment::none, 4), 0U);
}

TEST(PackedTriangle, KnowsTheRowOfEveryEntry) {
  for (const std::size_t d : {1, 2, 3, 10, 57}) {
    const PackedTriangle triangle{d};
    EXPECT_EQ(triangle.size(), d * (d + 1) / 2);
    std::size_t k = 0;
    for (std::size_t i = 0; i < d; ++i) {
      EXPECT_EQ(triangle.diagonal(i), k);
      for (std::size_t j = i; j < d; ++j) EXPECT_EQ(triangle.row_of(k++), i);
    }
  }
}

TEST(PackedTriangle, IsExactAtTheEdgesOfRowsHoweverLarge) {
  const PackedTriangle triangle{3'000'000};
  for (std::size_t i = 1; i < triangle.dimension; i += 997) {
    ASSERT_EQ(triangle.row_of(triangle.diagonal(i)), i);
    ASSERT_EQ(triangle.row_of(triangle.diagonal(i) - 1), i - 1);
  }
  EXPECT_EQ(triangle.row_of(triangle.size() - 1), triangle.dimension - 1);
}

}  // namespace
}  // namespace jme
