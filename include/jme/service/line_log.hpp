#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace jme {

/// A release as a line of JSON.
struct ReleaseLine {
  std::uint64_t t;
  std::string text;  ///< with its line feed
};

/// The lines of all releases of a stream, each written once however many readers there are. They lie in a
/// file without a name that ends with the process; memory holds their places alone. May be used by several
/// threads.
class LineLog {
 public:
  explicit LineLog(const std::filesystem::path& folder);
  ~LineLog();
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;

  /// Throws Error where the file cannot be written; then none was added.
  void append(const std::vector<ReleaseLine>& lines);
  [[nodiscard]] std::size_t size() const;
  /// Index of the first release after `t`.
  [[nodiscard]] std::size_t index_after(std::uint64_t t) const;
  /// t of the newest release; 0 where there is none.
  [[nodiscard]] std::uint64_t newest() const;
  /// Lines from `begin` on: at least one where there is one, as many as `most_bytes` hold, and no more than
  /// `most_lines`, which is at least 1.
  [[nodiscard]] std::vector<ReleaseLine> read(std::size_t begin, std::size_t most_bytes,
                                              std::size_t most_lines = SIZE_MAX) const;

 private:
  struct Place {
    std::uint64_t t, end;
  };
  mutable std::mutex mutex_;
  std::vector<Place> places_;
  int descriptor_;
};

}  // namespace jme
