// Highway compiles this file once for every SIMD target and chooses at run time. The baseline is kept too, so
// that tests can compare all of them.
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/tile_kernels.cpp"
#include "filter/tile_kernels.hpp"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "filter/series.hpp"

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Tag>;

HWY_INLINE Vec MulThenAdd(Vec a, Vec b, Vec c) {
  return hn::Add(hn::Mul(a, b), c);
}

#if HWY_HAVE_SCALABLE
constexpr std::size_t kUnrolledModes = 0;  // such vectors cannot be elements of arrays
#else
constexpr std::size_t kUnrolledModes = 6;

/// `M` modes with all numbers in registers: every running sum is loaded and stored once.
template <std::size_t M, bool has_tap>
HWY_INLINE void StepModes(const OneTapStep& step, double* HWY_RESTRICT values, std::size_t count) {
  const Tag d;
  const Vec in = hn::Set(d, step.in), tap = hn::Set(d, step.tap), out = hn::Set(d, step.out);
  Vec weight[M], pole[M], state[M];
  double* states[M];
  for (std::size_t m = 0; m < M; ++m) {
    weight[m] = hn::Set(d, step.modes[m].weight);
    pole[m] = hn::Set(d, step.modes[m].pole);
    states[m] = step.states + m * step.stride;
  }
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vec u = hn::Mul(hn::LoadU(d, values + i), in);
#pragma GCC unroll 6
    for (std::size_t m = 0; m < M; ++m) state[m] = hn::LoadU(d, states[m] + i);
    Vec past = hn::Mul(weight[0], state[0]);
#pragma GCC unroll 6
    for (std::size_t m = 1; m < M; ++m) past = MulThenAdd(weight[m], state[m], past);
    const Vec own = has_tap ? hn::Mul(u, tap) : u;
    hn::StoreU(hn::Mul(hn::Add(own, past), out), d, values + i);
#pragma GCC unroll 6
    for (std::size_t m = 0; m < M; ++m) hn::StoreU(MulThenAdd(pole[m], state[m], u), d, states[m] + i);
  }
}

template <std::size_t M>
HWY_INLINE void StepUnrolled(const OneTapStep& step, double* values, std::size_t count) {
  if (step.tap != 1) {
    StepModes<M, true>(step, values, count);
  } else {
    StepModes<M, false>(step, values, count);
  }
}
#endif

/// Without modes: a factor.
HWY_INLINE void StepNoModes(const OneTapStep& step, double* values, std::size_t count) {
  const Tag d;
  const Vec in = hn::Set(d, step.in), tap = hn::Set(d, step.tap), out = hn::Set(d, step.out);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vec u = hn::Mul(hn::LoadU(d, values + i), in);
    hn::StoreU(hn::Mul(hn::Mul(u, tap), out), d, values + i);
  }
}

/// Any number of modes, with a loop inside the loop.
HWY_INLINE void StepManyModes(const OneTapStep& step, double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vec u = hn::Mul(hn::LoadU(d, values + i), hn::Set(d, step.in));
    Vec past = hn::Mul(hn::Set(d, step.modes[0].weight), hn::LoadU(d, step.states + i));
    for (std::size_t m = 1; m < step.modes.size(); ++m) {
      past =
          MulThenAdd(hn::Set(d, step.modes[m].weight), hn::LoadU(d, step.states + m * step.stride + i), past);
    }
    const Vec y = MulThenAdd(u, hn::Set(d, step.tap), past);
    hn::StoreU(hn::Mul(y, hn::Set(d, step.out)), d, values + i);
    for (std::size_t m = 0; m < step.modes.size(); ++m) {
      double* state = step.states + m * step.stride + i;
      hn::StoreU(MulThenAdd(hn::Set(d, step.modes[m].pole), hn::LoadU(d, state), u), d, state);
    }
  }
}

void SeriesStep(const OneTapStep& step, double* values, std::size_t count) {
  const std::size_t modes = step.modes.size();
  if (modes == 0) return StepNoModes(step, values, count);
  if (modes > kUnrolledModes) return StepManyModes(step, values, count);
#if !HWY_HAVE_SCALABLE
  switch (modes) {
    case 1:
      return StepUnrolled<1>(step, values, count);
    case 2:
      return StepUnrolled<2>(step, values, count);
    case 3:
      return StepUnrolled<3>(step, values, count);
    case 4:
      return StepUnrolled<4>(step, values, count);
    case 5:
      return StepUnrolled<5>(step, values, count);
    default:
      return StepUnrolled<6>(step, values, count);
  }
#endif
}

void RunningSumStep(const OneTapStep& step, double unit, const double* HWY_RESTRICT values,
                    double* HWY_RESTRICT to, std::size_t count) {
  const Tag d;
  const Vec in = hn::Set(d, step.in), out = hn::Set(d, step.out), factor = hn::Set(d, unit);
  double* HWY_RESTRICT states = step.states;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vec sum = MulThenAdd(hn::LoadU(d, values + i), in, hn::LoadU(d, states + i));
    hn::StoreU(sum, d, states + i);
    hn::StoreU(hn::Mul(hn::Mul(sum, out), factor), d, to + i);
  }
}
template <bool fresh>
HWY_INLINE void SumWeighted(std::span<const Weighted> terms, double* sum, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    std::size_t k = 0;
    Vec total;
    if constexpr (fresh) {
      total = hn::Mul(hn::Set(d, terms[0].weight), hn::LoadU(d, terms[0].values + i));
      k = 1;
    } else {
      total = hn::LoadU(d, sum + i);
    }
    for (; k < terms.size(); ++k) {
      total = MulThenAdd(hn::Set(d, terms[k].weight), hn::LoadU(d, terms[k].values + i), total);
    }
    hn::StoreU(total, d, sum + i);
  }
}

void AssignWeighted(std::span<const Weighted> terms, double* sum, std::size_t count) {
  SumWeighted<true>(terms, sum, count);
}
void AddWeighted(std::span<const Weighted> terms, double* sum, std::size_t count) {
  SumWeighted<false>(terms, sum, count);
}

void AdvanceSum(double pole, const double* input, double* sum, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(MulThenAdd(hn::Set(d, pole), hn::LoadU(d, sum + i), hn::LoadU(d, input + i)), d, sum + i);
  }
}

void Scale(double factor, double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::StoreU(hn::Mul(hn::LoadU(d, values + i), hn::Set(d, factor)), d, values + i);
  }
}

void WriteScaled(double factor, const double* HWY_RESTRICT values, double* HWY_RESTRICT to,
                 std::size_t count) {
  const Tag d;
  const Vec factors = hn::Set(d, factor);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreU(hn::Mul(hn::LoadU(d, values + i), factors), d, to + i);
  }
  for (; i < count; ++i) to[i] = values[i] * factor;
}

void Flush(double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const Vec value = hn::LoadU(d, values + i);
    hn::StoreU(hn::IfThenZeroElse(hn::Lt(hn::Abs(value), hn::Set(d, negligible)), value), d, values + i);
  }
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme {

HWY_EXPORT(SeriesStep);
HWY_EXPORT(AssignWeighted);
HWY_EXPORT(AddWeighted);
HWY_EXPORT(AdvanceSum);
HWY_EXPORT(Scale);
HWY_EXPORT(WriteScaled);
HWY_EXPORT(RunningSumStep);
HWY_EXPORT(Flush);

void series_step(const OneTapStep& step, double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(SeriesStep)(step, values, count);
}
void assign_weighted(std::span<const Weighted> terms, double* sum, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AssignWeighted)(terms, sum, count);
}
void add_weighted(std::span<const Weighted> terms, double* sum, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AddWeighted)(terms, sum, count);
}
void advance_sum(double pole, const double* input, double* sum, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AdvanceSum)(pole, input, sum, count);
}
void scale(double factor, double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(Scale)(factor, values, count);
}
void write_scaled(double factor, const double* values, double* to, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(WriteScaled)(factor, values, to, count);
}
void running_sum_step(const OneTapStep& step, double unit, const double* values, double* to,
                      std::size_t count) {
  HWY_DYNAMIC_DISPATCH(RunningSumStep)(step, unit, values, to, count);
}
void flush(double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(Flush)(values, count);
}

}  // namespace jme
#endif
