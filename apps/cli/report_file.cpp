#include "report_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

#include "output.hpp"

namespace jme::cli {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw Error(fmt::format("report {}: {}", path, std::generic_category().message(error)));
}

/// A new file beside `target`, which is removed again unless it was put in place.
class Draft {
 public:
  explicit Draft(const std::string& target) {
    const std::filesystem::path place(target);
    name_ = (place.parent_path() / ("." + place.filename().string() + ".XXXXXX")).string();
    descriptor_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (descriptor_ < 0) fail(target, errno);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!placed_) ::unlink(name_.c_str());
  }

  void write(std::string_view text, const std::string& target) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) fail(target, errno);
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  /// Gives the file the permissions of the one that it replaces, or of any new file, syncs it to disk, and
  /// then renames it.
  void put_in_place(const std::string& target) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    struct stat old {};
    const mode_t mode = ::stat(target.c_str(), &old) == 0 ? old.st_mode & 07777U : 0666U & ~mask;
    if (::fchmod(descriptor_, mode) != 0 || ::fsync(descriptor_) != 0) fail(target, errno);
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(target, errno);
    if (::rename(name_.c_str(), target.c_str()) != 0) fail(target, errno);
    placed_ = true;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
  bool placed_ = false;
};

/// The file that `path` leads to, which may not exist yet.
std::string followed(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, ignored);
  return ignored || real.empty() ? path : real.string();
}

/// "-in-lower-case" for a file's name: no character that means something to a file system or a shell.
std::string slug(std::string_view title) {
  constexpr std::size_t longest = 60;
  std::string result;
  for (const char c : title) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (result.empty() || (!letter && !capital)) {
      if (result.empty() || result.back() != '-') result += '-';
    }
    if (letter) result += c;
    if (capital) result += static_cast<char>(c - 'A' + 'a');
    if (result.size() >= longest) break;
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

}  // namespace

ReportFile::ReportFile(const std::string& path) : path_(path), target_(followed(path)) {
  if (path.empty() || path == "-") {
    throw InvalidParameter("report", path, "the name of a file: standard output has the releases");
  }
  struct stat status {};
  if (::stat(target_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw InvalidParameter("report", path, "a file, not a folder");
    is_special_ = !S_ISREG(status.st_mode);
  }
  if (!is_special_) const Draft probe(target_);
}

void ReportFile::write(std::string_view text) const {
  if (is_special_) {
    Output output(target_);
    output.write(text);
    output.close();
    return;
  }
  Draft draft(target_);
  draft.write(text, path_);
  draft.put_in_place(target_);
}

FigureFolder::FigureFolder(const std::string& path) : path_(path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!std::filesystem::is_directory(path)) {
    throw Error(fmt::format("report-figures {}: {}", path, error ? error.message() : "not a folder"));
  }
  const ReportFile probe(path + "/01.svg");
}

void FigureFolder::write(const std::vector<report::Drawing>& drawings) const {
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    const std::string name = fmt::format("{:02}{}.svg", i + 1, slug(drawings[i].title()));
    ReportFile((std::filesystem::path(path_) / name).string()).write(drawings[i].file());
  }
}

}  // namespace jme::cli
