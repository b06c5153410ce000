#include "moments/worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace jme {
namespace {

TEST(WorkerPool, DoesEveryPieceOnceWhateverTheNumberOfThreads) {
  for (const unsigned threads : {0U, 1U, 2U, 3U, 8U}) {
    WorkerPool pool(threads);
    EXPECT_EQ(pool.threads(), std::max(threads, 1U));
    for (const std::size_t count : {0, 1, 2, 3, 7, 1000}) {
      std::vector<int> done(count, 0);  // each entry belongs to one piece: no two threads may use it
      pool.run(count, [&](std::size_t piece) { ++done[piece]; });
      EXPECT_EQ(std::count(done.begin(), done.end(), 1), static_cast<std::ptrdiff_t>(count));
    }
  }
}

TEST(WorkerPool, IsDoneWhenItReturnsTurnAfterTurn) {
  WorkerPool pool(4);
  std::vector<std::size_t> values(64, 0);
  for (std::size_t turn = 0; turn < 2000; ++turn) {
    pool.run(values.size(), [&](std::size_t piece) { values[piece] += piece; });
  }
  for (std::size_t piece = 0; piece < values.size(); ++piece) EXPECT_EQ(values[piece], 2000 * piece);
}

TEST(WorkerPool, RethrowsWhatAPieceThrowsAndGoesOn) {
  for (const unsigned threads : {1U, 3U}) {
    WorkerPool pool(threads);
    EXPECT_THROW(pool.run(100,
                          [](std::size_t piece) {
                            if (piece == 57) throw std::runtime_error("57");
                          }),
                 std::runtime_error);
    std::atomic<int> done = 0;
    pool.run(100, [&](std::size_t /*piece*/) { ++done; });
    EXPECT_EQ(done, 100);
  }
}

TEST(WorkerPool, GoesWithoutHavingWorked) {
  for (int i = 0; i < 100; ++i) WorkerPool pool(3);
}

}  // namespace
}  // namespace jme
