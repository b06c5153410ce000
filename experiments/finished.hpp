#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/effort.hpp"
#include "experiments/figure.hpp"

namespace jme::experiments {

/// A computed item and how it came about.
struct Finished {
  Figure figure;
  double seconds = 0;  ///< of computing it
};

/// Finished items on disk, so that an interrupted run goes on where it stopped. An item is found again only
/// by the same program with the same seed and size: anything else would be another result.
class FinishedItems {
 public:
  FinishedItems(std::filesystem::path folder, const Effort& effort);

  /// Empty where there is none, or where it comes from another program, seed or size, or is damaged.
  [[nodiscard]] std::optional<Finished> find(std::string_view item) const;
  /// Replaces the item's old file in one step.
  void keep(std::string_view item, const Finished& finished) const;

 private:
  [[nodiscard]] std::filesystem::path path(std::string_view item) const;
  [[nodiscard]] std::string digest(std::string_view item) const;
  std::filesystem::path folder_;
  bool quick_;
  std::uint64_t seed_;
  std::string program_;  // digest of the running executable
};

/// All of a file; empty where it cannot be read.
[[nodiscard]] std::optional<std::string> content_of(const std::filesystem::path& path);
/// Writes a file in one step: a reader sees the old content or the new. Throws Error where it cannot.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace jme::experiments
