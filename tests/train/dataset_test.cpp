#include "dataset.hpp"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <zlib.h>

#include <jme/base/errors.hpp>

#include "small_pictures.hpp"
#include "temporary_folder.hpp"

namespace jme::train {
namespace {

using ::testing::HasSubstr;

void write(const std::string& path, const std::string& bytes, bool compressed) {
  if (!compressed) {
    std::ofstream(path, std::ios::binary) << bytes;
    return;
  }
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

std::string idx(std::initializer_list<std::uint32_t> sizes, const std::string& bytes) {
  std::string out{'\0', '\0', '\x08', static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes)
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(size >> shift & 0xff);
  return out + bytes;
}

/// Two training pictures of 2 x 3 and one test picture.
struct IdxFolder {
  TemporaryFolder folder;
  explicit IdxFolder(bool compressed = true) {
    write(training(), idx({2, 2, 3}, "abcdefghijkl"), compressed);
    write(folder / "train-labels-idx1-ubyte.gz", idx({2}, "\x03\x09"), compressed);
    write(folder / "t10k-images-idx3-ubyte.gz", idx({1, 2, 3}, "mnopqr"), compressed);
    write(folder / "t10k-labels-idx1-ubyte.gz", idx({1}, std::string(1, '\0')), compressed);
  }
  [[nodiscard]] std::string training() const { return folder / "train-images-idx3-ubyte.gz"; }
};

TEST(FashionMnist, IsReadFromIdxFilesCompressedOrNot) {
  for (const bool compressed : {true, false}) {
    const IdxFolder files(compressed);
    const Dataset read = read_fashion_mnist(files.folder.path());
    EXPECT_EQ(read.training.size(), 2);
    EXPECT_EQ(read.training.height, 2);
    EXPECT_EQ(read.training.width, 3);
    EXPECT_EQ(read.training.channels, 1);
    EXPECT_EQ(read.training.pixels[6], 'g');
    EXPECT_EQ(read.training.labels[1], 9);
    EXPECT_EQ(read.test.size(), 1);
    EXPECT_EQ(read.test.labels[0], 0);
  }
}

TEST(FashionMnist, DamagedFilesAreRefusedByName) {
  const auto refused = [](const std::string& name, const std::string& bytes) {
    const IdxFolder files;
    write(files.folder / name, bytes, false);
    try {
      static_cast<void>(read_fashion_mnist(files.folder.path()));
      return std::string("was read");
    } catch (const DataError& error) {
      return std::string(error.what());
    }
  };
  const std::string pictures = "train-images-idx3-ubyte.gz", labels = "train-labels-idx1-ubyte.gz";
  const std::string whole = idx({2, 2, 3}, "abcdefghijkl");
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THAT(refused(pictures, whole.substr(0, length)), HasSubstr(pictures)) << length;
  EXPECT_THAT(refused(pictures, whole + "m"), HasSubstr("longer"));
  EXPECT_THAT(refused(pictures, idx({2, 6}, "abcdefghijkl")), HasSubstr("idx"));
  EXPECT_THAT(refused(pictures, idx({0xffffffff, 0xffffffff, 0xffffffff}, "")), HasSubstr("sizes"));
  EXPECT_THAT(refused(pictures, idx({0, 2, 3}, "")), HasSubstr("sizes"));
  EXPECT_THAT(refused(labels, idx({3}, "\x01\x02\x03")), HasSubstr("another number"));
  EXPECT_THAT(refused(labels, idx({2}, "\x01\x0a")), HasSubstr("picture 2"));
}

TEST(FashionMnist, ACompressedFileWithAFlippedBitIsRefused) {
  const IdxFolder files;
  std::ifstream file(files.training(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);  // in the sum at its end
  write(files.training(), bytes, false);
  EXPECT_THROW(static_cast<void>(read_fashion_mnist(files.folder.path())), DataError);
}

TEST(FashionMnist, OfDebianHasItsSixtyAndTenThousandPictures) {
  const Dataset read = read_fashion_mnist();
  EXPECT_EQ(read.training.size(), 60'000);
  EXPECT_EQ(read.test.size(), 10'000);
  EXPECT_EQ(read.training.picture_size(), 28 * 28);
  for (const Pictures* part : {&read.training, &read.test}) {
    for (int label = 0; label < 10; ++label)
      EXPECT_EQ(std::count(part->labels.begin(), part->labels.end(), label), part->size() / 10);
  }
}

TEST(Cifar10, RecordsAreALabelAndThreePlanes) {
  const TemporaryFolder folder;
  std::string batch;
  for (int i = 0; i < 10'000; ++i) {
    batch += static_cast<char>(i % 10);
    batch += std::string(1024, static_cast<char>(i)) + std::string(1024, 'g') + std::string(1024, 'b');
  }
  for (const char* name :
       {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"})
    write(folder / (std::string(name) + ".bin"), batch, false);
  const Dataset read = read_cifar10(folder.path());
  EXPECT_EQ(read.training.size(), 50'000);
  EXPECT_EQ(read.test.size(), 10'000);
  EXPECT_EQ(read.training.picture_size(), 3072);
  const std::size_t picture = 30'007;
  EXPECT_EQ(read.training.labels[picture], 7);
  EXPECT_EQ(read.training.pixels[picture * 3072], 7);
  EXPECT_EQ(read.training.pixels[picture * 3072 + 1024], 'g');
  EXPECT_EQ(read.training.pixels[picture * 3072 + 3071], 'b');

  write(folder / "data_batch_3.bin", batch + "x", false);
  EXPECT_THROW(static_cast<void>(read_cifar10(folder.path())), DataError);
  batch[3073 * 5] = 10;
  write(folder / "data_batch_3.bin", batch, false);
  EXPECT_THROW(static_cast<void>(read_cifar10(folder.path())), DataError);
  std::filesystem::remove(folder / "data_batch_3.bin");
  EXPECT_THROW(static_cast<void>(read_cifar10(folder.path())), DataError);
}

TEST(Pictures, FirstKeepsTheFirst) {
  const Pictures all = halves(10, 1), some = all.first(3);
  EXPECT_EQ(some.size(), 3);
  EXPECT_EQ(some.pixels.size(), 3U * 64);
  EXPECT_TRUE(std::equal(some.pixels.begin(), some.pixels.end(), all.pixels.begin()));
  EXPECT_THROW(static_cast<void>(all.first(0)), InvalidParameter);
  EXPECT_THROW(static_cast<void>(all.first(11)), InvalidParameter);
}

}  // namespace
}  // namespace jme::train
