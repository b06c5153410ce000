#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <jme/sensitivity/square_clip.hpp>

namespace jme {

/// The bound c of the squares min(g^2, c^2) of some coordinates that follow each other.
struct SquareLayer {
  std::size_t count;
  double bound;
};

/// The bounds of all coordinates, layer by layer in the order of the parameters. No layers: squares have no
/// bound of their own.
class SquareLayers {
 public:
  SquareLayers() = default;
  /// Throws InvalidParameter("square-clip") unless the layers have `dimension` coordinates together and
  /// bounds from 2^-20 norm bounds (a lattice unit of the squares) to the norm bound (more would bound
  /// nothing).
  SquareLayers(std::span<const SquareLayer> layers, std::size_t dimension, double norm_bound);

  [[nodiscard]] bool empty() const { return stretches_.empty(); }
  /// The largest bound. Not for no layers.
  [[nodiscard]] SquareClip clip() const { return clip_; }

  /// Calls visit(begin, end, ratio) for the parts of [begin, end) whose bounds are the same; ratio is the
  /// bound over the largest one, 1 where there are no layers.
  template <class Visit>
  void for_each_part(std::size_t begin, std::size_t end, const Visit& visit) const {
    if (clip_.is_uniform) return visit(begin, end, 1.0);
    auto part = std::upper_bound(stretches_.begin(), stretches_.end(), begin,
                                 [](std::size_t place, const Stretch& s) { return place < s.end; });
    for (; begin < end; ++part) {
      const std::size_t stop = std::min(end, part->end);
      visit(begin, stop, part->ratio);
      begin = stop;
    }
  }
  [[nodiscard]] bool is_uniform() const { return clip_.is_uniform; }

 private:
  struct Stretch {
    std::size_t end;
    double ratio;
  };
  SquareClip clip_{.bound = 0};
  std::vector<Stretch> stretches_{};
};

}  // namespace jme
