// One person with very many records in slots of time, through the whole way of a row: reader, limit in all
// and in windows, slots, stream on disk, with processes that end before all slots are released. The noise is
// the same on both sides, so that releases differ by what the person moves and by nothing else.
#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <jme/mechanism/moved_rows.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/row_feed.hpp>

#include "data/row_reader.hpp"
#include "statistics/reader_row.hpp"
#include "statistics/released_sums.hpp"
#include "temporary_folder.hpp"

namespace jme::people_in_slots_tests {
namespace {

using released_sums::moved;
using released_sums::Released;

// Slots of six hours, five days of them.
constexpr Seconds first_slot = 1767225600, slot_length = 6 * 3600;
constexpr std::size_t slots = 20;

struct Limited {
  std::string limit, shape;
  bool observed = false;
  double reached = 0.9;  // of what is allowed, by rows at opposite corners
};

RunSettings settings_of(const Limited& limited) {
  RunSettings settings;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"bounds", "x=-1:1,y=-1:1"},
                                                        {"sigma", "0.25"},
                                                        {"every", "6h"},
                                                        {"from", "2026-01-01"},
                                                        {"until", "2026-01-06"},
                                                        {"time", "when"},
                                                        {"person", "who"},
                                                        {"workload", "prefix"},
                                                        {"on_bad_row", "zero"},
                                                        {"insecure_test_seed", "3"}}) {
    settings.set(name, text);
  }
  settings.set("rows_per_person", limited.limit);
  settings.set("shape", limited.shape);
  if (limited.observed) settings.set("missing", "observed");
  return settings;
}

/// The process ends after so many releases.
struct Killed {};

Released read_once(const std::string& file, const PreparedRun& run, std::size_t releases) {
  RowReader reader(file,
                   {.columns = run.columns(), .person = "who", .time = "when", .on_bad_row = OnBadRow::zero});
  reader.on_missing(run.missing().rules());
  Released released;
  RowFeed feed = run.feed([&](const Release& release) {
    if (released.first.size() == releases) throw Killed();
    released.add(release);
  });
  std::vector<double> row(2);
  while (reader.next(row)) feed.take_rows(test::read_row(reader, row));
  try {
    feed.end_input();
  } catch (const Killed&) {
    // as if the process had been killed
  }
  return released;
}

Released released_of(const std::string& content, const Limited& limited, std::mt19937& random) {
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  const std::string file = folder.path() / "in.csv";
  std::ofstream(file, std::ios::binary) << content;
  RunSettings settings = settings_of(limited);
  const Released whole = [&] {
    const PreparedRun run(run_config(settings));
    return read_once(file, run, slots + 1);
  }();
  settings.set("state", (folder.path() / "state").string());
  const PreparedRun run(run_config(settings));
  for (int i = 0; i < 2; ++i) static_cast<void>(read_once(file, run, random() % slots));
  const Released last = read_once(file, run, slots + 1);
  EXPECT_EQ(last.first, whole.first);
  EXPECT_EQ(last.second, whole.second);
  return whole;
}

/// A record of the person: when, and its cells.
struct Record {
  Seconds time;
  std::string cells;
};
using Often = std::function<Record(int)>;

/// 900 records, of which 600 are one person's; `often` gives these, the others are the same every time.
std::string file_of(const Often& often, bool has_ids = true) {
  std::mt19937 random(5);
  std::string content = "who,when,x,y\n";
  int taken = 0;
  for (int i = 0; i < 900; ++i) {
    const bool is_often = taken < 600 && random() % 3 != 0;
    const Seconds time = first_slot + static_cast<Seconds>(random() % (5 * 86400));
    if (is_often) {
      const Record record = often(taken++);
      content += fmt::format("{},{},{}\n", has_ids ? "often" : "", record.time, record.cells);
      continue;
    }
    const int who = static_cast<int>(random() % 60);
    const char* const kinds[] = {"p{0},{1},what,1\n",    "p{0},{1},,0.5\n",       ",{1},0.5,0.5\n",
                                 "p{0},noon,1,1\n",      "p{0},{1},0.25,-0.75\n", "p{0},{1},-1,1\n",
                                 "p{0},2099-01-01,1,1\n"};
    content += fmt::format(fmt::runtime(kinds[random() % 7]), who, time);
  }
  return content;
}

/// The person's times: in every slot, some before the schedule; the first records all in the first slot of a
/// day, where windows can be filled.
Seconds usual_time(int k) {
  if (k % 29 == 28) return first_slot - 1000;
  return first_slot + (k / 6 % 5) * 86400 + (k % 6 < 3 ? 0 : k % 4 * slot_length) + k % 100;
}
std::int64_t day_of(Seconds time) {
  return (time - first_slot) / 86400;
}

const std::string corner = "1,1", opposite = "-1,-1";
std::string anything(int k) {
  const char* const kinds[] = {"1,1", "-1,-1", "x\xff,1", ",1", "0.25,-0.75", "inf,3"};
  return kinds[(k * 7 + 3) % 6];
}

Often with_cells(const std::function<std::string(int)>& cells) {
  return [=](int k) { return Record{usual_time(k), cells(k)}; };
}

const std::vector<Limited> limits_of_people{
    {"3", "identity"},        {"3", "scaled-blt:3"},
    {"1/slot:3", "identity"}, {"2/slot:all", "scaled-blt:2", true, 0.5},
    {"2/day:4", "identity"},  {"3/12h:7", "scaled-blt:3", true, 0.5},
};
const std::vector<Limited> limits_of_windows{{"3/day", "identity"},
                                             {"3/day", "scaled-blt:3"},
                                             {"1/slot", "identity", true},
                                             {"2/12h", "scaled-blt:2"}};

TEST(PeopleInSlots, MoveTheChannelsByNoMoreThanIsStatedHoweverManyRecordsTheyHave) {
  std::mt19937 random(9);
  for (const Limited& limited : limits_of_people) {
    SCOPED_TRACE(limited.limit + ' ' + limited.shape);
    const Mechanism mechanism = PreparedRun(run_config(settings_of(limited))).mechanism();
    const double most = 4 * (1 + 1e-9);
    const Released base = released_of(file_of(with_cells([](int) { return corner; })), limited, random);
    const auto from_base = [&](const std::function<std::string(int)>& cells) {
      return moved(mechanism, base, released_of(file_of(with_cells(cells)), limited, random));
    };
    const double flipped = from_base([](int) { return opposite; });
    EXPECT_LE(flipped, most);
    EXPECT_GE(flipped, limited.reached * 4) << "the attempt must come near to what is allowed";
    EXPECT_LE(from_base(anything), most);
    EXPECT_LE(from_base([](int) { return std::string("x,y"); }), most);
    // The first records say 1, the others -1: if bytes of the first let others count instead, both move.
    const auto first = [&](const std::string& cells) {
      return released_of(file_of(with_cells([&](int k) { return k < 12 ? cells : opposite; })), limited,
                         random);
    };
    EXPECT_LE(moved(mechanism, first(corner), first("what,\xff")), most);
    const Released nobody =
        released_of(file_of(with_cells([](int) { return corner; }), false), limited, random);
    EXPECT_LE(moved(mechanism, base, nobody), most);
  }
}

TEST(PeopleInSlots, OfOneWindowMoveTheChannelsByNoMoreThanIsStatedAndAllWindowsByWhatIsStatedForAll) {
  std::mt19937 random(10);
  for (const Limited& limited : limits_of_windows) {
    SCOPED_TRACE(limited.limit + ' ' + limited.shape);
    const PreparedRun run(run_config(settings_of(limited)));
    const Mechanism& mechanism = run.mechanism();
    const double most = 4 * (1 + 1e-9);
    const SlotSchedule schedule = run.schedule();
    const auto window_of = [&](int k) { return schedule.window_of(usual_time(k), run.slots_of_window()); };
    const std::int64_t changed = schedule.window_of(first_slot + 2 * 86400, run.slots_of_window());
    const auto in_window = [&](const std::function<std::string(int)>& cells) {
      return released_of(
          file_of(with_cells([&](int k) { return window_of(k) == changed ? cells(k) : corner; })), limited,
          random);
    };
    const Released base = in_window([](int) { return corner; });
    const double flipped = moved(mechanism, base, in_window([](int) { return opposite; }));
    EXPECT_LE(flipped, most);
    EXPECT_GE(flipped, limited.reached * 4) << "the attempt must come near to what is allowed";
    EXPECT_LE(moved(mechanism, base, in_window(anything)), most);
    EXPECT_LE(moved(mechanism, base, in_window([](int) { return std::string("x,y"); })), most);
    // All windows together.
    const double of_all = *mu_of_all_windows(mechanism);
    const double all = moved(mechanism, base,
                             released_of(file_of(with_cells([](int) { return opposite; })), limited, random));
    EXPECT_GT(all, 4 * 1.5);
    EXPECT_LE(all, of_all * (1 + 1e-9));
    EXPECT_GE(all, (limited.shape == "identity" ? 0.9 : 0.5) * of_all);
  }
}

// Times are a person's data, too: records of two windows that go anywhere in these windows.
TEST(PeopleInSlots, WhoseRowsAlsoChangeTheirTimesMoveNoMoreThanIsStatedForThat) {
  std::mt19937 random(11);
  for (const Limited& limited : {Limited{"3/day", "identity"}, Limited{"1/slot", "scaled-blt:3"},
                                 Limited{"3", "identity"}, Limited{"2/day:4", "scaled-blt:2"}}) {
    SCOPED_TRACE(limited.limit + ' ' + limited.shape);
    const PreparedRun run(run_config(settings_of(limited)));
    const bool one_window =
        limited.limit.find('/') != std::string::npos && limited.limit.find(':') == std::string::npos;
    const bool one_slot = limited.limit == "1/slot";
    for (int attempt = 0; attempt < 4; ++attempt) {
      // Where windows are protected, records move within two of them; else wherever they like.
      const Often somewhere = [&](int k) {
        const Seconds time = usual_time(k);
        const std::int64_t day = time < first_slot ? -1 : day_of(time);
        const bool moves = one_slot ? day == 1 && (time - first_slot) % 86400 < 2 * slot_length
                                    : (one_window ? day == 1 || day == 3 : true);
        if (!moves) return Record{time, corner};
        const Seconds slot = one_slot     ? static_cast<Seconds>(4 + random() % 2)
                             : one_window ? static_cast<Seconds>((random() % 2 == 0 ? 4 : 12) + random() % 4)
                                          : static_cast<Seconds>(random() % slots);
        return Record{first_slot + slot * slot_length + static_cast<Seconds>(random() % slot_length),
                      random() % 2 == 0 ? corner : opposite};
      };
      const Released base = released_of(file_of(with_cells([](int) { return corner; })), limited, random);
      const Released other = released_of(file_of(somewhere), limited, random);
      EXPECT_LE(moved(run.mechanism(), base, other), mu_of_moved_rows(run.mechanism()) * (1 + 1e-9));
    }
  }
}

}  // namespace
}  // namespace jme::people_in_slots_tests
