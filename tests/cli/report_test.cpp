#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string report_run = "run --epsilon 1 --delta 1e-6 ";
const std::string seeded_report_run = report_run + "--insecure-test-seed 7 ";

/// Sensor readings: `columns` of them, `rows` times, inside [0, 10].
std::string readings(int rows, int columns = 3) {
  std::string text;
  for (int j = 0; j < columns; ++j) text += (j > 0 ? ",c" : "c") + std::to_string(j);
  text += '\n';
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      text += (j > 0 ? "," : "") +
              nlohmann::json(5 + 3 * std::sin(0.01 * i + j) + std::cos(7.0 * i * (j + 1))).dump();
    }
    text += '\n';
  }
  return text;
}

std::string bounds_of(int columns) {
  std::string text = "--bounds ";
  for (int j = 0; j < columns; ++j) text += (j > 0 ? ",c" : "c") + std::to_string(j) + "=0:10";
  return text + ' ';
}

class Report : public InDirectory {
 protected:
  /// Runs with a report, expects success and returns the page.
  [[nodiscard]] std::string page(const std::string& arguments, const std::string& input) const {
    const CommandResult result = jme(arguments + " --report " + path("report.html"), {.input = input});
    EXPECT_EQ(result.code, 0) << result.err;
    return read_text(path("report.html"));
  }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path(".")))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
};

std::vector<std::string> sections(const std::string& page) {
  std::vector<std::string> found;
  const std::regex heading("<h2 id=\"section[0-9]+\">([^<]*)</h2>");
  for (std::sregex_iterator it(page.begin(), page.end(), heading), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

/// Text of the page without markup and styles, spaces folded.
std::string words_of(const std::string& page) {
  std::string text = std::regex_replace(page.substr(page.find("</style>")), std::regex("<[^>]*>"), " ");
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

TEST_F(Report, HasEverySectionInItsOrder) {
  const std::string html =
      page(report_run + bounds_of(3) + "--rows 400 --every 10 --emit mean,covariance,regression:c1",
           readings(400));
  EXPECT_THAT(sections(html),
              testing::ElementsAre("Running means", "How the columns move together", "Principal components",
                                   "What goes with c1", "Error against time", "The plan", "What is promised",
                                   "How to read this page"));
  const std::string words = words_of(html);
  for (const char* part :
       {"400 rows", "Correlation", "Covariance", "Noise on a mean", "Noise on a covariance",
        "jme: both moments", "noise multiplier sigma", "cannot be told apart", "± "}) {
    EXPECT_THAT(words, HasSubstr(part));
  }
}

TEST_F(Report, SaysWhatTheLastReleaseSays) {
  const CommandResult run =
      jme(seeded_report_run + bounds_of(3) + "--rows 400 --every 10 --report " + path("report.html"),
          {.input = readings(400)});
  const auto last = run.releases().back();
  const std::string words = words_of(read_text(path("report.html")));
  for (std::size_t j = 0; j < 3; ++j) {
    // 95% band and value, to the second figure of the band.
    const double half = 1.959964 * last["noise_std"]["mean"][j].get<double>();
    const int decimals = 1 - static_cast<int>(std::floor(std::log10(half)));
    char expected[64];
    std::snprintf(expected, sizeof expected, "mean, now %.*f ± %.*f", decimals, last["mean"][j].get<double>(),
                  decimals, half);
    EXPECT_THAT(words, HasSubstr(expected));
  }
  EXPECT_THAT(words, HasSubstr(run.lines()[0]["privacy"]["statement"].get<std::string>().substr(140, 200)));
}

TEST_F(Report, ShowsOnlyWhatWasAskedForAndCanBeHad) {
  const auto shown = [&](const std::string& flags) {
    std::vector<std::string> names =
        sections(page(report_run + bounds_of(3) + "--rows 400 --every 10 " + flags, readings(400)));
    names.resize(names.size() - 3);  // the plan, the promise and how to read the page are always there
    return names;
  };
  using testing::ElementsAre;
  EXPECT_THAT(shown("--second none"), ElementsAre("Running means", "Error against time"));
  EXPECT_THAT(shown("--second diagonal"), ElementsAre("Running means", "Error against time"));
  EXPECT_THAT(shown("--emit mean"), ElementsAre("Running means", "Error against time"));
  EXPECT_THAT(shown("--emit covariance"),
              ElementsAre("How the columns move together", "Principal components", "Error against time"));
  EXPECT_THAT(shown("--emit first,second --workload prefix"), ElementsAre("Running sums", "Second moments"));
  EXPECT_THAT(shown("--emit second,covariance --second diagonal"),
              ElementsAre("Spread", "Second moments", "Error against time"));
  EXPECT_THAT(shown("--emit mean,pca:2"), ElementsAre("Running means", "How the columns move together",
                                                      "Principal components", "Error against time"));
}

TEST_F(Report, IsMadeForEveryWorkloadMethodAndSchedule) {
  const std::string sigma = "run --sigma 2 ";
  for (const std::string& start :
       {report_run + "--workload mean", report_run + "--workload prefix",
        report_run + "--workload decay:0.99", report_run + "--workload window:100",
        report_run + "--method lambda-jme", report_run + "--method ime", report_run + "--method cs",
        report_run + "--method pp", report_run + "--method pp-debiased", report_run + "--shape identity",
        report_run + "--adjacency add-remove --lambda 0.1", report_run + "--participations 3 --separation 20",
        report_run + "--raw", report_run + "--psd", sigma}) {
    const std::string html = page(start + " " + bounds_of(2) + "--rows 400 --every 10", readings(400, 2));
    EXPECT_GE(sections(html).size(), 6U) << start;
    EXPECT_THAT(html, Not(HasSubstr("nan"))) << start;
  }
}

TEST_F(Report, OfOneReleaseOneColumnOrFiftyColumns) {
  EXPECT_THAT(words_of(page(report_run + bounds_of(3) + "--rows 100 --every 100", readings(100))),
              HasSubstr("release 1 "));
  const std::string one = page(report_run + bounds_of(1) + "--rows 100 --every 10", readings(100, 1));
  EXPECT_THAT(sections(one), Not(testing::Contains("How the columns move together")));
  EXPECT_THAT(words_of(one), HasSubstr("standard deviation"));
  const std::string fifty = page(report_run + bounds_of(50) + "--rows 300 --every 1", readings(300, 50));
  EXPECT_THAT(words_of(fifty), HasSubstr("first 12 of 50 columns"));
  EXPECT_LT(fifty.size(), 500'000U);
}

TEST_F(Report, OfAStreamThatEndsEarlyForeseesTheRest) {
  const std::string ended = page(report_run + bounds_of(2) + "--rows 1000 --every 10", readings(405, 2));
  EXPECT_THAT(words_of(ended), HasSubstr("predicted for the rest of the horizon"));
  EXPECT_THAT(words_of(ended), HasSubstr("405 rows"));
  EXPECT_THAT(words_of(page(report_run + bounds_of(2) + "--rows 405 --every 10", readings(405, 2))),
              Not(HasSubstr("predicted for the rest")));
}

TEST_F(Report, StaysBelowHalfAMegabyteForSixColumnsAndAThousandReleases) {
  const std::string html = page(report_run + bounds_of(6) + "--rows 3000 --every 3", readings(3000, 6));
  EXPECT_THAT(words_of(html), HasSubstr(" 1000 releases "));
  EXPECT_LT(html.size(), 500'000U);
  EXPECT_THAT(words_of(html), HasSubstr("first, last, highest and lowest"));
}

TEST_F(Report, IsTheSameBytesForTheSameNoise) {
  const std::string run = seeded_report_run + bounds_of(3) + "--rows 300 --every 3";
  EXPECT_EQ(page(run, readings(300)), page(run, readings(300)));
  EXPECT_THAT(page(run, readings(300)), HasSubstr("NOT PRIVATE"));
}

TEST_F(Report, TakesAHostileColumnNameAsText) {
  const std::string name = R"(</title><script>alert("1")</script><img src=x onerror='alert(2)'>)";
  std::string csv = "\"" + std::regex_replace(name, std::regex("\""), "\"\"") + "\",b\n";
  for (int i = 0; i < 50; ++i) csv += "0.5,0.25\n";
  const CommandResult result =
      jme({"run", "--epsilon", "1", "--delta", "1e-6", "--rows", "50", "--norm-bound", "1", "--report",
           path("report.html"), "--report-title", name},
          {.input = csv});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string html = read_text(path("report.html"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&quot;1&quot;)"));
}

TEST_F(Report, NeverTellsOfBadRows) {
  // The same released numbers from rows that were bad and from rows that really were zero.
  std::string bad = "c0,c1\n", zero = bad;
  for (int i = 0; i < 60; ++i) {
    bad += i % 3 == 0 ? "oops,1\n" : "2,7\n";
    zero += i % 3 == 0 ? "5,5\n" : "2,7\n";
  }
  const std::string run = seeded_report_run + bounds_of(2) + "--rows 60 --every 10 --on-bad-row zero";
  EXPECT_EQ(page(run, bad), page(run, zero));
}

TEST_F(Report, SaysWhatBecomesOfHolesAndBadRowsWhetherThereWereAnyOrNot) {
  const std::string run = report_run + bounds_of(2) + "--rows 60 --every 10 ";
  EXPECT_THAT(words_of(page(run, readings(60, 2))),
              testing::AllOf(HasSubstr("missing cells make a row unreadable"),
                             HasSubstr("unreadable rows end the stream before them")));
  EXPECT_THAT(
      words_of(page(run + "--on-bad-row zero --missing mean,c0=5", readings(60, 2))),
      testing::AllOf(HasSubstr("mean,c0=5: these values, otherwise the column&#39;s mean as last published"),
                     HasSubstr("unreadable rows count as the middle of every column&#39;s range")));
  EXPECT_THAT(words_of(page(run + "--missing model", readings(60, 2))),
              HasSubstr("model: the value predicted from what was published before and the rest of the row"));
  EXPECT_THAT(words_of(page(run + "--missing c0=5,c1=6", readings(60, 2))),
              HasSubstr("c0=5,c1=6: these values unreadable"));
}

TEST_F(Report, IsNotWrittenWhenTheRunFails) {
  const std::string report = " --report " + path("report.html");
  EXPECT_EQ(jme(report_run + bounds_of(2) + "--rows 60 --every 10" + report,
                {.input = readings(50, 2) + "oops,1\n"})
                .code,
            3);
  EXPECT_EQ(jme(report_run + bounds_of(2) + "--rows 60 --every 10" + report, {.input = readings(61, 2)}).code,
            4);
  EXPECT_EQ(jme(report_run + bounds_of(2) + "--rows 60 --every 10" + report, {.input = "c0,c1\n"}).code, 3);
  EXPECT_THAT(files(), testing::IsEmpty());
}

TEST_F(Report, OfAFailedRunLeavesTheOneBeforeAsItWas) {
  const std::string old = file("report.html", "yesterday's");
  EXPECT_EQ(jme(report_run + bounds_of(2) + "--rows 60 --report " + old, {.input = readings(61, 2)}).code, 4);
  EXPECT_EQ(read_text(old), "yesterday's");
}

TEST_F(Report, ReplacesTheOneBeforeThroughLinksAndKeepsItsMode) {
  const std::string old = file("real.html", "yesterday's");
  ASSERT_EQ(::chmod(old.c_str(), 0640), 0);
  std::filesystem::create_symlink("real.html", path("report.html"));
  const std::string html = page(report_run + bounds_of(2) + "--rows 60 --every 10", readings(60, 2));
  EXPECT_TRUE(std::filesystem::is_symlink(path("report.html")));
  EXPECT_EQ(read_text(old), html);
  EXPECT_EQ(std::filesystem::status(old).permissions(), static_cast<std::filesystem::perms>(0640));
  EXPECT_THAT(files(), testing::ElementsAre("real.html", "report.html"));
}

TEST_F(Report, IsRefusedBeforeTheFirstRowWhereItCannotBeWritten) {
  const std::string run = report_run + bounds_of(2) + "--rows 60 ";
  expect_refused(jme(run + "--report " + path("no/such/folder.html"), {.input = readings(60, 2)}), 1,
                 "report");
  expect_refused(jme(run + "--report " + path("."), {.input = readings(60, 2)}), 2, "report");
  expect_refused(jme(run + "--report -", {.input = readings(60, 2)}), 2, "report");
  expect_refused(jme(run + "--report-title x", {.input = readings(60, 2)}), 2, "report-title");
  const std::string data = file("data.csv", readings(60, 2));
  expect_refused(jme(run + data + " --report " + data), 2, "report");
  const std::string both = path("both");
  expect_refused(jme(run + data + " --report " + both + " --output " + both), 2, "report");
  EXPECT_EQ(read_text(data), readings(60, 2));
}

TEST_F(Report, MayGoToADeviceAndAFullOneIsAnError) {
  const std::string run = report_run + bounds_of(2) + "--rows 60 --every 10 --report ";
  EXPECT_EQ(jme(run + "/dev/null", {.input = readings(60, 2)}).code, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const CommandResult full = jme(run + "/dev/full", {.input = readings(60, 2)});
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr("No space left on device"));
}

TEST_F(Report, IsNotWrittenByADryRun) {
  const CommandResult result =
      jme(report_run + bounds_of(2) + "--rows 60 --dry-run --report " + path("report.html"),
          {.input = readings(60, 2)});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(files(), testing::IsEmpty());
}

TEST_F(Report, GivesItsChartsAsFiles) {
  const std::string html =
      page(report_run + bounds_of(2) + "--rows 60 --every 10 --report-figures " + path("charts/new"),
           readings(60, 2));
  std::size_t charts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("charts/new"))) {
    EXPECT_THAT(read_text(entry.path()), HasSubstr("xmlns=\"http://www.w3.org/2000/svg\""));
    ++charts;
  }
  std::size_t drawn = 0;
  for (std::size_t at = html.find("<svg class"); at != std::string::npos;
       at = html.find("<svg class", at + 1))
    ++drawn;
  EXPECT_EQ(charts, drawn);
  EXPECT_THAT(read_text(path("charts/new/01-c0.svg")), HasSubstr("Running mean of c0"));
  const std::string run = report_run + bounds_of(2) + "--rows 60 ";
  expect_refused(jme(run + "--report-figures x", {.input = readings(60, 2)}), 2, "report-figures");
  expect_refused(jme(run + "--report " + path("r.html") + " --report-figures " + file("f", ""),
                     {.input = readings(60, 2)}),
                 1, "report-figures");
}

TEST_F(Report, OfTheDemoIsWrittenWhereItSays) {
  const CommandResult result = jme("demo --report " + path("demo.html"));
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("Report: " + path("demo.html")));
  EXPECT_THAT(words_of(read_text(path("demo.html"))), HasSubstr("A day of sensor readings"));
}

}  // namespace
}  // namespace jme::test
