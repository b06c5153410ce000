#include <fstream>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/service/service.hpp>

#include "service/served.hpp"

namespace jme {
namespace {

using test::csv_rows;
using test::rows;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* second_settings =
    R"({"name":"other","epsilon":1,"delta":1e-6,"bounds":{"x":[0,1]},"rows":10)";

class BrokenStreams : public test::ServiceTest {
 protected:
  void overwrite(const std::string& name, const std::string& text) const {
    std::ofstream(state() / name, std::ios::binary | std::ios::trunc) << text;
  }
};

TEST_F(BrokenStreams, DoNotKeepOthersFromBeingServedWhateverIsWrongWithThem) {
  create();
  create("}", second_settings);
  const std::string file = "air.stream.json";
  for (const char* text :
       {"", "{", "[]", "nonsense", "{\"epsilon\":1}", "{\"begins\":\"noon\"}", "{\"rows\":[1]}", "{\"a\":1}",
        "\xff\xfe\x01", "{\"every\":\"1h\",\"begins\":1e300}"}) {
    service_.reset();
    overwrite(file, text);
    restart();
    ASSERT_NE(service_->find("other"), nullptr) << text;
    EXPECT_EQ(service_->find("air"), nullptr) << text;
    EXPECT_THAT(service_->unreadable(), ElementsAre(Pair("air", HasSubstr(file)))) << text;
    EXPECT_THROW(create(), StateError) << text;
  }
  EXPECT_THAT(stream("other").take(rows("x\n1\n")).released, ElementsAre(1));
  service_.reset();
  std::filesystem::remove(state() / file);
  std::filesystem::create_directory(state() / file);
  restart();
  EXPECT_EQ(service_->unreadable().size(), 1U);
  EXPECT_NE(service_->find("other"), nullptr);
}

TEST_F(BrokenStreams, SayThatNothingIsKnownOfThemUntilTheyCanBeRead) {
  create();
  EXPECT_TRUE(stream().standing().is_known);
  static_cast<void>(stream().take(rows(csv_rows(25))));
  service_.reset();
  std::filesystem::path key;
  for (const auto& entry : std::filesystem::directory_iterator(state())) {
    if (entry.path().extension() == ".key") key = entry.path();
  }
  const std::filesystem::path away = state() / "away";
  std::filesystem::rename(key, away);
  restart();
  EXPECT_FALSE(stream().standing().is_known);
  EXPECT_NE(stream().standing().problem, "");
  // A backup is put back while the server runs.
  std::filesystem::rename(away, key);
  stream().tick();
  EXPECT_EQ(stream().standing().problem, "");
  EXPECT_TRUE(stream().standing().is_known);
  EXPECT_TRUE(stream().standing().begun);
  EXPECT_EQ(stream().lines().size(), 2U);
}

class LimitsOfResources : public test::ServiceTest {
 protected:
  void restart_with(const MemoryLimits& memory, std::size_t most_files = SIZE_MAX) {
    service_.reset();
    service_.emplace(ServiceOptions{.state = state(), .memory = memory, .most_files = most_files});
  }
  [[nodiscard]] std::string refused(const std::string& settings, bool dry_run = false) {
    try {
      static_cast<void>(service_->create(settings, dry_run));
    } catch (const TooFewResources& error) {
      return error.what();
    }
    return "";
  }
};

const std::string small_settings = std::string(second_settings) + "}";
const std::string large_settings =
    R"({"name":"large","epsilon":1,"delta":1e-6,"dimension":10000,"norm_bound":1,"rows":1000})";

TEST_F(LimitsOfResources, RefuseALargeStreamBeforeAnythingOfItIsMade) {
  restart_with({.per_stream = std::size_t{1} << 30, .total = std::size_t{2} << 30});
  for (const bool dry_run : {true, false}) {
    const std::string why = refused(large_settings, dry_run);
    EXPECT_THAT(why, HasSubstr("GiB of memory"));
    EXPECT_THAT(why, HasSubstr("one stream may take 1.0 GiB here (memory-per-stream)"));
  }
  EXPECT_EQ(service_->find("large"), nullptr);
  EXPECT_FALSE(std::filesystem::exists(state() / "large.stream.json"));
  EXPECT_EQ(refused(small_settings, true), "");
  EXPECT_EQ(refused(small_settings), "");
}

TEST_F(LimitsOfResources, OfAllStreamsTogetherCountWhatIsOpen) {
  const StreamMemory one = memory_of_stream(*service_->create(small_settings, true).run);
  // Three that are open, and two writers at work.
  restart_with({.total = 3 * one.standing + 2 * one.working, .writers = 2});
  const auto named = [](int i) {
    std::string settings = small_settings;
    return settings.replace(settings.find("other"), 5, "s" + std::to_string(i));
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(refused(named(i)), "") << i;
  EXPECT_THAT(refused(named(3)), HasSubstr("(memory)"));
  EXPECT_EQ(refused(named(2)), "") << "the same again makes nothing";
  EXPECT_EQ(service_->streams().size(), 3U);
}

TEST_F(LimitsOfResources, HoldAtTheStartWithoutKeepingOtherStreamsFromBeingServed) {
  create("}", R"({"name":"wide","epsilon":1,"delta":1e-6,"dimension":200,"norm_bound":1,"rows":1000)");
  create("}", second_settings);
  const StreamMemory one = memory_of_stream(stream("other").run());
  restart_with({.per_stream = one.all()});
  EXPECT_THAT(stream("wide").standing().problem, HasSubstr("memory-per-stream"));
  EXPECT_FALSE(stream("wide").standing().is_known);
  EXPECT_FALSE(stream("wide").standing().due) << "trying again changes nothing";
  EXPECT_THROW(stream("wide").take(rows("1\n1\n")), StateError);
  EXPECT_EQ(stream("other").standing().problem, "");
  EXPECT_THAT(stream("other").take(rows("x\n1\n")).released, ElementsAre(1));
  restart_with({});
  EXPECT_EQ(stream("wide").standing().problem, "");
}

TEST_F(LimitsOfResources, IncludeTheFilesThatTheProcessMayOpen) {
  restart_with({}, 2 * Service::files_of_stream);
  for (const char* name : {"one", "two", "three"}) {
    std::string settings = small_settings;
    const std::string why = refused(settings.replace(settings.find("other"), 5, name));
    EXPECT_EQ(why.find("ulimit -n") != std::string::npos, name == std::string("three")) << why;
  }
  restart_with({}, Service::files_of_stream);
  EXPECT_EQ(stream("one").standing().problem, "");
  EXPECT_THAT(stream("two").standing().problem, HasSubstr("LimitNOFILE"));
}

}  // namespace
}  // namespace jme
