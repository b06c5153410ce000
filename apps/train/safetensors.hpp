#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "network.hpp"

namespace jme::train {

/// `values` as a safetensors file, which most tools for networks read: the length of a header, the header
/// (JSON: type, shape and place of every tensor), the numbers as they are in memory, little-endian. `about`:
/// free text by name.
[[nodiscard]] std::string safetensors(std::span<const Network::NamedTensor> tensors,
                                      std::span<const float> values,
                                      const std::map<std::string, std::string>& about);

}  // namespace jme::train
