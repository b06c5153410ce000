#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/configure.hpp>

#include "one_row.hpp"
#include "service/served.hpp"

namespace jme {
namespace {

using test::all_lines;
using test::block_of;
using test::rows;
using testing::HasSubstr;
using testing::Not;

constexpr const char* visits =
    R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":40,"every":10,)"
    R"("person":"who","rows_per_person":2,"insecure_test_seed":5)";

class ServedPeople : public test::ServiceTest {
 protected:
  ServedPeople() { create("}", visits); }
};

/// So many rows of eight people; every fifth row is nobody's.
std::string rows_of_people(std::size_t count, std::size_t from) {
  std::string text = "temp,who,co\n";
  for (std::size_t i = from; i < from + count; ++i) {
    text += fmt::format("{},{},{}\n", i % 40, i % 5 == 0 ? "" : fmt::format("person-{}", i % 8), 7 * i % 100);
  }
  return text;
}

TEST_F(ServedPeople, HaveTheirFirstRowsCountedHoweverRequestsAndProcessesDivideThem) {
  std::size_t taken = 0;
  for (const std::size_t count : {3U, 14U, 1U, 22U}) {
    const WriteRequest request = rows(rows_of_people(count, taken), fmt::format("key {}", taken));
    static_cast<void>(stream().take(request));
    EXPECT_TRUE(stream().take(request).repeated);
    restart();
    EXPECT_TRUE(stream().take(request).repeated);
    taken += count;
  }
  std::string settings = visits;
  settings.replace(settings.find(R"("name":"air",)"), 13, "");
  PreparedRun run(run_config(RunSettings::from_json(settings + "}", "test")));
  ReleaseWriter writer(units_of(run.bounds()), run.emit(), run.columns(),
                       counts_of(run.mechanism().workload_first()));
  std::string expected;
  const auto memory = run.open([&](const Release& release) { expected += writer.line(release); });
  std::map<std::size_t, int> counted;
  RowRules unlimited(run.bounds(), run.missing(), OnBadRow::zero, run.mechanism().config().norm_bound, true);
  for (std::size_t i = 0; i < 40; ++i) {
    std::vector<double> row(2, NAN);
    if (i % 5 != 0 && ++counted[i % 8] <= 2) {
      row = test::take_row(unlimited,
                           std::vector{static_cast<double>(i % 40), static_cast<double>(7 * i % 100)});
    }
    memory->add_rows(MatrixView::of_rows(row, 2), MatrixView::of_rows(row, 2));
  }
  EXPECT_EQ(all_lines(stream()), expected);
}

TEST_F(ServedPeople, OfArraysWithFurtherElementsAreNobody) {
  const std::string numbers =
      R"({"name":"NAME","epsilon":1,"delta":1e-6,"bounds":{"1":[-1,1],"2":[-1,1]},"rows":3,)"
      R"("person":"3","rows_per_person":1,"insecure_test_seed":5)";
  const auto released = [&](const std::string& name, const std::string& more, const std::string& body) {
    std::string settings = numbers;
    settings.replace(settings.find("NAME"), 4, name);
    ServedStream& stream = create(more + "}", settings.c_str());
    WriteRequest request = rows(body);
    request.content = WriteRequest::Content::ndjson;
    static_cast<void>(stream.take(request));
    return all_lines(stream);
  };
  const std::string last = "[1,1,\"p\"]\n[1,1,\"q\"]\n";
  const std::string nobodys = released("nobody", "", "{\"1\":1,\"2\":1}\n" + last);
  EXPECT_EQ(released("arrays", "", "[\"z\",1,\"p\",\"mal\"]\n" + last), nobodys);
  EXPECT_NE(released("own", "", "[1,1,\"mal\"]\n" + last), nobodys);
  const std::string wide = "[1,1,\"p\",0]\n[1,1,\"q\",0]\n";
  EXPECT_EQ(released("wide", R"(,"width":4)", "[1,1,\"p\"]\n" + wide), nobodys);
}

TEST_F(ServedPeople, AreRememberedWhereOldRequestsLeaveTheDisk) {
  set_time(1'800'000'000);
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(stream().take(rows(rows_of_people(8, 0), fmt::format("{}", i))));
    set_time(*time_ + 9 * 24 * 3600);
    restart();
  }
  const std::vector<Note> notes = stream().standing().counts->notes;
  EXPECT_TRUE(notes.empty());  // of this process
  static_cast<void>(stream().take(rows("temp,who,co\n1,person-1,2\n1,person-new,2\n")));
  ASSERT_EQ(stream().standing().counts->notes.size(), 1U);
  EXPECT_EQ(stream().standing().counts->notes.front().kind, Note::Kind::rows_over_limit);
  EXPECT_EQ(stream().standing().counts->notes.front().count, 1U);
}

// A writer could else tell from a number whether a person had rows before.
TEST_F(ServedPeople, AreToldClampedCellsOfTheirOwnRequestWhicheverOfItsRowsCount) {
  const std::string body =
      "temp,who,co\n98.6,ann,2\n50,ann,-1\nword,ann,500\n-21,ann,2\n,bob,500\n45,bob,100\n";
  const auto told = [&](const char* key) {
    std::string text;
    for (const ClampedCells& clamped : stream().take(rows(body, key)).clamped) {
      text += fmt::format("{} of {}: {} {}\n", clamped.column, clamped.cells, clamped.low, clamped.high);
    }
    return text;
  };
  // A record with a missing or unreadable cell is a bad row here.
  const std::string first = told("first");
  EXPECT_EQ(first, "0 of 4: 1 2\n1 of 4: 1 0\n");
  EXPECT_EQ(told("second"), first) << "now all of these people are over their limit";
  EXPECT_EQ(told("second"), first) << "repeated";
  const std::vector<Note> notes = stream().standing().counts->notes;
  for (const Note& note : notes) EXPECT_FALSE(is_about_clamping(note.kind));
}

TEST_F(ServedPeople, RefuseSumsWhichDoNotSayWhoseRowsTheyHave) {
  try {
    static_cast<void>(stream().take(block_of("a", BlockSum(stream().run().row_map()))));
    ADD_FAILURE() << "taken";
  } catch (const InvalidParameter& error) {
    EXPECT_EQ(error.field(), "person");
  }
}

TEST_F(ServedPeople, AreNowhereOnDiskByName) {
  static_cast<void>(stream().take(rows(rows_of_people(12, 0))));
  for (const auto& entry : std::filesystem::directory_iterator(state())) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(content, Not(HasSubstr("person-"))) << entry.path();
  }
}

}  // namespace
}  // namespace jme
