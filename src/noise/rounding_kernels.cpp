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
using Vec = hn::Vec<Tag>;

HWY_INLINE Vec MulThenAdd(Vec a, Vec b, Vec c) {
  return hn::Add(hn::Mul(a, b), c);
}

/// The few lanes that are not certain, one by one.
HWY_NOINLINE Vec DecideEach(const RoundedStep& step, std::size_t begin, Vec own, Vec past, Vec rounded,
                            Vec is_certain) {
  const Tag d;
  HWY_ALIGN double owns[hn::MaxLanes(d)], pasts[hn::MaxLanes(d)], result[hn::MaxLanes(d)],
      certain[hn::MaxLanes(d)];
  hn::Store(own, d, owns);
  hn::Store(past, d, pasts);
  hn::Store(rounded, d, result);
  hn::Store(is_certain, d, certain);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    if (certain[i] == 0)
      result[i] = step.decision.decide(step.decision.context, begin + i, owns[i], pasts[i]);
  }
  return hn::Load(d, result);
}

/// The nearest whole number of own + past.
HWY_INLINE Vec Rounded(const RoundedStep& step, std::size_t i, Vec limit, Vec own, Vec past) {
  const Tag d;
  const Vec shift = hn::Set(d, 0x1.8p52);
  const Vec v = hn::Add(own, past);
  const Vec y = hn::Sub(hn::Add(v, shift), shift);
  const Vec off = hn::Add(hn::Abs(hn::Sub(v, y)), hn::Mul(hn::Abs(v), hn::Set(d, 0x1p-52)));
  const auto is_certain = hn::Le(off, limit);
  if (HWY_LIKELY(hn::AllTrue(d, is_certain))) return y;
  return DecideEach(step, i, own, past, y, hn::IfThenElseZero(is_certain, hn::Set(d, 1.0)));
}

template <bool has_past>
HWY_INLINE void Step(const RoundedStep& step, const double* HWY_RESTRICT draws, const double* sums,
                     double* HWY_RESTRICT values, double* taken, std::size_t count) {
  const Tag d;
  const Vec fresh = hn::Set(d, step.fresh), weight = hn::Set(d, step.past), column = hn::Set(d, step.column),
            limit = hn::Set(d, step.limit);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vec own = hn::Mul(hn::LoadU(d, draws + i), fresh);
    Vec past = hn::Zero(d);
    if constexpr (has_past) past = hn::Mul(hn::LoadU(d, sums + i), weight);
    const Vec y = Rounded(step, i, limit, own, past);
    hn::StoreU(hn::Add(hn::LoadU(d, values + i), y), d, values + i);
    if (taken != nullptr) hn::StoreU(hn::Mul(y, column), d, taken + i);
  }
}

void StepWithSums(const RoundedStep& step, const double* draws, const double* sums, double* values,
                  double* taken, std::size_t count) {
  if (sums == nullptr) {
    Step<false>(step, draws, sums, values, taken, count);
  } else {
    Step<true>(step, draws, sums, values, taken, count);
  }
}

#if HWY_HAVE_SCALABLE
constexpr std::size_t kUnrolledModes = 0;  // such vectors cannot be elements of arrays
#else
constexpr std::size_t kUnrolledModes = 6;

/// `M` modes with all numbers in registers: every running sum is loaded and stored once.
template <std::size_t M>
HWY_INLINE void StepModes(const RoundedStep& step, const double* HWY_RESTRICT draws, const RunningSums& sums,
                          double* HWY_RESTRICT values, std::size_t count) {
  const Tag d;
  const Vec fresh = hn::Set(d, step.fresh), factor = hn::Set(d, step.past), column = hn::Set(d, step.column),
            limit = hn::Set(d, step.limit);
  Vec weight[M], pole[M], state[M];
  double* states[M];
  for (std::size_t m = 0; m < M; ++m) {
    weight[m] = hn::Set(d, sums.modes[m].weight);
    pole[m] = hn::Set(d, sums.modes[m].pole);
    states[m] = sums.states + m * sums.stride;
  }
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vec own = hn::Mul(hn::LoadU(d, draws + i), fresh);
#pragma GCC unroll 6
    for (std::size_t m = 0; m < M; ++m) state[m] = hn::LoadU(d, states[m] + i);
    Vec past = hn::Mul(weight[0], state[0]);
#pragma GCC unroll 6
    for (std::size_t m = 1; m < M; ++m) past = MulThenAdd(weight[m], state[m], past);
    const Vec y = Rounded(step, i, limit, own, hn::Mul(past, factor));
    hn::StoreU(hn::Add(hn::LoadU(d, values + i), y), d, values + i);
    const Vec x = hn::Mul(y, column);
#pragma GCC unroll 6
    for (std::size_t m = 0; m < M; ++m) hn::StoreU(MulThenAdd(pole[m], state[m], x), d, states[m] + i);
  }
}
#endif

/// Any number of modes, with a loop inside the loop.
HWY_INLINE void StepManyModes(const RoundedStep& step, const double* draws, const RunningSums& sums,
                              double* values, std::size_t count) {
  const Tag d;
  const auto state = [&](std::size_t m, std::size_t i) { return sums.states + m * sums.stride + i; };
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vec own = hn::Mul(hn::LoadU(d, draws + i), hn::Set(d, step.fresh));
    Vec past = hn::Mul(hn::Set(d, sums.modes[0].weight), hn::LoadU(d, state(0, i)));
    for (std::size_t m = 1; m < sums.modes.size(); ++m) {
      past = MulThenAdd(hn::Set(d, sums.modes[m].weight), hn::LoadU(d, state(m, i)), past);
    }
    const Vec y = Rounded(step, i, hn::Set(d, step.limit), own, hn::Mul(past, hn::Set(d, step.past)));
    hn::StoreU(hn::Add(hn::LoadU(d, values + i), y), d, values + i);
    const Vec x = hn::Mul(y, hn::Set(d, step.column));
    for (std::size_t m = 0; m < sums.modes.size(); ++m) {
      hn::StoreU(MulThenAdd(hn::Set(d, sums.modes[m].pole), hn::LoadU(d, state(m, i)), x), d, state(m, i));
    }
  }
}

void StepWithModes(const RoundedStep& step, const double* draws, const RunningSums& sums, double* values,
                   std::size_t count) {
  if (sums.modes.size() > kUnrolledModes) return StepManyModes(step, draws, sums, values, count);
#if !HWY_HAVE_SCALABLE
  switch (sums.modes.size()) {
    case 1:
      return StepModes<1>(step, draws, sums, values, count);
    case 2:
      return StepModes<2>(step, draws, sums, values, count);
    case 3:
      return StepModes<3>(step, draws, sums, values, count);
    case 4:
      return StepModes<4>(step, draws, sums, values, count);
    case 5:
      return StepModes<5>(step, draws, sums, values, count);
    default:
      return StepModes<6>(step, draws, sums, values, count);
  }
#endif
}

/// a b - product, exactly, for product = a b rounded; by Dekker's halves where there is no fused operation.
HWY_INLINE Vec ProductError(Vec a, Vec b, Vec product) {
#if HWY_NATIVE_FMA
  return hn::MulSub(a, b, product);
#else
  const Vec splitter = hn::Set(Tag(), 0x1p27 + 1);
  const Vec a_large = hn::Mul(splitter, a), b_large = hn::Mul(splitter, b);
  const Vec a_high = hn::Sub(a_large, hn::Sub(a_large, a)), a_low = hn::Sub(a, a_high);
  const Vec b_high = hn::Sub(b_large, hn::Sub(b_large, b)), b_low = hn::Sub(b, b_high);
  const Vec error = hn::Sub(hn::Mul(a_high, b_high), product);
  return MulThenAdd(a_low, b_low, MulThenAdd(a_low, b_high, MulThenAdd(a_high, b_low, error)));
#endif
}

/// a + b - sum, exactly, for sum = a + b rounded (Knuth).
HWY_INLINE Vec SumError(Vec a, Vec b, Vec sum) {
  const Vec of_b = hn::Sub(sum, a);
  return hn::Add(hn::Sub(a, hn::Sub(sum, of_b)), hn::Sub(b, of_b));
}

void StepWithTwoWords(const RoundedStep& step, const double* draws, const RunningSums& sums,
                      double* second_words, double* values, std::size_t count) {
  const Tag d;
  const Vec column = hn::Set(d, step.column);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vec own = hn::Mul(hn::LoadU(d, draws + i), hn::Set(d, step.fresh));
    Vec past = hn::Zero(d);
    for (std::size_t m = 0; m < sums.modes.size(); ++m) {
      const std::size_t at = m * sums.stride + i;
      const Vec sum = hn::Add(hn::LoadU(d, sums.states + at), hn::LoadU(d, second_words + at));
      past = MulThenAdd(hn::Set(d, sums.modes[m].weight), sum, past);
    }
    const Vec y = Rounded(step, i, hn::Set(d, step.limit), own, hn::Mul(past, hn::Set(d, step.past)));
    hn::StoreU(hn::Add(hn::LoadU(d, values + i), y), d, values + i);
    const Vec x = hn::Mul(y, column), x_error = ProductError(y, column, x);
    for (std::size_t m = 0; m < sums.modes.size(); ++m) {
      const std::size_t at = m * sums.stride + i;
      const Vec first = hn::LoadU(d, sums.states + at), second = hn::LoadU(d, second_words + at);
      const Vec decay = hn::Mul(hn::Set(d, -(1 - sums.modes[m].pole)), hn::Add(first, second));
      const Vec change = hn::Add(x, decay), sum = hn::Add(first, change);
      const Vec lost = hn::Add(hn::Add(SumError(x, decay, change), SumError(first, change, sum)), x_error);
      hn::StoreU(sum, d, sums.states + at);
      hn::StoreU(hn::Add(second, lost), d, second_words + at);
    }
  }
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme {

HWY_EXPORT(StepWithSums);
HWY_EXPORT(StepWithModes);
HWY_EXPORT(StepWithTwoWords);

void rounded_step(const RoundedStep& step, const double* draws, const double* sums, double* values,
                  double* taken, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(StepWithSums)(step, draws, sums, values, taken, count);
}
void rounded_step(const RoundedStep& step, const double* draws, const RunningSums& sums, double* values,
                  std::size_t count) {
  HWY_DYNAMIC_DISPATCH(StepWithModes)(step, draws, sums, values, count);
}
void rounded_step(const RoundedStep& step, const double* draws, const RunningSums& sums, double* second_words,
                  double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(StepWithTwoWords)(step, draws, sums, second_words, values, count);
}

}  // namespace jme
#endif
