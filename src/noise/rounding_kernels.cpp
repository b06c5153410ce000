// Highway compiles this file once for every SIMD target and chooses at run time. The baseline is kept too, so
// that tests can compare all of them.
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "noise/rounding_kernels.cpp"
#include "noise/rounding_kernels.hpp"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;

/// Nearest whole number for |x| < 2^51, without a call or a branch: the sum has no digits below 1, so that
/// adding is rounding. One rounding, where floor(x + 1/2) would make two.
HWY_INLINE hn::Vec<Tag> NearestWhole(Tag d, hn::Vec<Tag> x) {
  const auto shift = hn::Set(d, 0x1.8p52);
  return hn::Sub(hn::Add(x, shift), shift);
}

void AddRoundedEach(const double* scale, const double* noise, double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto x = hn::Mul(hn::LoadU(d, scale + i), hn::LoadU(d, noise + i));
    hn::StoreU(hn::Add(hn::LoadU(d, values + i), NearestWhole(d, x)), d, values + i);
  }
}

void AddRoundedAll(double scale, const double* noise, double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto x = hn::Mul(hn::Set(d, scale), hn::LoadU(d, noise + i));
    hn::StoreU(hn::Add(hn::LoadU(d, values + i), NearestWhole(d, x)), d, values + i);
  }
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme {

HWY_EXPORT(AddRoundedEach);
HWY_EXPORT(AddRoundedAll);

void add_rounded(const double* scale, const double* noise, double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AddRoundedEach)(scale, noise, values, count);
}
void add_rounded(double scale, const double* noise, double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AddRoundedAll)(scale, noise, values, count);
}

}  // namespace jme
#endif
