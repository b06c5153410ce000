// Highway compiles this file once for every SIMD target and chooses at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "training/clip_kernels.cpp"
#include "training/clip_kernels.hpp"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, Wide>;  // as many floats as a vector holds doubles

PowerSums AddPowers(const float* values, std::size_t count) {
  const Wide wide;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(d);
  auto second_a = hn::Zero(wide), second_b = second_a, fourth_a = second_a, fourth_b = second_a;
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto a = hn::PromoteTo(wide, hn::LoadU(d, values + i));
    const auto b = hn::PromoteTo(wide, hn::LoadU(d, values + i + lanes));
    const auto a2 = hn::Mul(a, a), b2 = hn::Mul(b, b);
    second_a = hn::Add(second_a, a2);
    second_b = hn::Add(second_b, b2);
    fourth_a = hn::MulAdd(a2, a2, fourth_a);
    fourth_b = hn::MulAdd(b2, b2, fourth_b);
  }
  PowerSums sums{.second = hn::GetLane(hn::SumOfLanes(wide, hn::Add(second_a, second_b))),
                 .fourth = hn::GetLane(hn::SumOfLanes(wide, hn::Add(fourth_a, fourth_b)))};
  for (; i < count; ++i) {
    const double square = static_cast<double>(values[i]) * static_cast<double>(values[i]);
    sums.second += square;
    sums.fourth += square * square;
  }
  return sums;
}

template <bool with_squares, bool joint>
HWY_INLINE void AddRow(float factor, double most_square, const float* values, double* sums, double* squares,
                       std::size_t count) {
  const Wide wide;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(d);
  const auto scale = hn::Set(d, factor);
  const auto wide_scale = hn::Set(wide, static_cast<double>(factor));
  const auto most = hn::Set(wide, most_square);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, values + i);
    const auto clipped = hn::PromoteTo(wide, hn::Mul(scale, value));
    hn::StoreU(hn::Add(hn::LoadU(wide, sums + i), clipped), wide, sums + i);
    if constexpr (with_squares) {
      const auto whole = joint ? hn::PromoteTo(wide, value) : clipped;
      auto square = hn::Mul(whole, whole);
      square = joint ? hn::Mul(wide_scale, square) : hn::Min(square, most);
      hn::StoreU(hn::Add(hn::LoadU(wide, squares + i), square), wide, squares + i);
    }
  }
  for (; i < count; ++i) {
    const float clipped = factor * values[i];
    sums[i] += static_cast<double>(clipped);
    if constexpr (with_squares) {
      const double whole = static_cast<double>(joint ? values[i] : clipped);
      const double square = whole * whole;
      squares[i] +=
          joint ? static_cast<double>(factor) * square : (square < most_square ? square : most_square);
    }
  }
}

void AddClippedRow(float factor, bool joint, double most_square, const float* values, double* sums,
                   double* squares, std::size_t count) {
  if (squares == nullptr) return AddRow<false, false>(factor, most_square, values, sums, squares, count);
  if (joint) return AddRow<true, true>(factor, most_square, values, sums, squares, count);
  AddRow<true, false>(factor, most_square, values, sums, squares, count);
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme {

HWY_EXPORT(AddPowers);
HWY_EXPORT(AddClippedRow);

PowerSums power_sums(const float* values, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(AddPowers)(values, count);
}
void add_clipped_row(float factor, bool joint, double most_square, const float* values, double* sums,
                     double* squares, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AddClippedRow)(factor, joint, most_square, values, sums, squares, count);
}

}  // namespace jme
#endif
