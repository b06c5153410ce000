#include "square_rules.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::train {
namespace {

double bound_from(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end || !(value > 0) || !std::isfinite(value))
    throw InvalidParameter("square-clip", text, "a number above 0, or layer=number, separated by commas");
  return value;
}

bool fits(const std::string& layer, const std::string& tensor) {
  return layer.empty() || tensor == layer || tensor.starts_with(layer + ".");
}

std::string names_of(std::span<const Network::NamedTensor> tensors) {
  std::string names;
  for (const Network::NamedTensor& tensor : tensors) names += (names.empty() ? "" : ", ") + tensor.name;
  return names;
}

}  // namespace

std::vector<SquareRule> parse_square_rules(const std::string& text) {
  std::vector<SquareRule> rules;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    const bool is_named = equals != std::string::npos;
    SquareRule rule{.layer = is_named ? item.substr(0, equals) : "",
                    .bound = bound_from(is_named ? item.substr(equals + 1) : item)};
    if (is_named && rule.layer.empty())
      throw InvalidParameter("square-clip", item, "layer=number with the name of a layer");
    for (const SquareRule& other : rules) {
      if (other.layer == rule.layer)
        throw InvalidParameter("square-clip", text, "a list with one bound for each layer");
    }
    rules.push_back(std::move(rule));
    begin = end + 1;
  }
  return rules;
}

std::vector<SquareLayer> square_layers(std::span<const SquareRule> rules,
                                       std::span<const Network::NamedTensor> tensors, double clip) {
  std::vector<SquareLayer> layers;
  if (rules.empty()) return layers;
  for (const SquareRule& rule : rules) {
    if (std::none_of(tensors.begin(), tensors.end(), [&](const auto& t) { return fits(rule.layer, t.name); }))
      throw InvalidParameter("square-clip", rule.layer,
                             fmt::format("a layer of the network: {}", names_of(tensors)));
  }
  for (const Network::NamedTensor& tensor : tensors) {
    const SquareRule* chosen = nullptr;
    for (const SquareRule& rule : rules) {
      if (fits(rule.layer, tensor.name) && (chosen == nullptr || rule.layer.size() > chosen->layer.size()))
        chosen = &rule;
    }
    const std::int64_t count =
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
    layers.push_back(
        {.count = static_cast<std::size_t>(count), .bound = chosen != nullptr ? chosen->bound : clip});
  }
  return layers;
}

}  // namespace jme::train
