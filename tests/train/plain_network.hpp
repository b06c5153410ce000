#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace jme::train {

/// The same network in double, one example, plain loops, forward only: the oracle of the layers. Its
/// derivative is taken by differences.
class PlainNetwork {
 public:
  struct Stage {
    std::size_t channels;
    bool halves;
  };
  std::vector<Stage> stages;
  std::size_t groups, classes;

  struct Picture {
    std::size_t channels, height, width;
    std::vector<double> values;
  };

  [[nodiscard]] std::vector<double> logits(std::span<const double> parameters, Picture picture) const {
    for (const Stage& stage : stages) {
      const std::size_t weights = 9 * picture.channels * stage.channels;
      Picture next = convolved(parameters.first(weights), picture, stage.channels);
      normed(parameters.subspan(weights, stage.channels),
             parameters.subspan(weights + stage.channels, stage.channels), next);
      for (double& value : next.values) value = std::max(value, 0.0);
      picture = stage.halves ? halved(next) : next;
      parameters = parameters.subspan(weights + 2 * stage.channels);
    }
    const std::size_t inputs = picture.values.size();
    std::vector<double> result(classes);
    for (std::size_t k = 0; k < classes; ++k) {
      result[k] = parameters[inputs * classes + k];
      for (std::size_t i = 0; i < inputs; ++i) result[k] += parameters[k * inputs + i] * picture.values[i];
    }
    return result;
  }

  [[nodiscard]] double loss(std::span<const double> parameters, const Picture& picture,
                            std::size_t label) const {
    const std::vector<double> all = logits(parameters, picture);
    double total = 0;
    for (const double value : all) total += std::exp(value - all[label]);
    return std::log(total);
  }

 private:
  [[nodiscard]] static Picture convolved(std::span<const double> weights, const Picture& in,
                                         std::size_t channels) {
    Picture out{channels, in.height, in.width, std::vector<double>(channels * in.height * in.width, 0.0)};
    for (std::size_t o = 0; o < channels; ++o) {
      for (std::size_t c = 0; c < in.channels; ++c) {
        for (std::size_t ky = 0; ky < 3; ++ky) {
          for (std::size_t kx = 0; kx < 3; ++kx) {
            const double weight = weights[((o * in.channels + c) * 3 + ky) * 3 + kx];
            for (std::size_t y = 0; y < in.height; ++y) {
              for (std::size_t x = 0; x < in.width; ++x) {
                const std::size_t from_y = y + ky - 1, from_x = x + kx - 1;  // -1 wraps to a large number
                if (from_y >= in.height || from_x >= in.width) continue;
                out.values[(o * in.height + y) * in.width + x] +=
                    weight * in.values[(c * in.height + from_y) * in.width + from_x];
              }
            }
          }
        }
      }
    }
    return out;
  }

  void normed(std::span<const double> scale, std::span<const double> shift, Picture& picture) const {
    const std::size_t size = picture.values.size() / groups, positions = picture.height * picture.width;
    for (std::size_t g = 0; g < groups; ++g) {
      const std::span<double> group(picture.values.data() + g * size, size);
      double mean = 0, variance = 0;
      for (const double value : group) mean += value / static_cast<double>(size);
      for (const double value : group)
        variance += (value - mean) * (value - mean) / static_cast<double>(size);
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t channel = (g * size + i) / positions;
        group[i] = (group[i] - mean) / std::sqrt(variance + 1e-5) * scale[channel] + shift[channel];
      }
    }
  }

  [[nodiscard]] static Picture halved(const Picture& in) {
    Picture out{in.channels, in.height / 2, in.width / 2, {}};
    for (std::size_t c = 0; c < out.channels; ++c) {
      for (std::size_t y = 0; y < out.height; ++y) {
        for (std::size_t x = 0; x < out.width; ++x) {
          const double* at = in.values.data() + (c * in.height + 2 * y) * in.width + 2 * x;
          out.values.push_back(std::max({at[0], at[1], at[in.width], at[in.width + 1]}));
        }
      }
    }
    return out;
  }
};

}  // namespace jme::train
