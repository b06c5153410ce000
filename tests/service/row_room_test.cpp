#include <optional>

#include <gtest/gtest.h>

#include "service/served.hpp"

namespace jme::test {
namespace {

TEST(RowRoom, IsGivenBackAndNeverExceededByASecondPart) {
  RowRoom room(100);
  std::optional<RowRoom::Part> large(std::in_place, &room, 300);  // alone, whatever it needs
  EXPECT_THROW(RowRoom::Part(&room, 1), Busy);
  large.reset();
  RowRoom::Part first(&room, 60);
  EXPECT_THROW(RowRoom::Part(&room, 41), Busy);
  RowRoom::Part moved(std::move(first));
  const RowRoom::Part second(&room, 40);
  EXPECT_THROW(RowRoom::Part(&room, 1), Busy);
  moved = RowRoom::Part(nullptr, 0);
  EXPECT_NO_THROW(RowRoom::Part(&room, 60));
}

class RowsInMemory : public ServiceTest {};

TEST_F(RowsInMemory, OfAnotherRequestWaitForRoom) {
  service_.reset();
  service_.emplace(ServiceOptions{.state = state(), .most_waiting_rows = 1000});
  ServedStream& air = create();
  std::optional<bool> was_busy;
  // Its own rows are in memory until `done` returns: 50 rows of two cells of eight bytes.
  air.submit(rows(csv_rows(50)), [&](const WriteAnswer&, const std::exception_ptr& error) {
    EXPECT_FALSE(error);
    try {
      air.submit(rows(csv_rows(20)), [](const WriteAnswer&, const std::exception_ptr&) {});
      was_busy = false;
    } catch (const Busy&) {
      was_busy = true;
    }
  });
  EXPECT_EQ(was_busy, true);
  EXPECT_EQ(air.take(rows(csv_rows(20))).first_row, 50U);
}

TEST_F(RowsInMemory, OfOneBodyAreLimited) {
  service_.reset();
  service_.emplace(ServiceOptions{.state = state(), .limits = {.most_bytes = 1600}});
  ServedStream& air = create();
  EXPECT_EQ(air.take(rows(csv_rows(90))).rows, 90U);
  EXPECT_THROW(air.take(rows("temp,co\n" + std::string(101, '\n'))), TooManyRows);
  EXPECT_EQ(air.standing().counts->rows, 90U);
  EXPECT_EQ(air.take(rows("temp,co\n" + std::string(10, '\n'))).unread, 10U);
}

TEST_F(RowsInMemory, AndReleasesInPartsAreThoseOfTheWholeLine) {
  ServedStream& air = create();
  air.take(rows(csv_rows(30)));
  const LineLog& lines = air.lines();
  for (std::size_t i = 0; i < 3; ++i) {
    const ReleaseLine whole = lines.read(i, 0).front();
    EXPECT_EQ(lines.length(i), whole.text.size());
    std::string text;
    for (std::size_t at = 0; at < whole.text.size(); at += 7) {
      const ReleaseLine part = lines.part(i, at, 7);
      EXPECT_EQ(part.t, whole.t);
      text += part.text;
    }
    EXPECT_EQ(text, whole.text);
  }
}

TEST_F(RowsInMemory, EndOnlyAsManyBlocksInOneRequestAsHaveRoomTogether) {
  const std::string settings =
      R"({"name":"many","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":240000,"every":2)";
  ServedStream& many = create("}", settings.c_str());
  // 2 + 3 numbers in each release: 2^28 / (2048 + 5 * 80) = 109,655 blocks.
  static_cast<void>(many.take(rows("temp,co\n1,1\n")));
  EXPECT_THROW(many.take(rows(csv_rows(2 * 109'655 + 1))), TooManyRows);
  EXPECT_EQ(many.standing().counts->rows, 1U);
  EXPECT_EQ(many.take(rows(csv_rows(40))).released.size(), 20U);
}

}  // namespace
}  // namespace jme::test
