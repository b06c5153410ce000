// What a reproduction leaves on disk, and that a second run goes on where the first stopped.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>

#include "experiments/csv.hpp"
#include "experiments/figure_json.hpp"
#include "experiments/quick_figures.hpp"
#include "experiments/reproduction.hpp"

namespace jme::experiments {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class InFolder : public testing::Test {
 protected:
  InFolder() {
    std::string pattern = (fs::temp_directory_path() / "jme-experiments-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~InFolder() override { fs::remove_all(folder_); }
  [[nodiscard]] const fs::path& folder() const { return folder_; }
  [[nodiscard]] Reproduction request(std::vector<std::string> names) const {
    Reproduction result{.folder = folder_, .items = {}, .effort = {.quick = true}, .version = "0"};
    for (const std::string& name : names) result.items.push_back(&item_called(name));
    return result;
  }

 private:
  fs::path folder_;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

using Reproduce = InFolder;

TEST_F(Reproduce, WritesAPageAndForEveryChartItsNumbersAndDrawing) {
  const auto outcomes = reproduce(request({"workloads", "pareto"}));
  ASSERT_EQ(outcomes.size(), 2U);
  const std::string page = text_of(folder() / "index.html");
  for (const Outcome& outcome : outcomes) {
    const fs::path item = folder() / outcome.item->name;
    EXPECT_TRUE(fs::exists(item / "figure.json"));
    for (const Chart& chart : outcome.finished.figure.charts) {
      EXPECT_THAT(text_of(item / (chart.name + ".svg")), HasSubstr("<svg"));
      EXPECT_EQ(text_of(item / (chart.name + ".csv")), csv_of(chart));
      EXPECT_THAT(page, HasSubstr(std::string(outcome.item->name) + "/" + chart.name + ".csv"));
    }
    for (const Table& table : outcome.finished.figure.tables)
      EXPECT_TRUE(fs::exists(item / (table.name + ".csv")));
    EXPECT_THAT(page, HasSubstr("jme reproduce " + std::string(outcome.item->name)));
    EXPECT_THAT(page, HasSubstr("--seed 1 --quick"));
  }
  // Self-contained: nothing is loaded from anywhere.
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
  // Every file that the page links to is there.
  const std::regex link("href=\"([^\"#:]+)\"");
  for (std::sregex_iterator it(page.begin(), page.end(), link), end; it != end; ++it)
    EXPECT_TRUE(fs::exists(folder() / (*it)[1].str())) << (*it)[1];
  for (const auto& entry : fs::recursive_directory_iterator(folder()))
    EXPECT_NE(entry.path().extension(), ".part") << "left behind";
}

TEST_F(Reproduce, KeepsWhatIsFinishedAndShowsItAgain) {
  EXPECT_FALSE(reproduce(request({"workloads"}))[0].kept);
  const std::string first = text_of(folder() / "workloads/figure.json");
  const auto second = reproduce(request({"workloads", "training"}));
  EXPECT_TRUE(second[0].kept);
  EXPECT_FALSE(second[1].kept);
  EXPECT_EQ(text_of(folder() / "workloads/figure.json"), first);
  // An item of an earlier run stays on the page when another is asked for.
  reproduce(request({"training"}));
  EXPECT_THAT(text_of(folder() / "index.html"), HasSubstr("Table 1"));
}

TEST_F(Reproduce, ComputesAgainForAnotherSeedOrSizeOrWhenAsked) {
  reproduce(request({"workloads"}));
  Reproduction other = request({"workloads"});
  other.effort.seed = 2;
  EXPECT_FALSE(reproduce(other)[0].kept);
  EXPECT_FALSE(reproduce(request({"workloads"}))[0].kept)
      << "the other seed's result must not pass for this one";
  Reproduction full = request({"workloads"});
  full.effort.quick = false;
  EXPECT_FALSE(reproduce(full)[0].kept);
  full.fresh = true;
  EXPECT_FALSE(reproduce(full)[0].kept);
  full.fresh = false;
  EXPECT_TRUE(reproduce(full)[0].kept);
}

TEST_F(Reproduce, ComputesAgainWhatIsDamaged) {
  reproduce(request({"workloads"}));
  const fs::path file = folder() / "workloads/figure.json";
  const std::string whole = text_of(file);
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string(), std::string("{}")}) {
    std::ofstream(file) << damaged;
    EXPECT_FALSE(reproduce(request({"workloads"}))[0].kept);
    EXPECT_TRUE(reproduce(request({"workloads"}))[0].kept);
  }
}

TEST_F(Reproduce, SaysWhereItCannotWrite) {
  std::ofstream(folder() / "file") << "x";
  Reproduction blocked = request({"workloads"});
  blocked.folder = folder() / "file" / "below";
  EXPECT_THROW(reproduce(blocked), Error);
}

TEST_F(Reproduce, TellsHowFarItIs) {
  Reproduction watched = request({"pareto"});
  std::vector<double> seen;
  std::size_t begun = 0, ended = 0;
  watched.effort.progress = [&](double part) { seen.push_back(part); };
  watched.begins = [&](const Item&, std::size_t) { ++begun; };
  watched.ends = [&](const Outcome&) { ++ended; };
  reproduce(watched);
  EXPECT_EQ(begun, 1U);
  EXPECT_EQ(ended, 1U);
  ASSERT_GT(seen.size(), 10U);
  for (const double part : seen) {
    EXPECT_GE(part, 0);
    EXPECT_LE(part, 1 + 1e-9);
  }
  EXPECT_GT(seen.back(), 0.9);
}

TEST(Items, HaveDifferentNamesAndAnUnknownOneIsRefused) {
  std::set<std::string_view> names;
  for (const Item& item : items()) EXPECT_TRUE(names.insert(item.name).second) << item.name;
  EXPECT_EQ(&item_called("pareto"), &items()[0]);
  EXPECT_THROW(static_cast<void>(item_called("parity")), InvalidParameter);
}

TEST(SlowItems, NameTheirChartsAndTablesApart) {
  std::set<std::string> names;
  for (const char* item : {"pareto", "adam", "covariance", "decay-window", "schedule", "low-privacy",
                           "geometry", "shapes", "workloads", "training", "alarms"}) {
    for (const Chart& chart : quick_figure(item).charts)
      EXPECT_TRUE(names.insert(chart.name).second) << chart.name;
    for (const Table& table : quick_figure(item).tables) {
      EXPECT_TRUE(names.insert(table.name).second) << table.name;
      for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
    }
  }
}

TEST(FigureJson, KeepsEveryNumberToItsLastDigit) {
  const Figure& figure = quick_figure("pareto");
  const auto again = nlohmann::json::parse(nlohmann::json(figure).dump()).get<Figure>();
  EXPECT_EQ(nlohmann::json(again), nlohmann::json(figure));
  EXPECT_EQ(again.charts[0].series[0].y, figure.charts[0].series[0].y);
}

TEST(Figures, AreTheSameForEveryNumberOfThreads) {
  EXPECT_EQ(nlohmann::json(pareto_curves({.quick = true, .threads = 1})),
            nlohmann::json(quick_figure("pareto")));
}

TEST(Csv, QuotesWhatNeedsItAndLeavesMissingCellsEmpty) {
  const Chart chart{
      .name = "c",
      .title = "t",
      .x = {.label = "x, in \"units\""},
      .y = {.label = "y"},
      .series = {{.name = "a", .x = {0.1}, .y = {1e300}},
                 {.name = "b", .x = {2}, .y = {3}, .std_error = {0.5}, .low = {1}, .high = {4}}}};
  EXPECT_EQ(csv_of(chart),
            "series,\"x, in \"\"units\"\"\",y,standard error,standard deviation,low,high\n"
            "a,0.1,1e+300,,,,\n"
            "b,2,3,0.5,,1,4\n");
}

}  // namespace
}  // namespace jme::experiments
