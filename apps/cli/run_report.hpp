#pragma once

#include <chrono>
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

/// The page about a run and its charts. They are written after releases while the run goes on, and at its
/// end.
class RunReport {
 public:
  /// Throws where nothing could be written there, before the first row. `others`: files that the page must
  /// not replace.
  RunReport(const ReportFlags& flags, const std::vector<std::string>& others);

  /// `run` outlives the report.
  void begin(const RunDescription& run, const std::vector<std::string>& columns, bool shape_was_chosen);
  /// Takes a release, and writes the page if it is time for it.
  void add(const Release& release);
  using Due = std::optional<std::chrono::steady_clock::time_point>;
  /// Writes the page if there is a release that it does not have and it is time for it. Returns when it will
  /// be time; none where the page has all releases. A page that cannot be written now is a warning.
  Due write_due();
  /// Writes the page; nothing where there was no release. Throws Error.
  void write() const;

 private:
  ReportFile file_;
  std::string title_;
  std::optional<FigureFolder> figures_;
  const RunDescription* run_ = nullptr;
  std::optional<ReportCollector> collected_;
  bool shape_was_chosen_ = false;
  bool is_behind_ = false;   ///< there is a release that the page does not have
  bool has_warned_ = false;  ///< that the page cannot be written
  std::chrono::steady_clock::time_point next_{};
};

/// The report that the flags ask for, if any. Throws InvalidParameter for flags that need one.
[[nodiscard]] std::optional<RunReport> make_report(const ReportFlags& flags,
                                                   const std::vector<std::string>& others);

}  // namespace jme::cli
