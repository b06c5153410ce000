#include "service/request_book.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>

#include "service/served.hpp"

namespace jme {
namespace {

using service::RequestBook;
using test::csv_rows;
using test::numbered;
using test::rows;

constexpr double day = 24 * 3600;

class RequestsOnDisk : public test::ServiceTest {
 protected:
  RequestsOnDisk() {
    set_time(1'800'000'000);
    create("}",
           R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":1000000,)"
           R"("every":100)");
  }
  void pass(double seconds) { set_time(*time_ + seconds); }
  /// Bytes of all files of the folder.
  [[nodiscard]] std::uintmax_t bytes() const {
    std::uintmax_t sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator(state())) sum += entry.file_size();
    return sum;
  }
};

TEST_F(RequestsOnDisk, AreKnownForSevenDaysAndGoneADayLater) {
  static_cast<void>(stream().take(rows(csv_rows(2), "old")));
  pass(3 * day);
  static_cast<void>(stream().take(rows(csv_rows(2), "young")));
  pass(4 * day - 1);
  EXPECT_TRUE(stream().take(rows(csv_rows(2), "old")).repeated);
  pass(1);
  EXPECT_TRUE(stream().take(rows(csv_rows(2), "young")).repeated);
  EXPECT_EQ(stream().standing().due, static_cast<Seconds>(*time_ + day));
  const auto rewritten = stream().standing().due;
  pass(day);  // nobody writes: the clock alone makes it happen
  EXPECT_NE(stream().standing().due, rewritten);
  EXPECT_TRUE(stream().take(rows(csv_rows(2), "young")).repeated);
  restart();
  EXPECT_TRUE(stream().take(rows(csv_rows(2), "young")).repeated);
  EXPECT_FALSE(stream().take(rows(csv_rows(2), "old")).repeated);
  EXPECT_EQ(stream().standing().counts->rows, 6U);
}

TEST_F(RequestsOnDisk, TakeNoMoreRoomThanThoseThatAreKnown) {
  std::uintmax_t after_first = 0;
  for (int week = 0; week < 6; ++week) {
    for (int i = 0; i < 200; ++i) {
      static_cast<void>(stream().take(rows(csv_rows(1), fmt::format("{} {}", week, i))));
    }
    service_.reset();  // which brings SQLite's log into the database
    if (week == 1) after_first = bytes();
    restart();
    pass(8 * day);
  }
  service_.reset();
  EXPECT_LT(bytes(), after_first + after_first / 4);
}

TEST_F(RequestsOnDisk, LeaveBehindWhoWritesAndWhoNumbersRows) {
  static_cast<void>(stream().take(numbered(csv_rows(3), 0, 2)));
  pass(9 * day);
  restart();
  EXPECT_FALSE(stream().standing().due);  // nothing is known that could become too old
  EXPECT_THROW(stream().take(rows(csv_rows(1), "", "other")), NotYours);
  EXPECT_EQ(stream().take(numbered(csv_rows(1), 3, 3)).first_row, 3U);
}

TEST_F(RequestsOnDisk, AreRewrittenWhereTheStreamHasEnded) {
  create("}", R"({"name":"b","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":4)");
  static_cast<void>(stream("b").take(rows(csv_rows(4), "a")));
  EXPECT_TRUE(stream("b").standing().finished);
  const std::string lines = test::all_lines(stream("b"));
  restart();
  pass(9 * day);
  EXPECT_FALSE(stream("b").standing().due);
  EXPECT_EQ(stream("b").standing().problem, "");
  restart();
  EXPECT_THROW(stream("b").take(rows(csv_rows(4), "a")), BudgetExhausted);
  EXPECT_EQ(test::all_lines(stream("b")), lines);
}

TEST(RequestBook, ForgetsTheOldestBeyondItsSizeAndAsksForRewriting) {
  constexpr int most = 5000;
  RequestBook book(Key(std::array<std::uint8_t, 32>{1}), most);
  const auto entry = [&](int i, WriteRequest::Content content) {
    WriteRequest request{.token = "t", .content = content, .body = "x"};
    request.repeats = WriteRequest::Repeats::by_key;
    request.key = std::to_string(i);
    return book.entry_for(request, 1000);
  };
  using enum WriteRequest::Content;
  for (int i = 0; i < most; ++i) book.add(entry(i, csv));
  for (int i = 0; i < 10; ++i) book.add(entry(i, block));
  EXPECT_NE(book.find(entry(0, csv)), nullptr);
  EXPECT_FALSE(book.must_be_rewritten(1000));
  book.add(entry(most, csv));
  EXPECT_EQ(book.find(entry(0, csv)), nullptr);
  EXPECT_NE(book.find(entry(1, csv)), nullptr);
  EXPECT_NE(book.find(entry(0, block)), nullptr);
  EXPECT_FALSE(book.must_be_rewritten(1000));
  EXPECT_TRUE(book.must_be_rewritten(1000 + RequestBook::seconds_on_disk));
  book.forget(1000 + RequestBook::seconds_known);
  EXPECT_TRUE(book.must_be_rewritten(1000 + RequestBook::seconds_known));
  EXPECT_EQ(book.known().size(), 11U);  // ten blocks, and the token
}

TEST(RequestBook, KnowsTheJobThatMakesBlocksAfterEverythingElseWasForgotten) {
  const Key key(std::array<std::uint8_t, 32>{1});
  const auto block = [](RequestBook& book, const std::string& job) {
    WriteRequest request{.token = "t", .content = WriteRequest::Content::block, .body = "x"};
    request.repeats = WriteRequest::Repeats::by_key;
    request.key = job + ":0";
    request.origin = job;
    return book.entry_for(request, 1000);
  };
  RequestBook book(key, 0);  // forgets every name at once
  book.add(block(book, "first"));
  ASSERT_EQ(book.find(block(book, "first")), nullptr);
  RequestBook next(key, 0);
  for (const service::BookEntry& entry : book.known()) {
    next.add(service::BookEntry::decoded(entry.encoded()));
  }
  EXPECT_EQ(next.find(block(next, "first")), nullptr);
  EXPECT_THROW(static_cast<void>(next.find(block(next, "second"))), Conflict);
  EXPECT_EQ(next.find(block(next, "")), nullptr);
}

TEST(RequestBook, ReadsRecordsThatSayNothingOfJobs) {
  service::BookEntry entry{.token = "t", .time = 1000};
  const store::Bytes now = entry.encoded();
  const std::size_t added = sizeof(std::uint64_t) + sizeof(store::Tag);
  const service::BookEntry before = service::BookEntry::decoded(std::span(now).first(now.size() - added));
  EXPECT_EQ(before.token, "t");
  EXPECT_FALSE(before.has_origin);
}

// A key that was forgotten, and is on disk until the journal is written anew, may be used again.
TEST(RequestBook, HasOnePlaceForAKeyThatCameAgainAfterItWasForgotten) {
  RequestBook book(Key(std::array<std::uint8_t, 32>{1}));
  const auto entry = [&](std::int64_t time) {
    WriteRequest request{.token = "t", .body = "x"};
    request.repeats = WriteRequest::Repeats::by_key;
    request.key = "every week";
    return book.entry_for(request, time);
  };
  const std::int64_t again = 1000 + RequestBook::seconds_known + 100;
  book.add(entry(1000));  // as a new process reads both of them
  book.add(entry(again));
  EXPECT_EQ(book.known().size(), 2U);  // it, and the token
  book.forget(again + RequestBook::seconds_known);
  EXPECT_EQ(book.known().size(), 1U);
  EXPECT_EQ(book.find(entry(again)), nullptr);
  book.add(entry(2000));  // where the machine's clock was set back
  book.add(entry(1990));
  EXPECT_EQ(book.known().size(), 2U);
}

}  // namespace
}  // namespace jme
