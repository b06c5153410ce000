#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jme/base/errors.hpp>
#include <jme/moments/block_stream.hpp>
#include <jme/moments/moment_stream.hpp>

namespace jme {
namespace {

template <class Work>
bool is_refused(const Work& work) {
  try {
    work();
  } catch (const StateError&) {
    return true;
  }
  return false;
}

TEST(ForkGuard, AForkedChildCannotUseItsParentsStream) {
  const StreamConfig config{
      .budget = {.epsilon = 1, .delta = 1e-6}, .rows = 40, .dimension = 2, .norm_bound = 1.0};
  const std::vector<double> row{0.1, 0.2};
  MomentStream stream{Mechanism(config)};
  stream.push(row);
  BlockStream batches{BatchMechanism({.budget = {.sigma = 1},
                                      .steps = 5,
                                      .dimension = 3,
                                      .norm_bound = 1,
                                      .batch = 4,
                                      .participation = Participation{}})};
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool refused = is_refused([&] { stream.push(row); }) &&
                   is_refused([&] { stream.push_rows(MatrixView::of_rows(row, 2)); }) &&
                   is_refused([&] { stream.finish(); }) && is_refused([&] { (void)stream.state(); });
    refused = refused &&
              is_refused([&] { batches.step([](const BlockTile&) {}, [](const BlockTile&) {}); }) &&
              is_refused([&] { (void)batches.state(); });
    // The child may use streams that it made itself.
    MomentStream own{Mechanism(config)};
    refused = refused && own.push(row).is_new();
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(stream.push(row).is_new());
}

}  // namespace
}  // namespace jme
