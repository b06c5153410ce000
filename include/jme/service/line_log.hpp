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

  /// Throws StorageFailed where the file cannot be written; then none was added.
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
  /// Bytes of a line.
  [[nodiscard]] std::size_t length(std::size_t index) const;
  /// Of a line that is there, at most so many bytes from the given one on.
  [[nodiscard]] ReleaseLine part(std::size_t index, std::size_t from, std::size_t most_bytes) const;

 private:
  struct Place {
    std::uint64_t t, end;
  };
  [[nodiscard]] std::uint64_t begin_of(std::size_t index) const;
  [[nodiscard]] std::string bytes(std::uint64_t from, std::uint64_t end) const;
  mutable std::mutex mutex_;
  std::vector<Place> places_;
  int descriptor_;
};

}  // namespace jme
