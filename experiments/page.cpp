#include "experiments/page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <jme/report/page.hpp>

#include "experiments/chart_drawing.hpp"
#include "experiments/errata.hpp"
#include "report/number_text.hpp"

namespace jme::experiments {
namespace {

using report::Markup;

std::string command(const Item& item, const Reproduction& reproduction) {
  return fmt::format("jme reproduce {} --out {} --seed {}{}", item.name,
                     reproduction.folder.filename().string(), reproduction.effort.seed,
                     reproduction.effort.quick ? " --quick" : "");
}

Markup verdict_words(const Claim& claim) {
  return claim.verdict == Verdict::confirmed ? report::text(name(claim.verdict))
                                             : report::strong(name(claim.verdict));
}

report::Table claims_table(const std::vector<Claim>& claims, bool from_paper) {
  report::Table table{.columns = {{from_paper ? "The paper's claim, in our words" : "Ours"},
                                  {.title = "verdict", .is_word = true},
                                  {"what the numbers say"}}};
  for (const Claim& claim : claims) {
    if (claim.from_paper == from_paper)
      table.rows.push_back({report::text(claim.statement), verdict_words(claim), report::text(claim.found)});
  }
  return table;
}

/// Numbers and names are not broken, and the table scrolls where they do not fit; sentences are broken.
bool is_short(const Table& table, std::size_t column) {
  constexpr std::size_t longest = 32;  // bytes
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column].size() <= longest; });
}

report::Table drawn(const Table& table) {
  report::Table result{.caption = table.title};
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    result.columns.push_back({.title = table.columns[i], .is_word = is_short(table, i)});
  for (const auto& row : table.rows) {
    std::vector<Markup> cells;
    for (const std::string& cell : row) cells.push_back(report::text(cell));
    result.rows.push_back(std::move(cells));
  }
  return result;
}

Markup file_link(const Item& item, const std::string& file) {
  return report::link(fmt::format("{}/{}", item.name, file), file);
}

std::vector<report::Figure> figures(const Item& item, const Figure& figure) {
  std::vector<report::Figure> result;
  for (const Chart& chart : figure.charts) {
    Markup caption =
        file_link(item, chart.name + ".csv") + report::text(", ") + file_link(item, chart.name + ".svg");
    if (!chart.band.empty()) caption += report::text(". Bands: " + chart.band + ".");
    result.push_back({.drawing = drawing_of(chart), .caption = caption});
  }
  return result;
}

void add_item(report::Page& page, const Outcome& outcome, const Reproduction& reproduction) {
  const Figure& figure = outcome.finished.figure;
  page.section(figure.title);
  page.paragraph(report::strong(figure.source) + report::text(". " + figure.setting + "."));
  if (!figure.warning.empty()) page.warning(report::text(figure.warning));
  if (!figure.charts.empty()) page.figures(figures(*outcome.item, figure));
  for (const bool from_paper : {true, false}) {
    const report::Table table = claims_table(figure.claims, from_paper);
    if (!table.rows.empty()) page.table(table);
  }
  for (const Table& table : figure.tables) page.table(drawn(table));
  std::vector<Markup> notes;
  for (const std::string& note : figure.notes) notes.push_back(report::text(note));
  if (!notes.empty()) page.list(notes);
  page.paragraph(report::code(command(*outcome.item, reproduction)) +
                 report::text(fmt::format(": {} s.", report::number_text(outcome.finished.seconds, 2))));
}

report::Table summary(const std::vector<Outcome>& outcomes) {
  report::Table table{.caption = "Every claim of the paper that was compared with numbers",
                      .columns = {{"where"}, {"claim, in our words"}, {.title = "verdict", .is_word = true}}};
  for (const Outcome& outcome : outcomes) {
    for (const Claim& claim : outcome.finished.figure.claims) {
      if (claim.from_paper) {
        table.rows.push_back({report::text(outcome.finished.figure.source), report::text(claim.statement),
                              verdict_words(claim)});
      }
    }
  }
  return table;
}

}  // namespace

std::string page_of(const std::vector<Outcome>& outcomes, const Reproduction& reproduction) {
  report::Page page("The paper, figure by figure");
  std::size_t charts = 0;
  double seconds = 0;
  for (const Outcome& outcome : outcomes) {
    charts += outcome.finished.figure.charts.size();
    seconds += outcome.finished.seconds;
  }
  page.lead(
      report::text("Kalinin, Upadhyay and Lampert, ") +
      report::strong("Continual Release Moment Estimation with Differential Privacy") +
      report::text(
          ", recomputed by jme. Curves are theory, points are simulated runs of the mechanism on made-up "
          "data with a known seed; verdicts are computed from the numbers."));
  page.facts({{report::count_text(outcomes.size()) + " of " + report::count_text(items().size()), "items"},
              {report::count_text(charts), "charts"},
              {reproduction.effort.quick ? "quick" : "full", "size"},
              {fmt::format("{}", reproduction.effort.seed), "seed"},
              {report::number_text(seconds, 2) + " s", "of computing"}});
  page.section("What holds and what does not");
  page.table(summary(outcomes));
  for (const Outcome& outcome : outcomes) add_item(page, outcome, reproduction);
  add_errata(page);
  page.footer(report::text(fmt::format(
      "Made by jme {}. Every chart's numbers are in the CSV file named below it.", reproduction.version)));
  return page.html();
}

}  // namespace jme::experiments
