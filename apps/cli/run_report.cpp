#include "run_report.hpp"

#include <jme/base/errors.hpp>
#include <jme/output/report_page.hpp>

#include "output.hpp"

namespace jme::cli {

void ReportFlags::attach(CLI::App& app, const std::string& group) {
  add_text(app, "--report", file, "FILE", "Write a self-contained HTML page about the run, at its end")
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

void RunReport::begin(const RunDescription& run, const std::vector<std::string>& columns) {
  run_ = &run;
  collected_.emplace(run, columns);
}

void RunReport::write(bool shape_was_chosen) const {
  if (!collected_->last()) return;
  const report::Page page = report_page({.run = *run_,
                                         .collected = *collected_,
                                         .last = *collected_->last(),
                                         .title = title_,
                                         .shape_was_chosen = shape_was_chosen});
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
