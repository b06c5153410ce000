#pragma once

#include <span>
#include <string>
#include <vector>

#include <jme/mechanism/square_layers.hpp>

#include "network.hpp"

namespace jme::train {

/// One item of --square-clip: no coordinate of an example's squares in this layer counts for more than
/// bound^2.
struct SquareRule {
  std::string layer;  ///< a tensor's name or the beginning of some, up to a dot; empty: all tensors
  double bound;
};

/// Reads "0.01", "linear=0.05,blocks.0=0.02" or both, "0.01,linear=0.05". Throws InvalidParameter.
[[nodiscard]] std::vector<SquareRule> parse_square_rules(const std::string& text);

/// The bound of every tensor, by the rule with the longest name that fits; where none does, `clip`, which
/// bounds nothing. Empty for no rules. Throws InvalidParameter for a name that fits no tensor.
[[nodiscard]] std::vector<SquareLayer> square_layers(std::span<const SquareRule> rules,
                                                     std::span<const Network::NamedTensor> tensors,
                                                     double clip);

}  // namespace jme::train
