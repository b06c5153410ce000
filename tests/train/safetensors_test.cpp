#include "safetensors.hpp"

#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>

namespace jme::train {
namespace {

// The format's own words: https://github.com/huggingface/safetensors, "Format".
TEST(Safetensors, HasEveryTensorAtItsPlace) {
  const std::vector<Network::NamedTensor> tensors{{"a", {2, 3}}, {"b.c", {1}}};
  const std::vector<float> values{1, 2, 3, 4, 5, 6, -7.5F};
  const std::string file = safetensors(tensors, values, {{"by", "jme"}});
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  const auto header = nlohmann::json::parse(file.substr(8, length));
  EXPECT_EQ(header.size(), 3U);
  EXPECT_EQ(header.at("__metadata__").at("by"), "jme");
  EXPECT_EQ(header.at("a").at("dtype"), "F32");
  EXPECT_EQ(header.at("a").at("shape"), (std::vector{2, 3}));
  EXPECT_EQ(header.at("a").at("data_offsets"), (std::vector{0, 24}));
  EXPECT_EQ(header.at("b.c").at("data_offsets"), (std::vector{24, 28}));
  ASSERT_EQ(file.size(), 8 + length + 28);
  std::vector<float> read(7);
  std::memcpy(read.data(), file.data() + 8 + length, 28);
  EXPECT_EQ(read, values);
  EXPECT_THROW(static_cast<void>(safetensors(tensors, std::vector<float>(6), {})), DataError);
}

TEST(Safetensors, NamesMakeUpTheWholeNetwork) {
  const Network network({.channels = 1, .height = 28, .width = 28}, 10, 1);
  const std::string file = safetensors(network.tensors(), network.parameters(), {});
  EXPECT_GT(file.size(), 4 * network.parameter_count());
  EXPECT_EQ(network.tensors().size(), 17U);
  EXPECT_EQ(network.tensors()[0].shape, (std::vector<std::int64_t>{32, 1, 3, 3}));
}

}  // namespace
}  // namespace jme::train
