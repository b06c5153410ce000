#include "run_report.hpp"

#include <algorithm>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/output/report_page.hpp>

#include "exit_codes.hpp"
#include "output.hpp"

namespace jme::cli {

namespace {

using Clock = std::chrono::steady_clock;

// The least time between two pages. It is longer where pages are slow, so that a run spends at most a tenth
// of its time on them.
constexpr auto between_pages = std::chrono::seconds(1);
constexpr int rest_per_work = 9;

}  // namespace

void ReportFlags::attach(CLI::App& app, const std::string& group) {
  add_text(
      app, "--report", file, "FILE",
      "Write a self-contained HTML page about the run, after releases (at most once a second) and at its end")
      ->group(group);
  add_text(app, "--report-title", title, "TEXT", "The page's title")->group(group);
  add_text(app, "--report-figures", figures, "DIR", "Write its charts as SVG files as well")->group(group);
}

RunReport::RunReport(const ReportFlags& flags, const std::vector<std::string>& others)
    : file_(*flags.file), title_(flags.title.value_or("")) {
  if (flags.figures) figures_.emplace(*flags.figures);
  for (const std::string& other : others) {
    if (other == file_.path() || same_file(other, file_.path())) {
      throw InvalidParameter("report", file_.path(), "another file than the input and the output");
    }
  }
}

void RunReport::begin(const RunDescription& run, const std::vector<std::string>& columns,
                      bool shape_was_chosen) {
  run_ = &run;
  shape_was_chosen_ = shape_was_chosen;
  collected_.emplace(run, columns);
  next_ = Clock::now() + between_pages;
}

void RunReport::add(const Release& release) {
  collected_->add(release);
  is_behind_ = true;
  static_cast<void>(write_due());
}

RunReport::Due RunReport::write_due() {
  if (!is_behind_ || file_.is_special()) return std::nullopt;
  const Clock::time_point begin = Clock::now();
  if (begin < next_) return next_;
  is_behind_ = false;
  try {
    write();
  } catch (const Error& error) {
    // The run goes on: its releases are out in any case, and its end tries again.
    if (!std::exchange(has_warned_, true)) print_warning(error.what());
  }
  const Clock::time_point end = Clock::now();
  next_ = end + std::max<Clock::duration>(between_pages, rest_per_work * (end - begin));
  return std::nullopt;
}

void RunReport::write() const {
  if (!collected_ || !collected_->last()) return;
  const report::Page page = report_page({.run = *run_,
                                         .collected = *collected_,
                                         .last = *collected_->last(),
                                         .title = title_,
                                         .shape_was_chosen = shape_was_chosen_});
  file_.write(page.html());
  if (figures_) figures_->write(page.drawings());
}

std::optional<RunReport> make_report(const ReportFlags& flags, const std::vector<std::string>& others) {
  if (flags.file) return std::optional<RunReport>(std::in_place, flags, others);
  if (flags.title) throw InvalidParameter("report-title", "is used together with report");
  if (flags.figures) throw InvalidParameter("report-figures", "is used together with report");
  return std::nullopt;
}

}  // namespace jme::cli
