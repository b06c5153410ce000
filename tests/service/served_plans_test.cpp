// What a stream costs before it exists: its plan, and what its source has left.
#include <atomic>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/output/metadata.hpp>
#include <jme/store/ledger.hpp>

#include "service/served.hpp"

namespace jme {
namespace {

using test::air;
using test::csv_rows;
using test::rows;
using testing::HasSubstr;

class PlansOfServedStreams : public test::ServiceTest {
 protected:
  [[nodiscard]] std::string refusal(const std::string& settings, bool dry_run) {
    try {
      static_cast<void>(service_->create(settings, dry_run));
    } catch (const InvalidParameter& error) {
      return error.field() + ": " + error.what();
    }
    return "none";
  }
};

TEST_F(PlansOfServedStreams, AreRefusedWithTheFigureBeforeAnythingIsComputed) {
  const std::string dense =
      R"({"name":"dense","epsilon":1,"delta":1e-6,"bounds":{"x":[0,1]},"shape":"dense","rows":)";
  for (const bool dry_run : {true, false}) {
    const std::string said = refusal(dense + "2048}", dry_run);
    EXPECT_THAT(said, HasSubstr("shape: "));
    EXPECT_THAT(said, HasSubstr("at most 5 s and 256 MB"));
    EXPECT_THAT(
        refusal(R"({"name":"long","epsilon":1,"delta":1e-6,"bounds":{"x":[0,1]},"rows":60000000})", dry_run),
        HasSubstr("rows: "));
  }
  EXPECT_EQ(refusal(dense + "64}", true), "none");
  EXPECT_TRUE(service_->streams().empty());
}

TEST_F(PlansOfServedStreams, CheckWhatTheirSourceHasLeftAndOpenNothing) {
  const std::string limited = R"(,"source":"city","max_mu":0.3})";
  create(limited);
  static_cast<void>(stream().take(rows(csv_rows(1))));
  std::string second = air;
  second.replace(second.find("air"), 3, "two");
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(state()), std::filesystem::directory_iterator());
  };
  const auto before = files();
  EXPECT_THROW(static_cast<void>(service_->create(second + limited, true)), BudgetExhausted);
  EXPECT_EQ(service_->create(second + R"(,"source":"city"})", true).outcome, CreatedStream::Outcome::dry_run);
  EXPECT_EQ(service_->create(std::string(air) + limited, true).outcome, CreatedStream::Outcome::dry_run);
  EXPECT_EQ(files(), before);
}

TEST_F(PlansOfServedStreams, SayTheMetadataOfAStreamThatAreComputedOnce) {
  const CreatedStream created = service_->create(std::string(air) + "}", false);
  std::vector<std::thread> readers;
  std::atomic<int> same = 0;
  const std::string* const first = &stream().metadata_text();
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] { same += &stream().metadata_text() == first ? 1 : 0; });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(same, 4);
  const nlohmann::ordered_json whole = metadata(stream().run().description(), stream().run().columns());
  EXPECT_EQ(nlohmann::ordered_json::parse(*first), whole);
  EXPECT_EQ(service_->plan_json_of(created).at("stream"), whole);
}

}  // namespace
}  // namespace jme
