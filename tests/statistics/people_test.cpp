// One person with very many records, through the whole way of a row: reader, limit, bounds, stream on disk.
// The noise is the same on both sides, so that releases differ by what the person moves and by nothing else.
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/row_feed.hpp>

#include "data/row_reader.hpp"
#include "statistics/oracle.hpp"
#include "statistics/reader_row.hpp"
#include "statistics/released_sums.hpp"
#include "statistics/trade_off.hpp"
#include "temporary_folder.hpp"

namespace jme::people_tests {
namespace {

using released_sums::moved;
using released_sums::Released;

const std::vector<std::string> xy{"x", "y"};

struct Setting {
  std::uint64_t limit;
  std::size_t every;
  Shape shape;
  bool observed = false;
  Adjacency adjacency = Adjacency::replace_one;
};

RunConfig limited_run(const Setting& setting, std::size_t rows) {
  RunConfig config;
  config.stream.budget = {.sigma = 0.25};
  config.stream.rows = rows;
  config.stream.every = setting.every;
  config.stream.workload = prefix();
  config.stream.shape = setting.shape;
  config.stream.adjacency = setting.adjacency;
  config.stream.participation = {.rows = setting.limit};
  config.stream.persons_are_limited = config.stream.private_count = true;
  config.person = "who";
  config.columns = xy;
  config.bounds = ColumnBounds::parse("x=-1:1,y=-1:1", xy);
  config.on_bad_row = OnBadRow::zero;
  if (setting.observed) config.missing = MissingRules::parse("observed");
  config.insecure_seed = 3;
  return config;
}

/// Reads the file once, as the command does; ends after `until` rows as if it were killed.
Released read_once(const std::string& file, const PreparedRun& run, std::size_t until) {
  RowReader reader(file, {.columns = xy, .person = "who", .on_bad_row = OnBadRow::zero});
  reader.on_missing(run.missing().rules());
  Released released;
  RowFeed feed = run.feed([&](const Release& release) { released.add(release); });
  std::vector<double> row(2);
  for (std::size_t taken = 0; reader.next(row); ++taken) {
    if (taken == until) return released;
    feed.take_rows(test::read_row(reader, row));
  }
  feed.end_input();
  return released;
}

/// Everything that is released of this file, with some processes that end before it does.
Released released_of(const std::string& content, const Setting& setting, std::size_t rows,
                     std::mt19937& random) {
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  const std::string file = folder.path() / "in.csv";
  std::ofstream(file, std::ios::binary) << content;
  RunConfig config = limited_run(setting, rows);
  config.state = DurableOptions{.directory = folder.path() / "state"};
  config.state->commit_interval = std::chrono::milliseconds(0);
  const PreparedRun run(std::move(config));
  for (int i = 0; i < 2; ++i) static_cast<void>(read_once(file, run, random() % rows));
  return read_once(file, run, rows + 1);
}

/// 1,200 records, of which 1,000 are one person's; `often` gives these, the others are the same every time.
template <class Often>
std::string people_file(const Often& often) {
  std::mt19937 random(5);
  std::string content = "who,x,y\n";
  int taken = 0;
  for (int i = 0; i < 1200; ++i) {
    const bool is_often = taken < 1000 && (i < 40 || random() % 6 != 0);
    if (is_often) {
      content += often(taken++) + '\n';
      continue;
    }
    const int who = static_cast<int>(random() % 60);
    switch (random() % 8) {
      case 0:
        content += fmt::format("p{},what,1\n", who);
        break;
      case 1:
        content += fmt::format("p{},,0.5\n", who);
        break;
      case 2:
        content += ",0.5,0.5\n";
        break;
      case 3:
        content += fmt::format("p{},0.5\n", who);
        break;
      default:
        content += fmt::format("p{},{:.3f},{:.3f}\n", who, static_cast<double>(random() % 2000) / 1000 - 1,
                               static_cast<double>(random() % 2000) / 1000 - 1);
    }
  }
  return content;
}

const std::vector<Setting> settings{
    {.limit = 3, .every = 1, .shape = Shape::identity()},
    {.limit = 3, .every = 7, .shape = Shape::scaled_blt(3)},
    {.limit = 10, .every = 4, .shape = Shape::scaled_blt(2), .observed = true},
    {.limit = 1, .every = 50, .shape = Shape::scaled_blt(2), .adjacency = Adjacency::add_remove}};

TEST(People, MoveTheChannelsByNoMoreThanIsStatedHoweverManyRecordsTheyHave) {
  std::mt19937 random(9);
  constexpr std::size_t rows = 1200;
  const auto corner = [](int /*k*/) { return std::string("often,1,1"); };
  const auto opposite = [](int /*k*/) { return std::string("often,-1,-1"); };
  const auto unreadable = [](int k) { return std::string(k % 2 == 0 ? "often,x\xff,\"" : "often,1,2,3,4"); };
  const auto absent = [](int /*k*/) { return std::string(",1,1"); };
  for (const Setting& setting : settings) {
    const Mechanism mechanism = PreparedRun(limited_run(setting, rows)).mechanism();
    const double most = 1 / mechanism.sigma() * (1 + 1e-9);
    const bool replace = setting.adjacency == Adjacency::replace_one;
    // The first records say 1, the others -1: if bytes of the first ones let others count instead, both move.
    const auto limit = static_cast<int>(setting.limit);
    const auto then_opposite = [&](int k) { return k < limit ? corner(k) : opposite(k); };
    const auto unreadable_first = [&](int k) { return k < limit ? unreadable(k) : opposite(k); };
    const auto anything = [&](int k) {
      switch ((k * 7 + 3) % 5) {
        case 0:
          return corner(k);
        case 1:
          return opposite(k);
        case 2:
          return unreadable(k);
        case 3:
          return std::string("often,,1");
        default:
          return std::string("often,0.25,-0.75");
      }
    };
    const Released base = released_of(people_file(corner), setting, rows, random);
    const auto from_base = [&](const auto& often) {
      return moved(mechanism, base, released_of(people_file(often), setting, rows, random));
    };
    EXPECT_LE(from_base(absent), most);
    EXPECT_LE(from_base(unreadable), most);
    if (!replace) {
      EXPECT_GE(from_base(absent), 0.5 * most) << "the attempt must come near to what is allowed";
      continue;
    }
    const double flipped = from_base(opposite);
    EXPECT_LE(flipped, most);
    EXPECT_GE(flipped, 0.9 * most) << "the attempt must come near to what is allowed";
    EXPECT_LE(from_base(anything), most);
    const Released before = released_of(people_file(then_opposite), setting, rows, random);
    EXPECT_LE(moved(mechanism, before, released_of(people_file(unreadable_first), setting, rows, random)),
              most);
  }
}

/// What is released of records without a header, in the columns x, y and who.
Released released_of_cells(const std::string& name, const std::string& content, std::size_t rows,
                           std::size_t every = 0) {
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  const std::string file = folder.path() / name;
  std::ofstream(file, std::ios::binary) << content;
  RunConfig config =
      limited_run({.limit = 1, .every = every > 0 ? every : rows, .shape = Shape::identity()}, rows);
  config.columns = {"1", "2"};
  config.person = "3";
  config.bounds = ColumnBounds::parse("1=-1:1,2=-1:1", config.columns);
  const PreparedRun run(std::move(config));
  RowReader reader(file,
                   {.columns = {"1", "2"}, .person = "3", .header = false, .on_bad_row = OnBadRow::zero});
  Released released;
  RowFeed feed = run.feed([&](const Release& release) { released.add(release); });
  std::vector<double> row(2);
  while (reader.next(row)) feed.take_rows(test::read_row(reader, row));
  feed.end_input();
  return released;
}

TEST(People, MoveNobodyElsesRowsByCellsThatTheyAddToTheirRecords) {
  // All of them could count against p<i>, whose own row comes later.
  constexpr std::size_t many = 400, rows = 2 * many;
  const Mechanism mechanism =
      PreparedRun(limited_run({.limit = 1, .every = rows, .shape = Shape::identity()}, rows)).mechanism();
  const double most = 1 / mechanism.sigma() * (1 + 1e-9);
  const std::vector<std::string> cells{"z,1,{},mal", "z,1,{},",        "1,1,{},mal",     "-1,-1,mal",
                                       "1,{},mal",   "1,1,{},1,1,mal", "\"1,1\",{},mal", "1,\",1,{},mal",
                                       "{},mal",     "1,1,mal"},
      arrays{R"(["z",1,"{}","mal"])",   R"([1,1,"{}",null])",   R"([-1,-1,"mal"])", R"([1,"{}","mal"])",
             R"([[1,1,"{}"],1,"mal"])", R"([1,1,"{}"],"mal"])", R"([1,1,["{}"]])",  R"([1,1,"mal"])"};
  for (const auto& [name, texts] : {std::pair("in.csv", cells), std::pair("in.ndjson", arrays)}) {
    const std::string own = texts.back(), others = own == "1,1,mal" ? "1,1,{}" : R"([1,1,"{}"])";
    const auto content = [&](const auto& text_of) {
      std::string all;
      for (std::size_t i = 0; i < rows; ++i) {
        const std::string text = i < many ? text_of(i) : others, who = fmt::format("p{}", i % many);
        std::string line = text;
        if (const auto at = line.find("{}"); at != std::string::npos) line.replace(at, 2, who);
        all += line + '\n';
      }
      return all;
    };
    const Released base = released_of_cells(name, content([&](std::size_t) { return own; }), rows);
    const auto distance = [&](const auto& text_of) {
      return moved(mechanism, base, released_of_cells(name, content(text_of), rows));
    };
    for (const std::string& text : texts)
      EXPECT_LE(distance([&](std::size_t) { return text; }), most) << text;
    for (unsigned seed = 0; seed < 5; ++seed) {
      std::mt19937 random(seed);
      EXPECT_LE(distance([&](std::size_t) { return texts[random() % texts.size()]; }), most)
          << name << ' ' << seed;
    }
    EXPECT_GE(distance([&](std::size_t) { return name == std::string("in.csv") ? cells[3] : arrays[2]; }),
              0.9 * most)
        << "the attempt must come near to what is allowed";
  }
}

TEST(People, WhoBreakRecordsMoveAtMostTwiceAsMuchAndTheStatementSaysSo) {
  // A record without a readable id uses nothing up, so that the next one counts, in another block.
  const std::string whole = "[1,1,\"mal\"]\n", next = "[-1,-1,\"mal\"]\n", other = "[0.5,0.5,\"p\"]\n";
  const PreparedRun run(limited_run({.limit = 1, .every = 1, .shape = Shape::identity()}, 3));
  const double most = 1 / run.mechanism().sigma();
  double worst = 0;
  const auto released = [&](const std::string& first) {
    return released_of_cells("in.ndjson", first + other + next, 3, 1);
  };
  const Released base = released(whole);
  for (const std::string broken : {"[1,1,\"mal\"\n", "[1,1,\"mal\"]]\n", "[1,1,\"mal\",1]\n", "[1,1]\n",
                                   "{\"1\":1,\"2\":1,\"3\":\"mal\",\"3\":\"mal\"}\n"}) {
    const double distance = moved(run.mechanism(), base, released(broken));
    EXPECT_LE(distance, 2 * most * (1 + 1e-9)) << broken;
    worst = std::max(worst, distance);
  }
  EXPECT_GT(worst, most) << "the statement would say more than is needed";
  // Where the id can be read, the record is its owner's.
  for (const std::string unread :
       {"[1,\"x\",\"mal\"]\n", "{\"1\":1,\"3\":\"mal\"}\n", "{\"3\":\"mal\",\"x\":oops}\n"})
    EXPECT_LE(moved(run.mechanism(), base, released(unread)), most * (1 + 1e-9)) << unread;
}

TEST(People, OfRowsThatWereTakenMustBeTheSameWhenTheyComeAgain) {
  const Setting setting{.limit = 2, .every = 2, .shape = Shape::identity()};
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  const auto write = [&](const std::string& third) {
    const std::string file = folder.path() / "in.csv";
    std::ofstream(file, std::ios::binary) << "who,x,y\nann,1,1\nann,1,1\n" << third << ",1,1\neve,1,1\n";
    return file;
  };
  RunConfig config = limited_run(setting, 4);
  config.state = DurableOptions{.directory = folder.path() / "state"};
  const PreparedRun run(std::move(config));
  static_cast<void>(read_once(write("ann"), run, 10));
  EXPECT_NO_THROW(static_cast<void>(read_once(write("ann"), run, 10)));
  // Beyond the limit or nobody's, the row has no cells either way; but whose it was is part of it.
  EXPECT_THROW(static_cast<void>(read_once(write(""), run, 10)), StateError);
  EXPECT_THROW(static_cast<void>(read_once(write("bob"), run, 10)), StateError);
}

TEST(People, AreRememberedByAProcessThatIsNotGivenTheirRowsAgain) {
  const Setting setting{.limit = 3, .every = 2, .shape = Shape::identity()};
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  const auto counted = [&](bool durable, std::vector<std::size_t> stops) {
    RunConfig config = limited_run(setting, 40);
    if (durable) config.state = DurableOptions{.directory = folder.path() / "state"};
    const PreparedRun run(std::move(config));
    Released released;
    std::size_t at = 0;
    stops.push_back(40);
    for (const std::size_t stop : stops) {
      RowFeed feed = run.feed([&](const Release& release) { released.add(release); });
      if (durable && at > 0) {
        released = {};
        feed.resume();  // which publishes what was released before
        EXPECT_LE(feed.stream().rows(), at);
        at = feed.stream().rows();  // the rows of an open block come again
      }
      for (; at < stop; ++at) {
        const std::string own = std::to_string(at);
        feed.take_rows(test::one_row(std::vector{0.5, 0.5}, at % 5 == 0 ? PersonId(own) : PersonId("ann")));
      }
      durable&& stop < 40 ? feed.stream().flush() : feed.stream().end_input();
    }
    return released;
  };
  const Released whole = counted(false, {}), parts = counted(true, {3, 4, 11, 20});
  EXPECT_EQ(whole.first, parts.first);
  EXPECT_EQ(whole.second, parts.second);
}

// ---------------------------------------------------------------------------------------------------------------

// mu = 4: 20,000 samples per side tell 4 from 4.44, with an error probability below 1e-9.
constexpr std::size_t people_samples = 20'000;

/// Twelve rows in two blocks, eight of them one person's, of which three count.
std::vector<std::vector<double>> rows_of_person(const PreparedRun& run, double value) {
  RowRules rules = run.rules();
  std::vector<std::vector<double>> rows;
  for (int i = 0; i < 12; ++i) {
    const bool is_often = i % 3 != 1;
    const std::vector<double> row(2, is_often ? value : 0.25);
    rows.push_back(test::take_row(rules, row, is_often ? PersonId("often") : PersonId("p")));
  }
  return rows;
}

/// The statistic of the best attacker on everything that is released.
class PersonAttack {
 public:
  PersonAttack(const PreparedRun& run, double x, double y)
      : mechanism_(run.mechanism()), x_(rows_of_person(run, x)), y_(rows_of_person(run, y)) {
    const Released a = released(x_, 0), b = released(y_, 0);
    gain_ = moved(mechanism_, a, b);
    for (std::size_t t = 0; t < a.first.size(); ++t) {
      first_.push_back(weights(a.first, b.first, t, false));
      second_.push_back(weights(a.second, b.second, t, true));
    }
  }
  [[nodiscard]] double gain() const { return gain_; }
  [[nodiscard]] double statistic(bool of_x, std::uint64_t seed) const {
    const Released seen = released(of_x ? x_ : y_, seed);
    double sum = 0;
    for (std::size_t t = 0; t < seen.first.size(); ++t) {
      sum += projected(seen.first, first_[t], t) + projected(seen.second, second_[t], t);
    }
    return sum;
  }

 private:
  // The shape is the identity, so blocks have independent noise: each is weighed by its difference over its
  // variance.
  [[nodiscard]] std::vector<double> weights(const std::vector<std::vector<double>>& a,
                                            const std::vector<std::vector<double>>& b, std::size_t t,
                                            bool is_second) const {
    std::vector<double> result;
    for (std::size_t i = 0; i < a[t].size(); ++i) {
      const released_parts::Parts noise = released_parts::deviations(mechanism_);
      const double difference = block(a, t, i) - block(b, t, i);
      const double std = (is_second ? noise.second : noise.first)(static_cast<Eigen::Index>(i));
      result.push_back(difference / (std * std * gain_));
    }
    return result;
  }
  static double block(const std::vector<std::vector<double>>& sums, std::size_t t, std::size_t i) {
    return sums[t][i] - (t == 0 ? 0 : sums[t - 1][i]);
  }
  static double projected(const std::vector<std::vector<double>>& sums, const std::vector<double>& weights,
                          std::size_t t) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * block(sums, t, i);
    return sum;
  }
  [[nodiscard]] Released released(const std::vector<std::vector<double>>& rows, std::uint64_t seed) const {
    MomentStream stream(mechanism_, InsecureTestSeed{seed});
    Released all;
    for (const auto& row : rows) {
      const Release& release = stream.push(row);
      if (release.is_new()) all.add(release);
    }
    return all;
  }
  Mechanism mechanism_;
  std::vector<std::vector<double>> x_, y_;
  std::vector<std::vector<double>> first_, second_;
  double gain_ = 0;
};

bool tells_a_person(double sigma, double* gain = nullptr) {
  Setting setting{.limit = 3, .every = 6, .shape = Shape::identity()};
  RunConfig config = limited_run(setting, 12);
  config.stream.budget.sigma = sigma;
  const PreparedRun run(std::move(config));
  const PersonAttack attack(run, 1, -1);
  if (gain != nullptr) *gain = attack.gain();
  std::vector<double> under_x, under_y;
  for (std::size_t r = 0; r < people_samples; ++r) {
    under_x.push_back(attack.statistic(true, 2 * r));
    under_y.push_back(attack.statistic(false, 2 * r + 1));
  }
  return trade_off::exceeds_curve(under_y, under_x, 4);
}

TEST(PeopleFalsification, HoldsForAllRowsOfAPersonTogetherAndFindsTenPercentTooLittleNoise) {
  double gain = 0;
  EXPECT_FALSE(tells_a_person(0.25, &gain));
  EXPECT_LE(gain, 4 * (1 + 1e-9));
  EXPECT_GE(gain, 0.999 * 4) << "not a worst case: the attempt would prove little";
  EXPECT_TRUE(tells_a_person(0.9 * 0.25)) << "noise 10% too small must be found";
}

}  // namespace
}  // namespace jme::people_tests
