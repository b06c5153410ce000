// Two 64-bit words to two normals, for one SIMD target; included once for each by gaussian_kernels.cpp.
#if defined(JME_RANDOM_BOX_MULLER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef JME_RANDOM_BOX_MULLER_INL
#undef JME_RANDOM_BOX_MULLER_INL
#else
#define JME_RANDOM_BOX_MULLER_INL
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <hwy/highway.h>

#include "base/upcoming.hpp"

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Uses operations that IEEE 754 rounds exactly, bit operations, and fused multiply-adds where the target has
// them. The error bound of every line, fused or not, is in src/random/GUARANTEES.md. No table index depends
// on the words; one branch does, the one that reads further digits.

template <class D>
using Words = hn::Vec<hn::RebindToUnsigned<D>>;

/// c0 + x (c1 + x (c2 + ...)).
template <class D, class V>
HWY_INLINE V Horner(D /*d*/, V /*x*/, V sum) {
  return sum;
}
template <class D, class V, class... Rest>
HWY_INLINE V Horner(D d, V x, V sum, double c, Rest... rest) {
  return Horner(d, x, hn::MulAdd(sum, x, hn::Set(d, c)), rest...);
}

/// word + 1/2 for word < 2^63, as two doubles that are exact and a number taken from the upper one.
template <class D>
struct WordHalves {
  HWY_INLINE WordHalves(D d, Words<D> word, double less) {
    const hn::RebindToUnsigned<D> du;
    const auto upper = hn::Or(hn::ShiftRight<32>(word), hn::Set(du, std::bit_cast<std::uint64_t>(0x1p84)));
    const auto lower =
        hn::Or(hn::And(word, hn::Set(du, 0xFFFFFFFFu)), hn::Set(du, std::bit_cast<std::uint64_t>(0x1p52)));
    high = hn::Sub(hn::BitCast(d, upper), hn::Set(d, 0x1p84 + less));
    low = hn::Sub(hn::BitCast(d, lower), hn::Set(d, 0x1p52 - 0.5));
  }
  hn::Vec<D> high, low;
};

/// word + fraction / 2^64 however small it is: 52 bits of `fraction`, and half a unit of them, take the place
/// of the half unit of `word`.
template <class D>
HWY_INLINE hn::Vec<D> WithFraction(D d, const WordHalves<D>& word, Words<D> fraction) {
  const hn::RebindToUnsigned<D> du;
  const auto below = hn::Or(hn::ShiftRight<12>(fraction), hn::Set(du, std::bit_cast<std::uint64_t>(1.0)));
  const auto tail = hn::Sub(hn::BitCast(d, below), hn::Set(d, 1.0 - 0x1p-53));
  return hn::Add(word.high, hn::Add(hn::Sub(word.low, hn::Set(d, 0.5)), tail));
}

/// Where 2^64 min(u, 1 - u) is below this, a word's 64 digits are too few.
constexpr double kFewDigits = 0x1p52;

/// NaN: whatever is computed from it is NaN as well, and no comparison with it holds.
constexpr double kUndecided = std::numeric_limits<double>::quiet_NaN();

/// The further digits of a radius' word where they are at hand.
struct NoFraction {};

/// sqrt(-2 log u), or kUndecided where that is above 9, for u = (word + 1/2) / 2^64 or, where that is near 0
/// or 1, (word + fraction / 2^64) / 2^64. `few` tells where. All digits count near 1 as well as near 0: u <
/// 1/2 is made from the bits, 1 - u from their complement.
template <class D, class Fraction>
HWY_INLINE hn::Vec<D> Radius(D d, Words<D> word, Fraction fraction, hn::Mask<D>& few) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto upper = hn::BroadcastSignBit(hn::BitCast(di, word));  // all ones where u > 1/2
  const auto flip = hn::BitCast(du, upper);
  const WordHalves<D> halves(d, hn::Xor(word, flip), 0);
  auto p = hn::Add(halves.high, halves.low);  // 2^64 min(u, 1 - u)
  few = hn::Lt(p, hn::Set(d, kFewDigits));
  if constexpr (!std::is_same_v<Fraction, NoFraction>) {
    p = hn::IfThenElse(few, WithFraction(d, halves, hn::Xor(fraction, flip)), p);
  }
  const auto x = hn::IfVecThenElse(hn::BitCast(d, upper), hn::Sub(hn::Set(d, 0x1p64), p), p);

  // x = 2^64 2^(e - 117) m with m in [sqrt 1/2, sqrt 2), e in 0..117 read off the bits: x is 2^-53 at least.
  const auto bits = hn::BitCast(du, x);
  constexpr auto root = std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1);
  constexpr std::uint64_t one_exponent = std::uint64_t{1} << 52;
  const auto e = hn::ShiftRight<52>(hn::Sub(bits, hn::Set(du, root - 53 * one_exponent)));
  const auto m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(hn::Sub(e, hn::Set(du, 53)))));
  const auto exponent =  // 117 - e
      hn::Sub(hn::Set(d, 0x1p52 + 117),
              hn::BitCast(d, hn::Or(e, hn::Set(du, std::bit_cast<std::uint64_t>(0x1p52)))));

  // f = m - 1, exact; where u > sqrt 1/2 it is -(1 - u), which has more digits.
  const auto near_one = hn::Eq(exponent, hn::Zero(d));
  const auto f = hn::IfThenElse(near_one, hn::Mul(p, hn::Set(d, -0x1p-64)), hn::Sub(m, hn::Set(d, 1.0)));

  // log(1 + f) = 2 artanh s = f - s (f - R(s^2)), s = f / (2 + f), R a minimax polynomial (relative error
  // 2^-59).
  const auto s = hn::Div(f, hn::Add(hn::Set(d, 2.0), f));
  const auto z = hn::Mul(s, s);
  const auto r = hn::Mul(
      z, Horner(d, z, hn::Set(d, 0x1.2f0568ddd92b2p-3), 0x1.39a1ba2c3b74ap-3, 0x1.74663eee2675cp-3,
                0x1.c71c52093df8dp-3, 0x1.24924941f152bp-2, 0x1.999999997fdb3p-2, 0x1.5555555555592p-1));
  // -log u = (117 - e) log 2 - log(1 + f); the upper part of log 2 has 44 digits, so its product is exact.
  const auto correction = hn::MulAdd(s, hn::Sub(f, r), hn::Mul(exponent, hn::Set(d, 0x1.ef35793c76730p-45)));
  const auto minus_log = hn::Add(hn::MulSub(exponent, hn::Set(d, 0x1.62e42fefa3800p-1), f), correction);
  const auto squared = hn::Add(minus_log, minus_log);
  // For large radii the bits that were not read matter: such a pair is left to exact arithmetic.
  return hn::IfThenElse(hn::Gt(squared, hn::Set(d, 81.0)), hn::Set(d, kUndecided), hn::Sqrt(squared));
}

/// A uniform direction: (first, second) = (cos, sin) of a uniform angle. The top two bits choose a quadrant's
/// axis, the others an angle phi in (-pi/4, pi/4) around it; phi is symmetric, so one sign and one exchange
/// reach all four.
template <class D>
HWY_INLINE void Direction(D d, Words<D> word, hn::Vec<D>& first, hn::Vec<D>& second) {
  const hn::RebindToUnsigned<D> du;
  // y = (word mod 2^62 + 1/2) / 2^61 - 1 in (-1, 1), rounded once from the exact value; phi = (pi/4) y.
  const auto field = hn::And(word, hn::Set(du, (std::uint64_t{1} << 62) - 1));
  const WordHalves<D> halves(d, field, 0x1p61);
  const auto y = hn::Mul(hn::Add(halves.high, halves.low), hn::Set(d, 0x1p-61));
  const auto z = hn::Mul(y, y);
  // sin((pi/4) y) = y pi/4 + y (tail of pi/4 + z Q(z)), cos((pi/4) y) = 1 + z P(z); minimax, relative errors
  // below 2^-57 and 2^-64.
  const auto q =
      Horner(d, z, hn::Set(d, 0x1.e3ff274730f67p-38), -0x1.e3009896607c8p-30, 0x1.5078300c4190bp-22,
             -0x1.32d2cce324138p-15, 0x1.466bc67758cb2p-9, -0x1.4abbce625be46p-4, 0x1.1a62633145c07p-55);
  const auto sine = hn::MulAdd(y, hn::Set(d, 0x1.921fb54442d18p-1), hn::Mul(y, q));
  const auto cosine =
      Horner(d, z, hn::Set(d, -0x1.b263c3fd34338p-42), 0x1.f9cc40afcca53p-34, -0x1.a6d1ec7e10e0ap-26,
             0x1.e1f5068367badp-19, -0x1.55d3c7e3c9280p-12, 0x1.03c1f081b5aaep-6, -0x1.3bd3cc9be45dep-2, 1.0);
  const auto sign = hn::And(word, hn::Set(du, std::uint64_t{1} << 63));
  const auto axis = hn::BitCast(d, hn::Xor(hn::BitCast(du, cosine), sign));
  const hn::RebindToSigned<D> di;
  const auto exchange =
      hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, hn::ShiftLeft<1>(word))));  // bit 62
  first = hn::IfVecThenElse(exchange, sine, axis);
  second = hn::IfVecThenElse(exchange, axis, sine);
}

/// Pairs that BoxMuller takes at once.
HWY_INLINE std::size_t PairsAtOnce() {
  return hn::Lanes(hn::ScalableTag<double>());
}

/// PairsAtOnce() pairs from two words each, radius and angle. True where a pair of them needs its fraction.
template <class Fraction>
HWY_INLINE bool BoxMullerStep(const std::uint64_t* HWY_RESTRICT bits, Fraction fraction,
                              double* HWY_RESTRICT out) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  hn::Vec<decltype(d)> first, second;
  hn::Mask<decltype(d)> few;
#if HWY_TARGET == HWY_SCALAR
  Direction(d, hn::Load(du, bits + 1), first, second);
  const auto radius = Radius(d, hn::Load(du, bits), fraction, few);
  hn::StoreU(hn::Mul(radius, first), d, out);
  hn::StoreU(hn::Mul(radius, second), d, out + 1);
#else
  // Words are gathered and normals scattered inside 128-bit halves.
  const std::size_t lanes = hn::Lanes(d);
  const auto a = hn::Load(du, bits);
  const auto b = hn::Load(du, bits + lanes);
  Direction(d, hn::InterleaveUpper(du, a, b), first, second);
  const auto radius = Radius(d, hn::InterleaveLower(du, a, b), fraction, few);
  first = hn::Mul(radius, first);
  second = hn::Mul(radius, second);
  hn::StoreU(hn::InterleaveLower(d, first, second), d, out);
  hn::StoreU(hn::InterleaveUpper(d, first, second), d, out + lanes);
#endif
  return !hn::AllFalse(d, few);
}

/// The same with the further digits of every radius: one word per pair.
inline void BoxMullerWithFractions(const std::uint64_t* HWY_RESTRICT bits, const std::uint64_t* fractions,
                                   double* HWY_RESTRICT out) {
  const hn::ScalableTag<std::uint64_t> du;
#if HWY_TARGET == HWY_SCALAR
  BoxMullerStep(bits, hn::Load(du, fractions), out);
#else
  // As the words are gathered: lane 2k holds pair k, lane 2k + 1 pair k + lanes/2.
  const std::size_t lanes = hn::Lanes(du);
  HWY_ALIGN std::uint64_t ordered[hn::MaxLanes(du)];
  for (std::size_t k = 0; k < lanes; ++k) ordered[k] = fractions[k / 2 + (k % 2) * (lanes / 2)];
  BoxMullerStep(bits, hn::Load(du, ordered), out);
#endif
}

/// `bits`: two words per pair; `pairs` is a multiple of PairsAtOnce(); `bits` are aligned to a vector, `out`
/// need not be. Fetches `upcoming` from `begin` on, a number for every normal. Writes to `again` where steps
/// begin that need fractions, and returns how many there are.
inline std::size_t BoxMuller(const std::uint64_t* HWY_RESTRICT bits, double* HWY_RESTRICT out,
                             std::size_t pairs, const Upcoming& upcoming, std::size_t begin,
                             std::uint32_t* HWY_RESTRICT again) {
  const std::size_t step = 2 * PairsAtOnce();
  std::size_t count = 0;
  // Every pair waits for long chains of dependent operations; two at a time fill each other's gaps.
#pragma GCC unroll 2
  for (std::size_t i = 0; i < 2 * pairs; i += step) {
    if (step >= 8 || i % 8 == 0) upcoming.fetch(begin + i, step < 8 ? 8 : step);
    again[count] = static_cast<std::uint32_t>(i);
    count += BoxMullerStep(bits + i, NoFraction{}, out + i) ? 1 : 0;
  }
  return count;
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
