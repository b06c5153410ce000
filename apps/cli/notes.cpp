#include "notes.hpp"

#include <fmt/format.h>

#include <jme/output/means_at_bounds.hpp>
#include <jme/output/report_collector.hpp>

#include "exit_codes.hpp"

namespace jme::cli {

namespace {

/// Cells that were clamped, where there were any, and what is doubtful about them.
void tell_clamped(const RowRules& rules, const std::vector<std::string>& columns) {
  const ClampCounts& clamped = rules.clamped();
  std::string list;
  for (std::size_t i = 0; i < clamped.cells.size(); ++i) {
    const std::size_t below = clamped.below[i], above = clamped.above[i];
    if (below + above == 0) continue;
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", columns[i],
                        above == 0   ? fmt::format("{} below", below)
                        : below == 0 ? fmt::format("{} above", above)
                                     : fmt::format("{} below and {} above", below, above));
  }
  if (!list.empty()) {
    print_note(fmt::format(
        "cells outside of the bounds of their column were clamped to them ({}); keep these numbers to "
        "yourself",
        list));
  }
  for (std::size_t i = 0; i < clamped.cells.size(); ++i) {
    if (const auto warning = clamping_warning(clamped, rules.bounds(), i, columns[i])) {
      print_warning(*warning);
    }
  }
}

}  // namespace

void tell(const RowRules& rules, const PreparedRun& run, const std::vector<std::string>& columns) {
  using enum Note::Kind;
  std::size_t rows = 0;
  std::string filled, absent;
  for (const Note& note : rules.notes()) {
    const double share = 100.0 * static_cast<double>(note.count) / static_cast<double>(note.rows);
    switch (note.kind) {
      case bad_rows:
        print_note(fmt::format(
            "{} bad row(s), {:.3g}% of all, counted as zero{}, and the means move towards it by that "
            "share; keep these numbers to yourself",
            note.count, share, run.bounds().is_none() ? "" : ", the middle of the bounds"));
        break;
      case unread_rows:
        print_note(fmt::format(
            "{} bad row(s), {:.3g}% of all, counted as rows without cells; keep these numbers to yourself",
            note.count, share));
        break;
      case nobodys_rows:
        print_note(fmt::format(
            "{} row(s), {:.3g}% of all, had no id of a person and counted as rows without cells; keep these "
            "numbers to yourself",
            note.count, share));
        break;
      case rows_over_limit:
        print_note(
            fmt::format("{} row(s), {:.3g}% of all, were beyond --rows-per-person and counted as rows "
                        "without cells; keep "
                        "these numbers to yourself",
                        note.count, share));
        break;
      case filled_rows:
      case absent_rows:
        rows = note.count;
        break;
      case filled_cells:
      case absent_cells: {
        std::string& list = note.kind == filled_cells ? filled : absent;
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", columns[*note.column], note.count);
        break;
      }
      case clamped_low:
      case clamped_high:
        break;  // told together, below
      case rows_outside:
        break;  // told where slots are pumped, and no note of the rules
    }
  }
  tell_clamped(rules, columns);
  if (rows == 0) return;
  const std::string what = filled.empty() ? fmt::format("were left out ({})", absent)
                           : absent.empty()
                               ? fmt::format("were filled ({})", filled)
                               : fmt::format("were filled ({}) or left out ({})", filled, absent);
  print_note(fmt::format("{} row(s) had missing cells that {}; keep these numbers to yourself", rows, what));
}

void tell_means_at_bounds(const Release& newest, const RunDescription& description, const PreparedRun& run) {
  if (ReportContents(description).centre != ReportContents::Centre::mean) return;
  const std::string words =
      means_at_bounds_words(means_at_bounds(newest, Divisors(newest), run.bounds()), run.columns());
  if (!words.empty()) print_note(words);
}

void tell(const FoundBounds& found) {
  for (std::size_t i = 0; i < found.columns.size(); ++i) {
    if (const std::string warning = warning_about(found.ranges[i]); !warning.empty()) {
      print_warning(fmt::format("{}: {}", found.columns[i], warning));
    }
  }
}

void tell_unused(const PreparedRun& run) {
  for (const UnusedEmitOption option : run.unused_emit_options()) {
    print_note(option == UnusedEmitOption::psd
                   ? "--psd changes the covariance only, which is not emitted"
                   : "--raw changes the covariance and what is computed from it, which is not emitted");
  }
}

}  // namespace jme::cli
