#include <atomic>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/service/service.hpp>
#include <jme/store/ledger.hpp>

#include "service/served.hpp"

namespace jme {
namespace {

using test::air;
using test::all_lines;
using test::block_of;
using test::csv_rows;
using test::numbered;
using test::rows;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ServedStreams : public test::ServiceTest {};

TEST_F(ServedStreams, GiveTheNumbersOfARunWithTheSameRowsHoweverTheyAreDivided) {
  const std::string filled = R"(,"missing":"mean","insecure_test_seed":5})";
  create(filled);
  std::size_t taken = 0;
  for (const std::size_t count : {1U, 9U, 4U, 25U, 60U, 1U}) {
    std::string body = csv_rows(count, taken);
    if (count == 25) body.replace(body.rfind("\n", body.size() - 2), std::string::npos, "\n,7\n");
    static_cast<void>(stream().take(rows(body)));
    taken += count;
    restart();
  }
  const std::string divided = all_lines(stream());

  RunSettings settings = RunSettings::from_json(
      R"({"epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":100,"every":10,"missing":"mean",
      "insecure_test_seed":5})",
      "test");
  PreparedRun run(run_config(settings));
  ReleaseWriter writer(units_of(run.bounds()), run.emit(), run.columns(),
                       counts_of(run.mechanism().workload_first()));
  std::string expected;
  RowFeed feed = run.feed([&](const Release& release) { expected += writer.line(release); });
  for (std::size_t i = 0; i < 100; ++i) {
    std::vector<double> row{static_cast<double>(i % 40), static_cast<double>((7 * i) % 100)};
    if (i == 38) row = {NAN, 7};
    feed.push(row);
  }
  EXPECT_EQ(divided, expected);
  EXPECT_TRUE(stream().standing().finished);
}

TEST_F(ServedStreams, AnswerWithTheReleasesThatTheRequestClosed) {
  create();
  EXPECT_THAT(stream().take(rows(csv_rows(9))).released, ElementsAre());
  const WriteAnswer answer = stream().take(rows(csv_rows(25)));
  EXPECT_EQ(answer.first_row, 9U);
  EXPECT_EQ(answer.rows, 25U);
  EXPECT_THAT(answer.released, ElementsAre(10, 20, 30));
  EXPECT_EQ(stream().lines().size(), 3U);
  EXPECT_EQ(stream().lines().index_after(10), 1U);
  EXPECT_EQ(stream().lines().newest(), 30U);
  EXPECT_EQ(stream().standing().counts->rows, 34U);
  EXPECT_EQ(stream().standing().counts->rows_released, 30U);
}

TEST_F(ServedStreams, TakeARequestThatComesAgainOnlyOnce) {
  create();
  const WriteAnswer first = stream().take(rows(csv_rows(12), "a"));
  for (int i = 0; i < 2; ++i) {
    const WriteAnswer again = stream().take(rows(csv_rows(12), "a"));
    EXPECT_TRUE(again.repeated);
    EXPECT_EQ(again.first_row, first.first_row);
    EXPECT_EQ(again.released, first.released);
    EXPECT_EQ(stream().standing().counts->rows, 12U);
    restart();
  }
  EXPECT_EQ(stream().take(rows(csv_rows(12), "b")).first_row, 12U);
  EXPECT_EQ(stream().take(rows(csv_rows(1))).first_row, 24U);
  EXPECT_EQ(stream().take(rows(csv_rows(1))).first_row, 25U);
}

TEST_F(ServedStreams, RefuseAnotherBodyUnderAKeyAndTellAnotherTokenNothing) {
  create();
  static_cast<void>(stream().take(rows(csv_rows(3), "a")));
  const auto message = [&](const WriteRequest& request) -> std::string {
    try {
      static_cast<void>(stream().take(request));
    } catch (const Conflict& error) {
      return std::string("conflict: ") + error.what();
    } catch (const NotYours& error) {
      return std::string("not yours: ") + error.what();
    }
    return "taken";
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(message(rows(csv_rows(3, 1), "a")), HasSubstr("conflict: "));
    EXPECT_EQ(message(rows(csv_rows(3, 1), "a")), message(rows("temp,co\n1,2\n", "a")));
    const std::string foreign = message(rows(csv_rows(3), "a", "other"));
    EXPECT_THAT(foreign, HasSubstr("not yours: "));
    EXPECT_EQ(foreign, message(rows(csv_rows(3, 1), "a", "other")));
    restart();
  }
  EXPECT_EQ(stream().standing().counts->rows, 3U);
}

TEST_F(ServedStreams, KnowNumberedRowsAgainWhereOneTokenWrites) {
  create();
  static_cast<void>(stream().take(numbered(csv_rows(12), 0, 11)));
  restart();
  EXPECT_TRUE(stream().take(numbered(csv_rows(12), 0, 11)).repeated);
  EXPECT_THROW(stream().take(numbered(csv_rows(12, 1), 0, 11)), Conflict);
  EXPECT_THROW(stream().take(numbered(csv_rows(5), 13, 17)), Conflict);
  EXPECT_THROW(stream().take(numbered(csv_rows(5), 10, 14)), Conflict);
  EXPECT_THROW(stream().take(numbered(csv_rows(5), 12, 17)), InvalidParameter);
  EXPECT_THROW(stream().take(numbered(csv_rows(5), 12, 16, "other")), NotYours);
  EXPECT_THROW(stream().take(rows(csv_rows(5), "", "other")), NotYours);
  EXPECT_EQ(stream().take(numbered(csv_rows(5), 12, 16)).first_row, 12U);
}

TEST_F(ServedStreams, RefuseNumberedRowsWhereAnotherTokenWrote) {
  create();
  static_cast<void>(stream().take(rows(csv_rows(2), "", "first")));
  restart();
  EXPECT_THROW(stream().take(numbered(csv_rows(2), 2, 3, "second")), NotYours);
  EXPECT_EQ(stream().take(numbered(csv_rows(2), 2, 3, "first")).first_row, 2U);
}

TEST_F(ServedStreams, CountABadRowAsOneRowAndNeverRefuseItsNeighbours) {
  create();
  const std::string body = "temp,co\n1,2\nword,3\n\n1\n" + std::string(2'000'000, '9') + "\n4,5\n";
  EXPECT_EQ(stream().take(rows(body)).rows, 6U);
  const RowCounts standing = *stream().standing().counts;
  ASSERT_EQ(standing.notes.size(), 1U);
  EXPECT_EQ(standing.notes.front().kind, Note::Kind::bad_rows);
  EXPECT_EQ(standing.notes.front().count, 4U);
  WriteRequest json =
      rows("{\"temp\":1,\"co\":2}\n\xff\xfe\n" + std::string(3000, '[') + "\n{\"co\":1,\"temp\":2}");
  json.content = WriteRequest::Content::ndjson;
  EXPECT_EQ(stream().take(json).rows, 4U);
  restart();
  EXPECT_EQ(stream().take(rows(body)).rows, 6U) << "and so it stays in the next process";
  EXPECT_THROW(stream().take(rows("")), DataError);
  EXPECT_THROW(stream().take(rows("temp,co\n")), DataError);
  EXPECT_THROW(stream().take(rows("other,co\n1,2\n")), DataError);
}

TEST_F(ServedStreams, TakeNoRowOfABodyWithABadOneWhereBadRowsFail) {
  create(R"(,"on_bad_row":"fail"})");
  EXPECT_THROW(stream().take(rows("temp,co\n1,2\nword,3\n")), DataError);
  EXPECT_EQ(stream().standing().counts->rows, 0U);
  EXPECT_TRUE(Ledger::read(state()).entries().empty());
}

TEST_F(ServedStreams, TakeSumsOfRowsThatOthersMade) {
  create();
  static_cast<void>(stream().take(rows(csv_rows(4))));
  BlockSum sum(stream().run().row_map());
  sum.add(std::vector<double>{0.5, -0.5});
  sum.add(std::vector<double>{0.25, 1});
  EXPECT_EQ(stream().take(block_of("b1", sum)).rows, 2U);
  EXPECT_TRUE(stream().take(block_of("b1", sum)).repeated);
  EXPECT_THROW(stream().take(block_of("b1", sum, "other")), NotYours);
  BlockSum larger = sum;
  larger.merge(sum);
  EXPECT_THROW(stream().take(block_of("b1", larger)), Conflict);
  restart();
  EXPECT_THAT(stream().take(block_of("b2", larger)).released, ElementsAre(10));
  static_cast<void>(stream().take(rows(csv_rows(8))));
  EXPECT_THROW(stream().take(block_of("b3", larger)), Conflict);
  EXPECT_THROW(stream().take(block_of("b4", BlockSum(stream().run().row_map()))), Conflict);
  EXPECT_EQ(stream().standing().counts->rows, 18U);
  WriteRequest broken = block_of("b5", sum);
  broken.body.pop_back();
  EXPECT_THROW(stream().take(broken), DataError);
}

TEST_F(ServedStreams, EndAtTheirHorizonAndTakeNoPartOfARequestBeyondIt) {
  create();
  static_cast<void>(stream().take(rows(csv_rows(95), "a")));
  EXPECT_THROW(stream().take(rows(csv_rows(6))), BudgetExhausted);
  EXPECT_THAT(stream().take(rows(csv_rows(5))).released, ElementsAre(100));
  restart();
  EXPECT_THROW(stream().take(rows(csv_rows(1))), BudgetExhausted);
  EXPECT_TRUE(stream().take(rows(csv_rows(95), "a")).repeated);
}

TEST_F(ServedStreams, ShareCommitsAndLoseNoRowOfManyWriters) {
  create(
      "}",
      R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":100000,"every":7)");
  std::atomic<int> woken = 0;
  const std::uint64_t follower = stream().follow([&] { ++woken; });
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 40; ++i) {
        static_cast<void>(
            stream().take(rows(csv_rows(3), fmt::format("{}-{}", writer, i), fmt::format("w{}", writer))));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  stream().unfollow(follower);
  EXPECT_EQ(stream().standing().counts->rows, 960U);
  EXPECT_EQ(stream().lines().size(), 137U);
  EXPECT_GT(woken, 0);
  const std::string lines = all_lines(stream());
  restart();
  EXPECT_EQ(all_lines(stream()), lines);
  EXPECT_EQ(stream().standing().counts->rows, 960U);
}

TEST_F(ServedStreams, KeepNoRowOfAnOpenBlockInTheClear) {
  create(
      "}",
      R"({"name":"air","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":100,"every":100)");
  static_cast<void>(stream().take(rows("temp,co\n17.123456789,43.987654321\n", "sensitive-key")));
  const std::vector<std::byte> sums = [&] {
    BlockSum sum(stream().run().row_map());
    const std::vector<double> row{(17.123456789 - 12.5) / 32.5, (43.987654321 - 50) / 50};
    sum.add(row);
    return sum.bytes();
  }();
  const std::string middle(reinterpret_cast<const char*>(sums.data()) + 60, 40);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(state())) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    ++files;
    EXPECT_THAT(content, Not(HasSubstr("17.1234"))) << entry.path();
    EXPECT_THAT(content, Not(HasSubstr("sensitive-key"))) << entry.path();
    EXPECT_THAT(content, Not(HasSubstr(middle))) << entry.path();
  }
  EXPECT_GT(files, 3U);
}

TEST_F(ServedStreams, AreCreatedOnceWithTheSameSettings) {
  EXPECT_EQ(service_->create(std::string(air) + "}", true).outcome, CreatedStream::Outcome::dry_run);
  EXPECT_EQ(service_->find("air"), nullptr);
  EXPECT_EQ(service_->create(std::string(air) + "}", false).outcome, CreatedStream::Outcome::created);
  EXPECT_EQ(service_->create(std::string(air) + "}", false).outcome, CreatedStream::Outcome::was_there);
  restart();
  EXPECT_EQ(service_->create(std::string(air) + "}", false).outcome, CreatedStream::Outcome::was_there);
  EXPECT_THROW(static_cast<void>(service_->create(std::string(air) + R"(,"shape":"identity"})", false)),
               Conflict);
  EXPECT_EQ(service_->streams().size(), 1U);
}

TEST_F(ServedStreams, RefuseADeltaOfATenthUnlessItIsAskedForAndTellThatItIsWeak) {
  const auto planned = [&](const std::string& more) {
    const std::string body = R"({"name":"a","bounds":{"x":[0,1]},"rows":100,)" + more + "}";
    return service_->plan_json_of(service_->create(body, true))["stream"]["privacy"];
  };
  EXPECT_THROW(static_cast<void>(planned(R"("epsilon":1,"delta":0.1)")), InvalidParameter);
  const auto weak = planned(R"("epsilon":20,"delta":0.1,"allow_weak":true)");
  ASSERT_EQ(weak["notes"].size(), 2U);
  EXPECT_THAT(weak["notes"][0].get<std::string>(), HasSubstr("epsilon = 20 is above 10"));
  EXPECT_THAT(weak["notes"][1].get<std::string>(), HasSubstr("delta = 0.1 is above 1/rows = 0.01"));
  EXPECT_FALSE(planned(R"("epsilon":1,"delta":1e-3)").contains("notes"));
}

// A version that has a setting more gives it its default.
TEST_F(ServedStreams, AreTheSameWhereAnotherVersionStoredFewerSettings) {
  create();
  const std::filesystem::path file = state() / "air.stream.json";
  std::ifstream in(file);
  auto stored = nlohmann::ordered_json::parse(in);
  ASSERT_EQ(stored.erase("objective"), 1U);
  std::ofstream(file, std::ios::trunc) << stored.dump(2) << '\n';
  restart();
  EXPECT_EQ(service_->create(std::string(air) + "}", false).outcome, CreatedStream::Outcome::was_there);
}

// Its budget was spent by a version that accepted it without a word.
TEST_F(ServedStreams, AreOpenedAgainWithAWeakDeltaThatAnotherVersionAccepted) {
  create("}", R"({"name":"a","epsilon":1,"delta":0.1,"bounds":{"x":[0,1]},"rows":100,"allow_weak":true)");
  const std::filesystem::path file = state() / "a.stream.json";
  std::ifstream in(file);
  auto stored = nlohmann::ordered_json::parse(in);
  ASSERT_EQ(stored.erase("allow_weak"), 1U);
  std::ofstream(file, std::ios::trunc) << stored.dump(2) << '\n';
  restart();
  EXPECT_EQ(stream("a").standing().problem, "");
}

TEST_F(ServedStreams, RefuseSettingsThatCannotBeServedAndNameThem) {
  const auto field = [&](const std::string& body) -> std::string {
    try {
      static_cast<void>(service_->create(body, true));
    } catch (const InvalidParameter& error) {
      return error.field();
    }
    return "none";
  };
  const std::string start = air;
  EXPECT_EQ(field(start + "}"), "none");
  EXPECT_EQ(field(start + R"(,"state":"/tmp"})"), "state");
  EXPECT_EQ(field(start + R"(,"stream":"x"})"), "stream");
  EXPECT_EQ(field(start + R"(,"commit_interval":5})"), "commit_interval");
  EXPECT_EQ(field(start + R"(,"method":"pp"})"), "method");
  EXPECT_EQ(field(start + R"(,"workload":"decay:0.9"})"), "every");
  EXPECT_EQ(field(start + R"(,"workload":"@matrix.npy"})"), "workload");
  EXPECT_EQ(field(start + R"(,"person":"who","rows_per_person":2})"), "none");
  EXPECT_EQ(field(start + R"(,"person":"who","rows_per_person":2,"no_header":true})"), "no_header");
  const std::string slots =
      R"({"name":"a","epsilon":1,"delta":1e-6,"bounds":{"x":[0,1]},"every":"1h","steps":10)";
  EXPECT_EQ(field(slots + "}"), "none");
  EXPECT_EQ(field(slots + R"(,"until":"2030-01-01"})"), "until");
  EXPECT_EQ(field(slots + R"(,"time":"at"})"), "time");
  EXPECT_EQ(field(R"({"name":"a","epsilon":1,"delta":1e-6,"bounds":"auto","columns":["x"],"rows":10})"),
            "bounds");
  EXPECT_EQ(field(start + R"(,"epsilonn":1})"), "config");
  EXPECT_EQ(field(start + R"(,"epsilon":1})"), "config");
  EXPECT_EQ(field(start + R"(,"name":"b"})"), "config");
  EXPECT_EQ(field(R"({"name":"../a","epsilon":1})"), "name");
  EXPECT_EQ(field(R"({"epsilon":1})"), "name");
  EXPECT_EQ(field("[1]"), "config");
  EXPECT_EQ(field(std::string(60'000, '[')), "config");
  EXPECT_EQ(field(R"({"name":"a","epsilon":1,"delta":1e-6,"norm_bound":1,"rows":10})"), "columns");
  restart();
  ServiceOptions strict{.state = state() / "strict"};
  Service other(strict);
  EXPECT_THROW(static_cast<void>(other.create(start + R"(,"insecure_test_seed":1})", true)),
               InvalidParameter);
}

TEST_F(ServedStreams, ThatTheirOwnerTakesAwayKeepTheirCharge) {
  create(R"(,"max_mu":0.3})");
  static_cast<void>(stream().take(rows(csv_rows(5))));
  service_.reset();
  std::filesystem::remove(state() / "air.stream.json");
  restart();
  EXPECT_EQ(service_->find("air"), nullptr);
  EXPECT_EQ(Ledger::read(state()).entries().size(), 1U);
  std::string second = air;
  second.replace(second.find("air"), 3, "two");
  EXPECT_THROW(static_cast<void>(service_->create(second + R"(,"max_mu":0.3})", false)), BudgetExhausted);
  EXPECT_EQ(service_->find("two"), nullptr);
}

TEST_F(ServedStreams, BelongToOneProcessAndASecondOneIsToldWhich) {
  service_->say_where("http://127.0.0.1:7411");
  try {
    const Service second(ServiceOptions{.state = state()});
    ADD_FAILURE() << "two services share a folder";
  } catch (const StateError& error) {
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("process {} (http://127.0.0.1:7411)", ::getpid())));
  }
}

TEST_F(ServedStreams, AreOnTheLedgerFromTheirFirstRowOnAndKeepWithinTheirSourcesBudget) {
  const std::string city = R"(,"source":"city","max_mu":0.3})";
  const auto named = [](const char* name) {
    return std::string(R"({"name":")") + name +
           R"(","epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"rows":100,"every":10)";
  };
  ServedStream& first = create(city, named("first").c_str());
  ServedStream& second = create(city, named("second").c_str());
  EXPECT_TRUE(Ledger::read(state()).entries().empty());
  static_cast<void>(first.take(rows(csv_rows(1))));
  EXPECT_EQ(Ledger::read(state()).entries().size(), 1U);
  EXPECT_THROW(second.take(rows(csv_rows(1))), BudgetExhausted);
  EXPECT_THROW(static_cast<void>(service_->create(named("third") + city, false)), BudgetExhausted);
  EXPECT_EQ(service_->find("third"), nullptr);
  EXPECT_EQ(Ledger::read(state()).entries().size(), 1U);
  static_cast<void>(first.take(rows(csv_rows(1))));
}

TEST_F(ServedStreams, ThatAreDamagedAreAProblemOfTheirOwn) {
  create();
  static_cast<void>(stream().take(rows(csv_rows(25))));
  service_.reset();
  for (const auto& entry : std::filesystem::directory_iterator(state())) {
    if (entry.path().extension() == ".key") std::filesystem::remove(entry.path());
  }
  restart();
  EXPECT_THAT(stream().standing().problem, HasSubstr("key file"));
  EXPECT_THROW(stream().take(rows(csv_rows(1))), StateError);
  ServedStream& other = create("}", R"({"name":"b","epsilon":1,"delta":1e-6,"bounds":{"x":[0,1]},"rows":10)");
  WriteRequest request = rows("x\n1\n");
  EXPECT_THAT(other.take(request).released, ElementsAre(1));
}

}  // namespace
}  // namespace jme
