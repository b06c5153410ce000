#include "checkpoint.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <jme/base/errors.hpp>

#include "temporary_folder.hpp"

namespace jme::train {
namespace {

using ::testing::HasSubstr;

Snapshot some_snapshot() {
  Snapshot snapshot{.parameters = {1.5F, -2.0F, 3.25F}};
  snapshot.evaluations = {{.step = 3, .epoch = 0.5, .accuracy = 0.25, .epsilon = 1.0 / 3},
                          {.step = 6, .epoch = 1, .accuracy = 0.5, .epsilon = std::nullopt}};
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
  const Checkpoint checkpoint(folder / "deep/er/state");
  EXPECT_FALSE(checkpoint.load("a").has_value());
  checkpoint.save("a", {});
  checkpoint.save("a", some_snapshot());
  const auto read = checkpoint.load("a");
  ASSERT_TRUE(read.has_value());
  const Snapshot expected = some_snapshot();
  EXPECT_EQ(read->parameters, expected.parameters);
  EXPECT_EQ(read->adam.first, expected.adam.first);
  EXPECT_EQ(read->adam.second, expected.adam.second);
  EXPECT_EQ(read->adam.noise.steps, 6U);
  EXPECT_EQ(read->adam.noise.first, expected.adam.noise.first);
  ASSERT_EQ(read->evaluations.size(), 2U);
  EXPECT_EQ(read->evaluations[0].epsilon, 1.0 / 3);
  EXPECT_EQ(read->evaluations[1].epsilon, std::nullopt);
  EXPECT_EQ(read->evaluations[1].step, 6U);
}

TEST(Checkpoint, IsForItsOwnerOnlyAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const Checkpoint checkpoint(folder / "state");
  const mode_t before = umask(0);
  checkpoint.save("a", some_snapshot());
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
  const Checkpoint checkpoint(folder / "state");
  checkpoint.save("a", some_snapshot());
  const std::string whole = bytes_of(folder / "state");
  const auto put = [&](const std::string& bytes) {
    std::ofstream(folder / "state", std::ios::binary | std::ios::trunc) << bytes;
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    put(flipped);
    EXPECT_THROW(static_cast<void>(checkpoint.load("a")), StateError) << i;
    put(whole.substr(0, i));
    EXPECT_THROW(static_cast<void>(checkpoint.load("a")), StateError) << i;
  }
  put(whole);
  EXPECT_TRUE(checkpoint.load("a").has_value());
}

TEST(Checkpoint, OfAnotherConfigurationIsRefused) {
  const TemporaryFolder folder;
  const Checkpoint checkpoint(folder / "state");
  checkpoint.save("a", some_snapshot());
  try {
    static_cast<void>(checkpoint.load("b"));
    FAIL();
  } catch (const StateError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another configuration"));
  }
}

TEST(Checkpoint, LetsOneTrainingIn) {
  const TemporaryFolder folder;
  {
    const Checkpoint checkpoint(folder / "state");
    EXPECT_THROW(Checkpoint(folder / "state"), StateError);
  }
  EXPECT_NO_THROW(Checkpoint(folder / "state"));
}

// A crash after the new file was synced and before it took its place.
TEST(Checkpoint, ACompleteFileThatWasNotYetInItsPlaceIsTaken) {
  const TemporaryFolder folder;
  const Checkpoint checkpoint(folder / "state");
  checkpoint.save("a", some_snapshot());
  std::filesystem::rename(folder / "state", folder / "newer");
  checkpoint.save("a", {});
  std::filesystem::rename(folder / "newer", folder / "state.new");
  EXPECT_EQ(checkpoint.load("a")->parameters, some_snapshot().parameters);
  EXPECT_FALSE(std::filesystem::exists(folder / "state.new"));
  // A file that is incomplete is not taken.
  std::ofstream(folder / "state.new", std::ios::binary) << bytes_of(folder / "state").substr(0, 100);
  EXPECT_EQ(checkpoint.load("a")->parameters, some_snapshot().parameters);
}

TEST(Checkpoint, AnOldOneSurvivesAFailedSave) {
  const TemporaryFolder folder;
  const Checkpoint checkpoint(folder / "state");
  checkpoint.save("a", some_snapshot());
  std::filesystem::create_directories(folder / "state.new/in the way");  // stands for any write that fails
  EXPECT_THROW(checkpoint.save("a", {}), StateError);
  EXPECT_EQ(checkpoint.load("a")->parameters, some_snapshot().parameters);
}

}  // namespace
}  // namespace jme::train
