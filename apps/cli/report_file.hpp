#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jme/report/drawing.hpp>

namespace jme::cli {

/// Where a report will go. A reader of the file finds the whole new report or the old one, never a part: it
/// is written beside its place under another name and then renamed.
class ReportFile {
 public:
  /// Throws InvalidParameter("report", ...) for "-" and for a folder, and Error where no file can be made
  /// there: this is checked before the first row, because a run spends its privacy budget even if its report
  /// is lost.
  explicit ReportFile(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// A pipe or a device, which would get one page after another.
  [[nodiscard]] bool is_special() const { return is_special_; }
  /// On failure throws Error and leaves the old file as it was.
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
  /// Throws Error, before the first row, where the folder cannot be made.
  explicit FigureFolder(const std::string& path);
  void write(const std::vector<report::Drawing>& drawings) const;

 private:
  std::string path_;
};

}  // namespace jme::cli
