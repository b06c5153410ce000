#pragma once

#include <string>

#include <jme/moments/release.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/report_collector.hpp>
#include <jme/report/page.hpp>

namespace jme {

/// Everything a report is made from. All of it is public: releases, and what was fixed before the first row.
struct ReportInput {
  const RunDescription& run;
  const ReportCollector& collected;
  const Release& last;            ///< the newest release
  std::string title{};            ///< empty: a plain one
  bool shape_was_chosen = false;  ///< by jme, because the configuration left it open
};

/// The whole page.
[[nodiscard]] report::Page report_page(const ReportInput& input);

// The page's sections, in their order; each function adds nothing where there is nothing to show.
void add_centres(report::Page& page, const ReportInput& input);
void add_second(report::Page& page, const ReportInput& input);
void add_covariance(report::Page& page, const ReportInput& input);
void add_components(report::Page& page, const ReportInput& input);
void add_regressions(report::Page& page, const ReportInput& input);
void add_noise(report::Page& page, const ReportInput& input);
void add_plan(report::Page& page, const ReportInput& input);
void add_privacy(report::Page& page, const ReportInput& input);

/// What the workload averages over, in words: "all rows so far".
[[nodiscard]] std::string covered_rows(const Mechanism& mechanism, const Workload& workload);
/// What a release is counted in: rows, or slots of time.
[[nodiscard]] std::string steps_name(const Mechanism& mechanism);

}  // namespace jme
