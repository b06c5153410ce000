// Highway compiles this file once for every SIMD target and chooses at run time. The baseline is kept too, so
// that tests can compare all of them.
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/tile_kernels.cpp"
#include "filter/tile_kernels.hpp"

#include <utility>

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

/// The step's past: what is known before the input joins.
HWY_INLINE Vec Past(Tag d, const Mode* modes, Vec state) {
  return hn::Mul(hn::Set(d, modes->weight), state);
}
template <class... States>
HWY_INLINE Vec AddPast(Tag /*d*/, const Mode* /*modes*/, Vec sum) {
  return sum;
}
template <class... States>
HWY_INLINE Vec AddPast(Tag d, const Mode* modes, Vec sum, Vec state, States... states) {
  return AddPast(d, modes + 1, MulThenAdd(hn::Set(d, modes->weight), state, sum), states...);
}

HWY_INLINE void Advance(Tag /*d*/, const Mode* /*modes*/, double* /*to*/, std::size_t /*stride*/, Vec /*x*/) {
}
template <class... States>
HWY_INLINE void Advance(Tag d, const Mode* modes, double* to, std::size_t stride, Vec x, Vec state,
                        States... states) {
  hn::StoreU(MulThenAdd(hn::Set(d, modes->pole), state, x), d, to);
  Advance(d, modes + 1, to + stride, stride, x, states...);
}

enum class Form { series, feedback };

/// One vector of coordinates; every running sum is loaded once, by the caller.
template <Form form, class... States>
HWY_INLINE void StepVector(Tag d, const OneTapStep& step, double* state, const double* lagged, double* value,
                           Vec first, States... rest) {
  const Mode* modes = step.modes.data();
  Vec u = hn::Mul(hn::LoadU(d, value), hn::Set(d, step.in));
  if constexpr (form == Form::series) {
    const Vec past = AddPast(d, modes + 1, Past(d, modes, first), rest...);
    const Vec y = MulThenAdd(u, hn::Set(d, step.tap), past);
    hn::StoreU(hn::Mul(y, hn::Set(d, step.out)), d, value);
  } else {
    const Vec past = lagged == nullptr ? AddPast(d, modes + 1, Past(d, modes, first), rest...)
                                       : AddPast(d, modes, hn::Neg(hn::LoadU(d, lagged)), first, rest...);
    u = hn::Mul(hn::Sub(u, past), hn::Set(d, step.tap));
    hn::StoreU(hn::Mul(u, hn::Set(d, step.out)), d, value);
  }
  Advance(d, modes, state, step.stride, u, first, rest...);
}

template <Form form, std::size_t... M>
HWY_INLINE void StepModes(const OneTapStep& step, double* values, std::size_t count,
                          std::index_sequence<M...> /*modes*/) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    double* state = step.states + i;
    StepVector<form>(d, step, state, step.lagged == nullptr ? nullptr : step.lagged + i, values + i,
                     hn::LoadU(d, state + M * step.stride)...);
  }
}

template <Form form>
HWY_INLINE void StepNoModes(const OneTapStep& step, double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    Vec u = hn::Mul(hn::LoadU(d, values + i), hn::Set(d, step.in));
    if (step.lagged != nullptr) u = hn::Sub(u, hn::Neg(hn::LoadU(d, step.lagged + i)));
    hn::StoreU(hn::Mul(hn::Mul(u, hn::Set(d, step.tap)), hn::Set(d, step.out)), d, values + i);
  }
}

/// Any number of modes, with a loop inside the loop.
template <Form form>
HWY_INLINE void StepManyModes(const OneTapStep& step, double* values, std::size_t count) {
  const Tag d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    Vec u = hn::Mul(hn::LoadU(d, values + i), hn::Set(d, step.in));
    Vec past = hn::Zero(d);
    std::size_t m = 0;
    if (form == Form::feedback && step.lagged != nullptr) {
      past = hn::Neg(hn::LoadU(d, step.lagged + i));
    } else {
      past = hn::Mul(hn::Set(d, step.modes[0].weight), hn::LoadU(d, step.states + i));
      m = 1;
    }
    for (; m < step.modes.size(); ++m) {
      past =
          MulThenAdd(hn::Set(d, step.modes[m].weight), hn::LoadU(d, step.states + m * step.stride + i), past);
    }
    if constexpr (form == Form::series) {
      const Vec y = MulThenAdd(u, hn::Set(d, step.tap), past);
      hn::StoreU(hn::Mul(y, hn::Set(d, step.out)), d, values + i);
    } else {
      u = hn::Mul(hn::Sub(u, past), hn::Set(d, step.tap));
      hn::StoreU(hn::Mul(u, hn::Set(d, step.out)), d, values + i);
    }
    for (m = 0; m < step.modes.size(); ++m) {
      double* state = step.states + m * step.stride + i;
      hn::StoreU(MulThenAdd(hn::Set(d, step.modes[m].pole), hn::LoadU(d, state), u), d, state);
    }
  }
}

template <Form form>
HWY_INLINE void Step(const OneTapStep& step, double* values, std::size_t count) {
  switch (step.modes.size()) {
    case 0:
      return StepNoModes<form>(step, values, count);
    case 1:
      return StepModes<form>(step, values, count, std::make_index_sequence<1>());
    case 2:
      return StepModes<form>(step, values, count, std::make_index_sequence<2>());
    case 3:
      return StepModes<form>(step, values, count, std::make_index_sequence<3>());
    case 4:
      return StepModes<form>(step, values, count, std::make_index_sequence<4>());
    case 5:
      return StepModes<form>(step, values, count, std::make_index_sequence<5>());
    case 6:
      return StepModes<form>(step, values, count, std::make_index_sequence<6>());
    default:
      return StepManyModes<form>(step, values, count);
  }
}

void SeriesStep(const OneTapStep& step, double* values, std::size_t count) {
  Step<Form::series>(step, values, count);
}
void FeedbackStep(const OneTapStep& step, double* values, std::size_t count) {
  Step<Form::feedback>(step, values, count);
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
HWY_EXPORT(FeedbackStep);
HWY_EXPORT(AssignWeighted);
HWY_EXPORT(AddWeighted);
HWY_EXPORT(AdvanceSum);
HWY_EXPORT(Scale);
HWY_EXPORT(Flush);

void series_step(const OneTapStep& step, double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(SeriesStep)(step, values, count);
}
void feedback_step(const OneTapStep& step, double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(FeedbackStep)(step, values, count);
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
void flush(double* values, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(Flush)(values, count);
}

}  // namespace jme
#endif
