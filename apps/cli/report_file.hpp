#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jme/report/drawing.hpp>

namespace jme::cli {

/// Where a report will go. A reader of the file finds the whole report or the one before, never a part: it is
/// written beside its place under another name and then renamed.
class ReportFile {
 public:
  /// Throws InvalidParameter("report", ...) for "-" and for a folder, and Error where no file can be made
  /// there: before the first row, because the privacy of a run is spent even if its report is lost.
  explicit ReportFile(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Throws Error; then the place is as it was.
  void write(std::string_view text) const;

 private:
  std::string path_;
  std::string target_;       ///< what the path leads to, through links
  bool is_special_ = false;  ///< a pipe or a device: written to, not replaced
};

/// A folder for the charts of a report as SVG files, numbered in the order of the page; made where it is
/// missing.
class FigureFolder {
 public:
  /// Throws Error where there can be none, before the first row.
  explicit FigureFolder(const std::string& path);
  void write(const std::vector<report::Drawing>& drawings) const;

 private:
  std::string path_;
};

}  // namespace jme::cli
