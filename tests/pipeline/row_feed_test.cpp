#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/row_feed.hpp>

#include "temporary_folder.hpp"

namespace jme {
namespace {

using ::testing::HasSubstr;

constexpr double not_there = std::numeric_limits<double>::quiet_NaN();
constexpr double unlimited = std::numeric_limits<double>::infinity();
const std::vector<std::string> abc{"a", "b", "c"};

/// 3000 rows of three columns, a release every 70.
RunConfig bounded(const std::string& missing, OnBadRow on_bad_row = OnBadRow::fail) {
  RunConfig config;
  config.stream.budget = {.epsilon = 1, .delta = 1e-6};
  config.stream.rows = 3000;
  config.stream.every = 70;
  config.columns = abc;
  config.bounds = ColumnBounds::parse("a=0:10,b=-2:2,c=1:3", abc);
  if (!missing.empty()) config.missing = MissingRules::parse(missing);
  config.on_bad_row = on_bad_row;
  config.insecure_seed = 5;
  return config;
}

RunConfig without_bounds() {
  RunConfig config = bounded("");
  config.bounds.reset();
  config.stream.norm_bound = 2;
  return config;
}

/// Random rows, some of them outside of the bounds; every twentieth cell is `hole`.
std::vector<double> some_rows(std::size_t rows, double hole, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(rows * abc.size());
  for (double& number : numbers) number = generator() % 20 == 0 ? hole : 2 * normal(generator);
  return numbers;
}

struct Fed {
  std::vector<std::string> lines;
  std::vector<std::size_t> notes;
};

template <class Feed>
Fed fed(const RunConfig& config, const Feed& give) {
  const PreparedRun run(config);
  Fed result;
  ReleaseWriter writer(units_of(run.bounds()), run.emit(), run.columns());
  RowFeed feed = run.feed([&](const Release& release) { result.lines.push_back(writer.line(release)); });
  give(feed);
  feed.stream().end_input();
  for (const Note& note : feed.notes()) result.notes.push_back(note.count);
  return result;
}

Fed row_by_row(const RunConfig& config, const std::vector<double>& numbers) {
  return fed(config, [&](RowFeed& feed) {
    for (std::size_t at = 0; at < numbers.size(); at += 3) feed.push(std::span(numbers).subspan(at, 3));
  });
}

/// In pieces of random length, by turns row-major and column-major, with gaps and backwards in memory.
Fed in_pieces(const RunConfig& config, const std::vector<double>& numbers, unsigned seed) {
  std::mt19937 generator(seed);
  const std::size_t rows = numbers.size() / 3;
  return fed(config, [&](RowFeed& feed) {
    for (std::size_t done = 0; done < rows;) {
      const std::size_t count = std::min<std::size_t>(generator() % 400, rows - done);
      const auto row_gap = static_cast<std::ptrdiff_t>(1 + generator() % 3);
      const bool by_columns = generator() % 2 == 0, backwards = generator() % 2 == 0;
      MatrixView view{.rows = count, .columns = 3};
      view.row_stride = by_columns ? row_gap : 3 * row_gap;
      view.column_stride = by_columns ? static_cast<std::ptrdiff_t>(count) * row_gap : 1;
      std::vector<double> memory(9 * count + 1, unlimited);  // gaps must not be read
      view.data = memory.data();
      if (backwards && count > 0) {
        view.data += static_cast<std::ptrdiff_t>(count - 1) * view.row_stride;
        view.row_stride = -view.row_stride;
      }
      for (std::size_t r = 0; r < count; ++r) {
        for (std::size_t j = 0; j < 3; ++j) {
          memory[static_cast<std::size_t>(&view.data[static_cast<std::ptrdiff_t>(r) * view.row_stride +
                                                     static_cast<std::ptrdiff_t>(j) * view.column_stride] -
                                          memory.data())] = numbers[(done + r) * 3 + j];
        }
      }
      feed.push_rows(view);
      done += count;
    }
  });
}

TEST(RowFeed, GivesTheSameBitsInPiecesOfAnyStridesAsRowByRow) {
  const struct {
    RunConfig config;
    double hole;
  } cases[] = {{bounded(""), 0.5},
               {without_bounds(), 0.5},
               {bounded("centre"), not_there},
               {bounded("mean,b=1"), not_there},
               {bounded("model"), not_there},
               {bounded("a=1", OnBadRow::zero), not_there},
               {bounded("", OnBadRow::zero), unlimited}};
  for (const auto& [config, hole] : cases) {
    const std::vector<double> numbers = some_rows(2500, hole);
    const Fed expected = row_by_row(config, numbers);
    EXPECT_EQ(expected.lines.size(), 36U);
    for (const unsigned seed : {1U, 2U, 3U}) {
      const Fed found = in_pieces(config, numbers, seed);
      EXPECT_EQ(found.lines, expected.lines);
      EXPECT_EQ(found.notes, expected.notes);
    }
  }
}

TEST(RowFeed, GivesTheSameBitsInAStateFolderAndAgainFromIt) {
  for (const char* missing : {"", "mean"}) {
    const std::vector<double> numbers = some_rows(700, *missing == '\0' ? 0.5 : not_there);
    RunConfig config = bounded(missing);
    const std::vector<std::string> expected = row_by_row(config, numbers).lines;
    const test::TemporaryFolder folder;
    config.state = DurableOptions{.directory = folder.path()};
    EXPECT_EQ(in_pieces(config, numbers, 7).lines, expected);
    EXPECT_EQ(in_pieces(config, numbers, 8).lines, expected);
  }
}

TEST(RowFeed, TakesNoneOfRowsOfWhichOneIsBadAndNamesItsPlace) {
  std::vector<double> numbers = some_rows(500, 0.5);
  const std::vector<std::string> expected = row_by_row(bounded(""), numbers).lines;
  const Fed found = fed(bounded(""), [&](RowFeed& feed) {
    feed.push_rows(MatrixView::of_rows(std::span(numbers).first(300), 3));
    std::vector<double> bad(numbers.begin() + 300, numbers.end());
    bad[3 * 200 + 1] = not_there;
    try {
      feed.push_rows(MatrixView::of_rows(bad, 3));
      ADD_FAILURE() << "a missing cell was taken";
    } catch (const DataError& error) {
      EXPECT_EQ(error.row(), 301U);
      EXPECT_EQ(error.column(), 2U);
    }
    EXPECT_EQ(feed.stream().rows(), 100U);
    EXPECT_THROW(feed.push_rows(MatrixView::of_rows(bad, 2)), DataError);
    EXPECT_THROW(feed.push_rows(MatrixView::of_rows(some_rows(2901, 0.5), 3)), BudgetExhausted);
    EXPECT_EQ(feed.stream().rows(), 100U);
    feed.push_rows(MatrixView::of_rows(std::span(numbers).subspan(300), 3));
  });
  EXPECT_EQ(found.lines, expected);
}

TEST(RowFeed, SaysPastTheHorizonThatARowIsTooManyWhateverIsInIt) {
  fed(bounded(""), [](RowFeed& feed) {
    feed.push_rows(MatrixView::of_rows(some_rows(3000, 0.5), 3));
    const std::vector<double> bad{not_there, 1, 1};
    EXPECT_THROW(feed.push(bad), BudgetExhausted);
    EXPECT_THROW(feed.push_rows(MatrixView::of_rows(bad, 3)), BudgetExhausted);
    feed.push_rows(MatrixView::of_rows({}, 3));
  });
}

/// Sums of the rows of each block, as the run's own way of a row makes them.
std::vector<BlockSum> blocks_of(const RunConfig& config, const std::vector<double>& numbers) {
  const PreparedRun run(config);
  RowRules rules = run.rules();
  std::vector<BlockSum> blocks;
  for (std::size_t at = 0; at < numbers.size(); at += 3 * 70) {
    blocks.emplace_back(run.row_map());
    const std::size_t length = std::min<std::size_t>(3 * 70, numbers.size() - at);
    blocks.back().add_rows(rules.take(MatrixView::of_rows(std::span(numbers).subspan(at, length), 3)).rows);
  }
  return blocks;
}

TEST(RowFeed, TakesSumsOfBlocksThatItsOwnMapMadeAndNoOthers) {
  const std::vector<double> numbers = some_rows(700, 0.5);
  const RunConfig config = bounded("");
  const auto push_all = [&](const RunConfig& to) {
    return fed(to,
               [&](RowFeed& feed) {
                 int number = 0;
                 for (const BlockSum& block : blocks_of(config, numbers)) {
                   feed.push_block(std::to_string(number++), block);
                 }
               })
        .lines;
  };
  const std::vector<std::string> expected = row_by_row(config, numbers).lines;
  EXPECT_EQ(push_all(config), expected);
  const test::TemporaryFolder folder;
  RunConfig durable = config;
  durable.state = DurableOptions{.directory = folder.path()};
  EXPECT_EQ(push_all(durable), expected);

  for (const char* other : {"a=0:10,b=-2:2,c=1:3.5", "a=0:11,b=-2:2,c=1:3"}) {
    RunConfig changed = config;
    changed.bounds = ColumnBounds::parse(other, abc);
    EXPECT_THROW(push_all(changed), InvalidParameter);
  }
  RunConfig renamed = config;
  renamed.columns = {"x", "b", "c"};
  renamed.bounds = ColumnBounds::parse("x=0:10,b=-2:2,c=1:3", renamed.columns);
  EXPECT_THROW(push_all(renamed), InvalidParameter);
}

}  // namespace
}  // namespace jme
