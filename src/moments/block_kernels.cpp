// Highway compiles this file once for every SIMD target and chooses at run time. The baseline is kept too, so
// that tests can compare all of them.
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "moments/block_kernels.cpp"
#include "moments/block_kernels.hpp"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;

/// As in noise/rounding_kernels: adding is rounding where the sum has no digits below 1.
HWY_INLINE hn::Vec<Tag> NearestWhole(Tag d, hn::Vec<Tag> x) {
  const auto shift = hn::Set(d, 0x1.8p52);
  return hn::Sub(hn::Add(x, shift), shift);
}

void SnapBlock(double factor, double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(NearestWhole(d, hn::Mul(hn::Set(d, factor), hn::LoadU(d, values + i))), d, values + i);
  }
}

void SnapBlockSquares(double factor, const double* values, double* squares, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, values + i);
    hn::StoreU(NearestWhole(d, hn::Mul(hn::Set(d, factor), hn::Mul(x, x))), d, squares + i);
  }
}

void ScaleBlock(double factor, double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(hn::Mul(hn::Set(d, factor), hn::LoadU(d, values + i)), d, values + i);
  }
}

void SnapBlockByEach(const double* factors, double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto scaled = hn::Mul(hn::LoadU(d, factors + i), hn::LoadU(d, values + i));
    hn::StoreU(NearestWhole(d, scaled), d, values + i);
  }
}

void ScaleBlockByEach(const double* factors, double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(hn::Mul(hn::LoadU(d, factors + i), hn::LoadU(d, values + i)), d, values + i);
  }
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme {

HWY_EXPORT(SnapBlock);
HWY_EXPORT(SnapBlockSquares);
HWY_EXPORT(ScaleBlock);
HWY_EXPORT(SnapBlockByEach);
HWY_EXPORT(ScaleBlockByEach);

void snap_block(double factor, double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(SnapBlock)(factor, values, count);
}
void snap_block_squares(double factor, const double* values, double* squares, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(SnapBlockSquares)(factor, values, squares, count);
}
void scale_block(double factor, double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(ScaleBlock)(factor, values, count);
}
void snap_block(const double* factors, double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(SnapBlockByEach)(factors, values, count);
}
void scale_block(const double* factors, double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(ScaleBlockByEach)(factors, values, count);
}

}  // namespace jme
#endif
