#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/mechanism/square_layers.hpp>

namespace jme {
namespace {

InvalidParameter wrong_count() {
  return {"square-clip", "its layers must have as many coordinates as the dimension says"};
}

}  // namespace

SquareLayers::SquareLayers(std::span<const SquareLayer> layers, std::size_t dimension, double norm_bound) {
  if (layers.empty()) return;
  std::size_t end = 0;
  for (const SquareLayer& layer : layers) {
    if (!(layer.bound >= 0x1p-20 * norm_bound && layer.bound <= norm_bound)) {
      throw InvalidParameter(
          "square-clip", layer.bound,
          fmt::format("between {:g} and the norm bound, {:g}", 0x1p-20 * norm_bound, norm_bound));
    }
    if (layer.count > dimension - end) throw wrong_count();
    if (layer.count > 0) clip_.bound = std::max(clip_.bound, layer.bound);
    end += layer.count;
  }
  if (end != dimension) throw wrong_count();
  end = 0;
  for (const SquareLayer& layer : layers) {
    end += layer.count;
    if (layer.count == 0) continue;
    if (layer.bound != clip_.bound) clip_.is_uniform = false;
    stretches_.push_back({.end = end, .ratio = layer.bound / clip_.bound});
  }
}

}  // namespace jme
