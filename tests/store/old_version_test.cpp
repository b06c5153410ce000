#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <jme/store/ledger.hpp>
#include <jme/store/stream_settings.hpp>

#include "store/database.hpp"
#include "store/state_folder.hpp"
#include "store/stream_store.hpp"

namespace jme {
namespace {

class OldVersion : public test::StateFolder {
 protected:
  /// A stream as jme 0.1.0 began it: no version of the mechanism, and its sampler's distance among the facts.
  void begin_old_stream() const {
    const DurableOptions where = options();
    std::filesystem::create_directory(where.directory);
    std::filesystem::permissions(where.directory, std::filesystem::perms::owner_all);
    const Mechanism mechanism(test::ten_blocks());
    store::About about;
    about.settings = {{.name = "source", .value = where.source}, {.name = "stream", .value = where.stream}};
    for (const Setting& setting : settings_of(mechanism)) {
      if (setting.name != mechanism_version_setting) about.settings.push_back(setting);
    }
    about.facts = {{.name = "mu", .value = "0.2366"},
                   {.name = "sampler-epsilon", .value = "0.5"},
                   {.name = "sampler-delta", .value = "1e-12"}};
    store::StreamStore files(store::StreamFiles(where.directory, where.source, where.stream), about);
    files.create_key(Key::from_system());
    files.begin({.state = MomentStream(mechanism).state()});
  }
};

TEST_F(OldVersion, StatesAreRefusedWithAdvice) {
  begin_old_stream();
  test::expect_refused([&] { DurableStream(Mechanism(test::ten_blocks()), options()); },
                       "was begun by an older (0.1.0) version of jme");
  test::expect_refused([&] { DurableStream(Mechanism(test::ten_blocks()), options()); },
                       "finish it with that version, or begin another stream, which spends its budget again");
}

TEST_F(OldVersion, FormatsAreRefusedWithAdvice) {
  for (const int format : {1, 4}) {
    begin_old_stream();
    {
      store::Database(file(".db"), store::Database::Access::write)
          .run(fmt::format("PRAGMA user_version = {}", format).c_str());
    }
    test::expect_refused([&] { DurableStream(Mechanism(test::ten_blocks()), options()); },
                         fmt::format("was written by an older version of jme (format {}", format));
    test::expect_refused([&] { DurableStream(Mechanism(test::ten_blocks()), options()); },
                         "begin another stream, which spends its budget again");
    // What it spent stays on the ledger.
    const Ledger ledger = Ledger::read(options().directory);
    ASSERT_EQ(ledger.entries().size(), 1U);
    EXPECT_EQ(ledger.entries()[0].problem, "");
    EXPECT_DOUBLE_EQ(ledger.entries()[0].mu, 0.2366);
    std::filesystem::remove_all(options().directory);
  }
}

TEST_F(OldVersion, StreamsAreInTheLedgerWithTheirSamplersDistance) {
  begin_old_stream();
  const Ledger ledger = Ledger::read(options().directory);
  ASSERT_EQ(ledger.entries().size(), 1U);
  EXPECT_TRUE(ledger.entries()[0].is_old);
  EXPECT_EQ(ledger.entries()[0].old_sampler_epsilon, 0.5);
  EXPECT_EQ(ledger.entries()[0].problem, "");
  EXPECT_GT(ledger.totals(1e-6).at(0).epsilon, 1.4);  // 1 of the Gaussian and 0.5 of the sampler
  test::expect_refused([&] { (void)ledger.mu_of(options().source); }, "cannot be stated as a mu");
}

}  // namespace
}  // namespace jme
