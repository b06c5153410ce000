#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jme::train {

/// Labelled pictures as bytes, picture by picture, channel by channel, row by row.
struct Pictures {
  std::int64_t channels = 0, height = 0, width = 0;
  std::vector<std::uint8_t> pixels{}, labels{};

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  [[nodiscard]] std::int64_t picture_size() const { return channels * height * width; }
  /// The first `count` of them.
  [[nodiscard]] Pictures first(std::int64_t count) const;
};

struct Dataset {
  std::string name;
  std::int64_t classes = 10;
  Pictures training{}, test{};
};

/// Where Debian's package dataset-fashion-mnist puts its files.
inline constexpr const char* fashion_mnist_directory = "/usr/share/datasets/fashion-mnist";

/// Four idx files, compressed with gzip or not. Throws DataError, naming the file.
[[nodiscard]] Dataset read_fashion_mnist(const std::string& directory = fashion_mnist_directory);
/// The six files of the official binary version (scripts/get-cifar10). Throws DataError, naming the file.
[[nodiscard]] Dataset read_cifar10(const std::string& directory);

}  // namespace jme::train
