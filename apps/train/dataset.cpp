#include "dataset.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <zlib.h>

#include <jme/base/errors.hpp>

namespace jme::train {
namespace {

// Far more than either data set has: a limit on what a damaged header may ask for.
constexpr std::uint64_t largest_file = std::uint64_t{1} << 32;

/// A file that may be compressed.
class GzipFile {
 public:
  explicit GzipFile(std::string path) : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb")) {
    if (!file_) throw DataError(fmt::format("{}: cannot be opened", path_));
  }
  void read(std::span<std::uint8_t> out) {
    while (!out.empty()) {
      const auto part = static_cast<unsigned>(std::min<std::size_t>(out.size(), 1U << 30));
      const int got = gzread(file_.get(), out.data(), part);
      if (got <= 0) throw DataError(fmt::format("{}: ends too early or is damaged", path_));
      out = out.subspan(static_cast<std::size_t>(got));
    }
  }
  /// Also checks the sum at the end of a compressed file.
  void expect_end() {
    std::uint8_t more = 0;
    if (gzread(file_.get(), &more, 1) != 0)
      throw DataError(fmt::format("{}: is longer than it says or damaged", path_));
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

struct IdxArray {
  std::vector<std::int64_t> sizes;
  std::vector<std::uint8_t> bytes;
};

/// idx: two zero bytes, 8 for unsigned bytes, the number of sizes, the sizes (32 bits, high byte first),
/// bytes.
IdxArray read_idx(const std::string& path, std::size_t dimensions) {
  GzipFile file(path);
  std::array<std::uint8_t, 4> magic{};
  file.read(magic);
  if (magic[0] != 0 || magic[1] != 0 || magic[2] != 8 || magic[3] != dimensions)
    throw DataError(fmt::format("{}: is not an idx file of bytes with {} sizes", path, dimensions));
  IdxArray array;
  std::uint64_t total = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::array<std::uint8_t, 4> word{};
    file.read(word);
    const std::uint64_t size = std::uint64_t{word[0]} << 24 | std::uint64_t{word[1]} << 16 |
                               std::uint64_t{word[2]} << 8 | std::uint64_t{word[3]};
    if (size == 0 || size > largest_file / total)
      throw DataError(fmt::format("{}: has sizes that no data set has", path));
    total *= size;
    array.sizes.push_back(static_cast<std::int64_t>(size));
  }
  array.bytes.resize(total);
  file.read(array.bytes);
  file.expect_end();
  return array;
}

void check_labels(const Pictures& pictures, std::int64_t classes, const std::string& path) {
  const auto bad = std::find_if(pictures.labels.begin(), pictures.labels.end(),
                                [&](std::uint8_t label) { return label >= classes; });
  if (bad != pictures.labels.end()) {
    throw DataError(fmt::format("{}: picture {}: its label is not one of {} classes", path,
                                bad - pictures.labels.begin() + 1, classes));
  }
}

Pictures read_idx_pair(const std::string& pictures_path, const std::string& labels_path,
                       std::int64_t classes) {
  IdxArray pixels = read_idx(pictures_path, 3);
  IdxArray labels = read_idx(labels_path, 1);
  if (pixels.sizes[0] != labels.sizes[0])
    throw DataError(fmt::format("{}: has another number of labels than there are pictures", labels_path));
  Pictures pictures{.channels = 1,
                    .height = pixels.sizes[1],
                    .width = pixels.sizes[2],
                    .pixels = std::move(pixels.bytes),
                    .labels = std::move(labels.bytes)};
  check_labels(pictures, classes, labels_path);
  return pictures;
}

/// CIFAR-10's records: a label, then 32 x 32 bytes of red, green and blue.
void append_cifar_batch(const std::string& path, std::int64_t classes, Pictures& pictures) {
  constexpr std::size_t picture = std::size_t{3} * 32 * 32, records = 10'000;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(fmt::format("{}: cannot be opened (scripts/get-cifar10 makes it)", path));
  std::vector<char> bytes(records * (picture + 1));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file || file.peek() != std::ifstream::traits_type::eof()) {
    throw DataError(
        fmt::format("{}: does not have the {} bytes of a CIFAR-10 batch", path, records * (picture + 1)));
  }
  for (std::size_t i = 0; i < records; ++i) {
    const char* record = bytes.data() + i * (picture + 1);
    pictures.labels.push_back(static_cast<std::uint8_t>(*record));
    pictures.pixels.insert(pictures.pixels.end(), record + 1, record + 1 + picture);
  }
  check_labels(pictures, classes, path);
}

}  // namespace

Pictures Pictures::first(std::int64_t count) const {
  if (count < 1 || count > size())
    throw InvalidParameter("count", static_cast<double>(count), "between 1 and the number of pictures");
  return {.channels = channels,
          .height = height,
          .width = width,
          .pixels = {pixels.begin(), pixels.begin() + count * picture_size()},
          .labels = {labels.begin(), labels.begin() + count}};
}

Dataset read_fashion_mnist(const std::string& directory) {
  Dataset dataset{.name = "fashion-mnist"};
  const auto pair = [&](const std::string& part) {
    return read_idx_pair(directory + "/" + part + "-images-idx3-ubyte.gz",
                         directory + "/" + part + "-labels-idx1-ubyte.gz", dataset.classes);
  };
  dataset.training = pair("train");
  dataset.test = pair("t10k");
  if (dataset.test.height != dataset.training.height || dataset.test.width != dataset.training.width)
    throw DataError(fmt::format("{}: training and test pictures differ in size", directory));
  return dataset;
}

Dataset read_cifar10(const std::string& directory) {
  const Pictures empty{.channels = 3, .height = 32, .width = 32};
  Dataset dataset{.name = "cifar10", .training = empty, .test = empty};
  for (int batch = 1; batch <= 5; ++batch)
    append_cifar_batch(fmt::format("{}/data_batch_{}.bin", directory, batch), dataset.classes,
                       dataset.training);
  append_cifar_batch(directory + "/test_batch.bin", dataset.classes, dataset.test);
  return dataset;
}

}  // namespace jme::train
