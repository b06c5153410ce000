#include "safetensors.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>

#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>

namespace jme::train {

static_assert(std::endian::native == std::endian::little, "the file's numbers are little-endian");

std::string safetensors(std::span<const Network::NamedTensor> tensors, std::span<const float> values,
                        const std::map<std::string, std::string>& about) {
  nlohmann::ordered_json header{{"__metadata__", about}};
  std::size_t begin = 0;
  for (const Network::NamedTensor& tensor : tensors) {
    const auto count = static_cast<std::size_t>(
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>()));
    const std::size_t end = begin + count * sizeof(float);
    header[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  if (begin != values.size_bytes()) throw DataError("tensors: must make up all the values");
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // numbers begin at a multiple of 8
  const std::uint64_t length = text.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  file += text;
  file.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return file;
}

}  // namespace jme::train
