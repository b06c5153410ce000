#include "checkpoint.hpp"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <jme/base/errors.hpp>

#include "small_pictures.hpp"
#include "temporary_folder.hpp"

namespace jme::train {
namespace {

using ::testing::HasSubstr;

Snapshot some_snapshot() {
  Snapshot snapshot{.parameters = {1.5F, -2.0F, 3.25F}, .seconds = 12.5};
  snapshot.evaluations = {{.step = 3, .epoch = 0.5, .accuracy = 0.25, .epsilon = 1.0 / 3, .seconds = 7},
                          {.step = 6, .epoch = 1, .accuracy = 0.5, .epsilon = std::nullopt, .seconds = 9}};
  snapshot.adam.first = {0.1F, 0.2F, 0.3F};
  snapshot.adam.second = {4.0F, 5.0F, 6.0F};
  snapshot.adam.noise = {.steps = 6, .first = {1e-300, 2.0}, .second = {}};
  return snapshot;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Checkpoint, GivesBackWhatItWasGiven) {
  const TemporaryFolder folder;
  const Pictures pictures = halves(6, 1);
  const Checkpoint checkpoint(folder / "deep/er/state");
  EXPECT_FALSE(checkpoint.load("a", pictures).has_value());
  checkpoint.save("a", pictures, {});
  checkpoint.save("a", pictures, some_snapshot());
  const auto read = checkpoint.load("a", pictures);
  ASSERT_TRUE(read.has_value());
  const Snapshot expected = some_snapshot();
  EXPECT_EQ(read->parameters, expected.parameters);
  EXPECT_EQ(read->adam.first, expected.adam.first);
  EXPECT_EQ(read->adam.second, expected.adam.second);
  EXPECT_EQ(read->adam.noise.steps, 6U);
  EXPECT_EQ(read->adam.noise.first, expected.adam.noise.first);
  EXPECT_EQ(read->seconds, 12.5);
  ASSERT_EQ(read->evaluations.size(), 2U);
  EXPECT_EQ(read->evaluations[0].epsilon, 1.0 / 3);
  EXPECT_EQ(read->evaluations[1].epsilon, std::nullopt);
  EXPECT_EQ(read->evaluations[1].step, 6U);
}

TEST(Checkpoint, IsForItsOwnerOnlyAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const Checkpoint checkpoint(folder / "state");
  const mode_t before = umask(0);
  checkpoint.save("a", halves(2, 1), some_snapshot());
  umask(before);
  struct stat found {};
  ASSERT_EQ(stat((folder / "state").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  EXPECT_FALSE(std::filesystem::exists(folder / "state.new"));
  checkpoint.remove();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Checkpoint, AnyFlippedByteAndAnyTruncationIsRefused) {
  const TemporaryFolder folder;
  const Pictures pictures = halves(6, 1);
  const Checkpoint checkpoint(folder / "state");
  checkpoint.save("a", pictures, some_snapshot());
  const std::string whole = bytes_of(folder / "state");
  const auto put = [&](const std::string& bytes) {
    std::ofstream(folder / "state", std::ios::binary | std::ios::trunc) << bytes;
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    put(flipped);
    EXPECT_THROW(static_cast<void>(checkpoint.load("a", pictures)), StateError) << i;
    put(whole.substr(0, i));
    EXPECT_THROW(static_cast<void>(checkpoint.load("a", pictures)), StateError) << i;
  }
  put(whole);
  EXPECT_TRUE(checkpoint.load("a", pictures).has_value());
}

TEST(Checkpoint, OfAnotherConfigurationOrOtherPicturesIsRefused) {
  const TemporaryFolder folder;
  const Pictures pictures = halves(6, 1);
  const Checkpoint checkpoint(folder / "state");
  checkpoint.save("a", pictures, some_snapshot());
  const auto complaint = [&](const std::string& identity, const Pictures& training) {
    try {
      static_cast<void>(checkpoint.load(identity, training));
      return std::string("was loaded");
    } catch (const StateError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(complaint("b", pictures), HasSubstr("another configuration"));
  EXPECT_THAT(complaint("a", halves(6, 2)), HasSubstr("other pictures"));
  EXPECT_THAT(complaint("a", pictures.first(5)), HasSubstr("other pictures"));
}

TEST(Checkpoint, LetsOneTrainingIn) {
  const TemporaryFolder folder;
  {
    const Checkpoint checkpoint(folder / "state");
    EXPECT_THROW(Checkpoint(folder / "state"), StateError);
  }
  EXPECT_NO_THROW(Checkpoint(folder / "state"));
}

TEST(Checkpoint, HoldsNoPicture) {
  const TemporaryFolder folder;
  const Pictures pictures = halves(6, 1);
  const Checkpoint checkpoint(folder / "state");
  checkpoint.save("a", pictures, some_snapshot());
  const std::string bytes = bytes_of(folder / "state");
  for (std::size_t i = 0; i + 8 <= pictures.pixels.size(); i += 8)
    EXPECT_EQ(bytes.find(std::string(pictures.pixels.begin() + static_cast<long>(i),
                                     pictures.pixels.begin() + static_cast<long>(i) + 8)),
              std::string::npos);
}

TEST(Checkpoint, AnOldOneSurvivesAFailedSave) {
  const TemporaryFolder folder;
  const Pictures pictures = halves(6, 1);
  const Checkpoint checkpoint(folder / "state");
  checkpoint.save("a", pictures, some_snapshot());
  std::filesystem::create_directories(folder / "state.new/in the way");  // stands for any write that fails
  EXPECT_THROW(checkpoint.save("a", pictures, {}), StateError);
  EXPECT_EQ(checkpoint.load("a", pictures)->parameters, some_snapshot().parameters);
}

}  // namespace
}  // namespace jme::train
