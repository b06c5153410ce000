#include <algorithm>
#include <cmath>
#include <string>

#include <gmock/gmock.h>

#include <jme/rows/row_batch.hpp>

namespace jme {
namespace {

using testing::ElementsAre;

TEST(RowBatch, HoldsWhatAFrontSaysOfEveryRow) {
  RowBatch batch(2);
  batch.add_row()[1] = 3;
  batch.add_row()[0] = RowBatch::missing;
  batch.set_person(1, "eve");
  batch.set_time(0, 60);
  batch.add_row()[0] = 5;
  batch.set_bad(2);
  EXPECT_EQ(batch.rows(), 3U);
  EXPECT_THAT(batch.row(0), ElementsAre(0, 3));
  EXPECT_TRUE(std::isnan(batch.row(1)[0]));
  EXPECT_THAT(batch.row(2), ElementsAre(0, 0));
  EXPECT_TRUE(batch.is_bad(2) && !batch.is_bad(0));
  EXPECT_EQ(batch.person(1), "eve");
  EXPECT_EQ(batch.person(0), std::nullopt);
  EXPECT_EQ(batch.time(0), 60);
  EXPECT_EQ(batch.time(2), std::nullopt);
  batch.clear(1);
  EXPECT_EQ(batch.rows(), 0U);
  EXPECT_EQ(batch.add_row().size(), 1U);
  EXPECT_FALSE(batch.has_bad());
  EXPECT_EQ(batch.person(0), std::nullopt);
}

TEST(RowBatch, ForgetsRowsThatWereAddedTooMany) {
  RowBatch batch(2);
  batch.add_unset_rows(3);
  std::ranges::fill(batch.cells(), 8.0);
  batch.set_bad(2);
  batch.set_person(0, "eve");
  batch.set_time(2, 5);
  batch.keep_first(1);
  EXPECT_THAT(batch.cells(), ElementsAre(8, 8));
  EXPECT_THAT(batch.add_row(), ElementsAre(0, 0));  // whatever was there before
  batch.add_row();
  EXPECT_TRUE(!batch.is_bad(1) && !batch.is_bad(2));
  EXPECT_EQ(batch.time(2), std::nullopt);
  EXPECT_EQ(batch.person(0), "eve");
  batch.clear(2);
  EXPECT_THAT(batch.add_row(), ElementsAre(0, 0));
}

TEST(RowBatch, AppendsRowsWithAllThatIsSaidOfThem) {
  RowBatch from(1), to(1);
  for (int i = 0; i < 4; ++i) {
    from.add_row()[0] = i;
    from.set_person(static_cast<std::size_t>(i), "p" + std::to_string(i));
  }
  from.set_bad(2);
  from.set_time(1, -7);
  to.add_row()[0] = 9;
  to.append(from, 1, 3);
  EXPECT_THAT(to.cells(), ElementsAre(9, 1, 0));
  EXPECT_EQ(to.person(0), std::nullopt);
  EXPECT_EQ(to.person(1), "p1");
  EXPECT_EQ(to.person(2), "p2");
  EXPECT_EQ(to.time(1), -7);
  EXPECT_TRUE(to.is_bad(2) && !to.is_bad(1));
}

}  // namespace
}  // namespace jme
