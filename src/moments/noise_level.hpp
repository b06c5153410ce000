#pragma once

namespace jme {

/// Public standard deviations of the noise on one release, in data units.
struct NoiseLevel {
  double first, second;
};

}  // namespace jme
