#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jme/moments/release.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/report_collector.hpp>

#include "parse.hpp"
#include "report_file.hpp"

namespace jme::cli {

/// --report and what belongs to it.
struct ReportFlags {
  Text file, title, figures;

  void attach(CLI::App& app, const std::string& group);
};

/// The page about a run and its charts, written at the run's end.
class RunReport {
 public:
  /// Throws where nothing could be written there, before the first row. `others`: files that the page must
  /// not replace.
  RunReport(const ReportFlags& flags, const std::vector<std::string>& others);

  /// `run` outlives the report.
  void begin(const RunDescription& run, const std::vector<std::string>& columns);
  void add(const Release& release) { collected_->add(release); }
  /// Writes nothing where there was no release.
  void write(bool shape_was_chosen) const;

 private:
  ReportFile file_;
  std::string title_;
  std::optional<FigureFolder> figures_;
  const RunDescription* run_ = nullptr;
  std::optional<ReportCollector> collected_;
};

/// The report that the flags ask for, if any. Throws InvalidParameter for flags that need one.
[[nodiscard]] std::optional<RunReport> make_report(const ReportFlags& flags,
                                                   const std::vector<std::string>& others);

}  // namespace jme::cli
