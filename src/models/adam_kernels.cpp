// Highway compiles this file once for every SIMD target and chooses at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/adam_kernels.cpp"
#include "models/adam_kernels.hpp"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, Wide>;  // as many floats as a vector holds doubles
using Whole = hn::ScalableTag<float>;

template <class D>
HWY_INLINE hn::Vec<D> Update(D d, const AdamKernel& k, hn::Vec<D> m, hn::Vec<D> v) {
  const auto least = hn::Set(d, k.least_square);
  const auto root = hn::Sqrt(hn::Max(hn::Mul(v, hn::Set(d, k.correct_second)), least));
  const auto update = hn::Div(hn::Mul(m, hn::Set(d, k.correct_first)), hn::Add(root, hn::Set(d, k.epsilon)));
  return hn::Min(hn::Max(update, hn::Set(d, -k.update_bound)), hn::Set(d, k.update_bound));
}

/// One vector of a tile; loads and stores are those of whole vectors or of single numbers.
struct Moments {
  hn::Vec<Narrow> first, second;
};
HWY_INLINE Moments Moved(Narrow d, const AdamKernel& k, hn::Vec<Narrow> sum, hn::Vec<Narrow> squares,
                         hn::Vec<Narrow> m, hn::Vec<Narrow> v) {
  const auto one = hn::Set(d, 1.0F);
  const auto b1 = hn::Set(d, k.beta_first), b2 = hn::Set(d, k.beta_second);
  const auto gradient = hn::Mul(sum, hn::Set(d, k.gradient_scale));
  const auto square =
      k.squares_sum ? hn::Mul(gradient, gradient) : hn::Mul(squares, hn::Set(d, k.square_scale));
  const auto moved = hn::Add(square, hn::Set(d, k.square_offset));
  return {hn::Add(hn::Mul(b1, m), hn::Mul(hn::Sub(one, b1), gradient)),
          hn::Add(hn::Mul(b2, v), hn::Mul(hn::Sub(one, b2), moved))};
}

void AdamTile(const AdamKernel& k, const double* sums, const double* squares, float* first, float* second,
              float* parameters, std::size_t count) {
  const Wide wide;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN double sum_tail[hn::MaxLanes(wide)] = {}, square_tail[hn::MaxLanes(wide)] = {};
  HWY_ALIGN float m_tail[hn::MaxLanes(d)] = {}, v_tail[hn::MaxLanes(d)] = {}, p_tail[hn::MaxLanes(d)] = {};
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t here = count - i < lanes ? count - i : lanes;
    const double* sum = sums + i;
    const double* square = k.squares_sum ? sum : squares + i;
    float* m = first + i;
    float* v = second + i;
    float* p = parameters == nullptr ? nullptr : parameters + i;
    if (here < lanes) {  // the last, shorter vector goes through buffers
      for (std::size_t j = 0; j < here; ++j) {
        sum_tail[j] = sum[j], square_tail[j] = square[j], m_tail[j] = m[j], v_tail[j] = v[j];
        if (p != nullptr) p_tail[j] = p[j];
      }
      sum = sum_tail, square = square_tail, m = m_tail, v = v_tail;
      if (p != nullptr) p = p_tail;
    }
    const Moments moved = Moved(d, k, hn::DemoteTo(d, hn::LoadU(wide, sum)),
                                hn::DemoteTo(d, hn::LoadU(wide, square)), hn::LoadU(d, m), hn::LoadU(d, v));
    hn::StoreU(moved.first, d, m);
    hn::StoreU(moved.second, d, v);
    if (p != nullptr) {
      const auto update = hn::Mul(hn::Set(d, k.step), Update(d, k, moved.first, moved.second));
      hn::StoreU(hn::Sub(hn::Mul(hn::Set(d, k.shrink), hn::LoadU(d, p)), update), d, p);
    }
    if (here < lanes) {
      for (std::size_t j = 0; j < here; ++j) {
        first[i + j] = m_tail[j], second[i + j] = v_tail[j];
        if (p != nullptr) parameters[i + j] = p_tail[j];
      }
    }
  }
}

double SquaredUpdate(const AdamKernel& k, const float* first, const float* second, std::size_t count) {
  const Wide wide;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(wide);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto update = hn::PromoteTo(wide, Update(d, k, hn::LoadU(d, first + i), hn::LoadU(d, second + i)));
    sum = hn::Add(sum, hn::Mul(update, update));
  }
  double total = hn::GetLane(hn::SumOfLanes(wide, sum));
  const hn::CappedTag<float, 1> one;
  for (; i < count; ++i) {
    const double update = hn::GetLane(Update(one, k, hn::Set(one, first[i]), hn::Set(one, second[i])));
    total += update * update;
  }
  return total;
}

void ApplyUpdate(const AdamKernel& k, const float* first, const float* second, float* parameters,
                 std::size_t count) {
  const Whole d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto update = Update(d, k, hn::LoadU(d, first + i), hn::LoadU(d, second + i));
    const auto moved = hn::Sub(hn::Mul(hn::Set(d, k.shrink), hn::LoadU(d, parameters + i)),
                               hn::Mul(hn::Set(d, k.step), update));
    hn::StoreU(moved, d, parameters + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < count; ++i) {
    const float update = hn::GetLane(Update(one, k, hn::Set(one, first[i]), hn::Set(one, second[i])));
    parameters[i] = k.shrink * parameters[i] - k.step * update;
  }
}

void Widen(const float* values, double* to, std::size_t count) {
  const Wide wide;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::PromoteTo(wide, hn::LoadU(d, values + i)), wide, to + i);
  for (; i < count; ++i) to[i] = values[i];
}

double SquaredLength(const float* values, std::size_t count) {
  const Wide wide;
  const Narrow d;
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(wide), b = hn::Zero(wide);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto x = hn::PromoteTo(wide, hn::LoadU(d, values + i));
    const auto y = hn::PromoteTo(wide, hn::LoadU(d, values + i + lanes));
    a = hn::Add(a, hn::Mul(x, x));
    b = hn::Add(b, hn::Mul(y, y));
  }
  double total = hn::GetLane(hn::SumOfLanes(wide, hn::Add(a, b)));
  for (; i < count; ++i) total += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return total;
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme {

HWY_EXPORT(AdamTile);
HWY_EXPORT(SquaredUpdate);
HWY_EXPORT(ApplyUpdate);
HWY_EXPORT(Widen);
HWY_EXPORT(SquaredLength);

void adam_tile(const AdamKernel& kernel, const double* sums, const double* squares, float* first,
               float* second, float* parameters, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(AdamTile)(kernel, sums, squares, first, second, parameters, count);
}
double squared_update(const AdamKernel& kernel, const float* first, const float* second, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(SquaredUpdate)(kernel, first, second, count);
}
void apply_update(const AdamKernel& kernel, const float* first, const float* second, float* parameters,
                  std::size_t count) {
  HWY_DYNAMIC_DISPATCH(ApplyUpdate)(kernel, first, second, parameters, count);
}
void widen(const float* values, double* to, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(Widen)(values, to, count);
}
double squared_length(const float* values, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(SquaredLength)(values, count);
}

}  // namespace jme
#endif
