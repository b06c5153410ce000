#pragma once

#include <cstdint>
#include <vector>

#include <hwy/targets.h>

namespace jme {

/// Every SIMD target that this build contains and this processor runs, including the scalar one.
inline std::vector<std::int64_t> simd_targets() {
  std::vector<std::int64_t> targets;
  for (const std::int64_t target :
       {HWY_AVX3_DL, HWY_AVX3, HWY_AVX2, HWY_SSE4, HWY_SSSE3, HWY_NEON, HWY_SCALAR}) {
    if ((hwy::SupportedTargets() & target) != 0) targets.push_back(target);
  }
  return targets;
}

/// As long as it exists, dispatch uses this target alone.
class OnlyTarget {
 public:
  explicit OnlyTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~OnlyTarget() { hwy::SetSupportedTargetsForTest(0); }
  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;
};

}  // namespace jme
