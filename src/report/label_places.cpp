#include "report/label_places.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace jme::report {

namespace {

/// Neighbours that touch and therefore move together. Positions are taken without the spacing, so that equal
/// means touching.
struct Cluster {
  double sum;
  std::size_t count;
  [[nodiscard]] double place() const { return sum / static_cast<double>(count); }
};

}  // namespace

// Without the spacing, the best places are the isotonic regression of the wishes: pool adjacent violators.
std::vector<double> label_places(const std::vector<double>& wanted, double spacing, Range room) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<Cluster> clusters;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Cluster next{.sum = wanted[order[i]] - static_cast<double>(i) * spacing, .count = 1};
    while (!clusters.empty() && clusters.back().place() >= next.place()) {
      next.sum += clusters.back().sum;
      next.count += clusters.back().count;
      clusters.pop_back();
    }
    clusters.push_back(next);
  }
  const double most = room.high - static_cast<double>(std::max<std::size_t>(wanted.size(), 1) - 1) * spacing;
  std::vector<double> places(wanted.size());
  std::size_t i = 0;
  for (const Cluster& cluster : clusters) {
    const double base = std::max(room.low, std::min(cluster.place(), most));
    for (std::size_t k = 0; k < cluster.count; ++k, ++i) {
      places[order[i]] = base + static_cast<double>(i) * spacing;
    }
  }
  return places;
}

}  // namespace jme::report
