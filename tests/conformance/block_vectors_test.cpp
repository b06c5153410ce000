#include "conformance/block_vectors.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace jme::conformance {
namespace {

const std::string vectors_file = JME_SOURCE_DIR "/tests/conformance/block_vectors.txt";

std::string stored() {
  std::ifstream file(vectors_file, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(BlockVectors, AreWhatTheLibraryMakes) {
  const std::string made = block_vectors();
  if (std::getenv("JME_WRITE_VECTORS") != nullptr) std::ofstream(vectors_file, std::ios::binary) << made;
  std::istringstream now(made), before(stored());
  for (std::string a, b; std::getline(now, a);) {
    std::getline(before, b);
    ASSERT_EQ(a, b) << "a change of the format needs a new version, and JME_WRITE_VECTORS=1";
  }
  EXPECT_EQ(made, stored());
}

TEST(BlockVectors, HaveEveryVerdictAndTheValuesThatThePageWorksOut) {
  const std::string text = stored();
  for (const char* part :
       {"\ntaken\n", "\nrefused version\n", "\nrefused map\n", "\nrefused length\n", "\nrefused checksum\n",
        "\nrefused impossible\n",
        // Half a lattice unit is rounded up, towards plus infinity, on both sides of zero.
        "\nrow 0x1p-21 -> 1\n", "\nrow -0x1p-21 -> 0\n", "\nrow 0x1.8p-20 -> 2\n", "\nrow -0x1.8p-20 -> -1\n",
        // A cell beyond its bounds, and one that is not there.
        "\nrow -0x1.9p+6 0x1.7e43c8800759cp+996 -> -1048576 1048576\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace jme::conformance
