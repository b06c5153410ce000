#include "random/exact_rounding.hpp"

#include <algorithm>
#include <optional>

#include <mpfr.h>

#include <jme/base/errors.hpp>

namespace jme {
namespace {

/// A number of MPFR. Its functions are rounded correctly in the direction asked for, so that two of them
/// enclose the true value.
class Real {
 public:
  explicit Real(mpfr_prec_t digits) { mpfr_init2(value_, digits); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  operator mpfr_ptr() { return value_; }  // NOLINT(google-explicit-constructor): MPFR's functions take it

 private:
  mpfr_t value_;
};

int sign(mpfr_srcptr value) {
  return mpfr_cmp_ui(value, 0);
}

struct Interval {
  explicit Interval(mpfr_prec_t digits) : low(digits), high(digits) {}
  Real low, high;
};

/// MPFR keeps constants and numbers for each thread, and the thread must free them.
struct ThreadsNumbers {
  ThreadsNumbers() = default;
  ThreadsNumbers(const ThreadsNumbers&) = delete;
  ThreadsNumbers& operator=(const ThreadsNumbers&) = delete;
  ~ThreadsNumbers() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

constexpr std::uint64_t most_further_blocks = 64;
constexpr double largest_whole = 0x1p50;

/// The digits of one fraction, 0.d1 d2 ..., most significant first: value in [whole, whole + 1] 2^-digits.
class Digits {
 public:
  explicit Digits(mpfr_prec_t precision) : whole_(precision) { mpfr_set_zero(whole_, 1); }
  void append(std::uint64_t bits, unsigned count) {
    static_assert(sizeof(unsigned long) == sizeof(std::uint64_t));
    mpfr_mul_2ui(whole_, whole_, count, MPFR_RNDN);  // exact: the precision holds all digits
    mpfr_add_ui(whole_, whole_, bits, MPFR_RNDN);
    count_ += count;
  }
  /// Both ends times 2^power.
  void enclose(Interval& to, long power) {
    const long shift = power - static_cast<long>(count_);
    mpfr_mul_2si(to.low, whole_, shift, MPFR_RNDN);
    mpfr_add_ui(to.high, whole_, 1, MPFR_RNDN);
    mpfr_mul_2si(to.high, to.high, shift, MPFR_RNDN);
  }

 private:
  Real whole_;
  unsigned count_ = 0;
};

/// sqrt(-2 log u): falls as u rises. Infinite where u may be 0.
void enclose_radius(Interval& u, Interval& radius) {
  mpfr_log(radius.low, u.high, MPFR_RNDU);
  mpfr_log(radius.high, u.low, MPFR_RNDD);
  for (Real* end : {&radius.low, &radius.high}) {
    const bool is_low = end == &radius.low;
    mpfr_mul_si(*end, *end, -2, MPFR_RNDN);  // exact
    mpfr_sqrt(*end, *end, is_low ? MPFR_RNDD : MPFR_RNDU);
  }
}

/// The angle (pi/4) y for y = (2 fraction - 1), and its sine, which rises, or its cosine, which falls with
/// |y| (an interval of digits never holds 0 inside).
void enclose_direction(Interval& fraction, bool is_sine, mpfr_prec_t precision, Interval& result) {
  Interval y(precision), quarter(precision);
  mpfr_const_pi(quarter.low, MPFR_RNDD);
  mpfr_const_pi(quarter.high, MPFR_RNDU);
  mpfr_div_2ui(quarter.low, quarter.low, 2, MPFR_RNDN);
  mpfr_div_2ui(quarter.high, quarter.high, 2, MPFR_RNDN);
  mpfr_mul_2ui(y.low, fraction.low, 1, MPFR_RNDN);
  mpfr_sub_ui(y.low, y.low, 1, MPFR_RNDN);  // exact
  mpfr_mul_2ui(y.high, fraction.high, 1, MPFR_RNDN);
  mpfr_sub_ui(y.high, y.high, 1, MPFR_RNDN);
  if (!is_sine && sign(y.low) < 0) {  // the cosine of -y: both ends change places
    mpfr_swap(y.low, y.high);
    mpfr_neg(y.low, y.low, MPFR_RNDN);
    mpfr_neg(y.high, y.high, MPFR_RNDN);
  }
  mpfr_mul(y.low, y.low, sign(y.low) >= 0 ? quarter.low : quarter.high, MPFR_RNDD);
  mpfr_mul(y.high, y.high, sign(y.high) >= 0 ? quarter.high : quarter.low, MPFR_RNDU);
  if (is_sine) {
    mpfr_sin(result.low, y.low, MPFR_RNDD);
    mpfr_sin(result.high, y.high, MPFR_RNDU);
  } else {
    mpfr_cos(result.low, y.high, MPFR_RNDD);
    mpfr_cos(result.high, y.low, MPFR_RNDU);
  }
}

/// value <- factor * value, for a factor of either sign.
void scale(Interval& value, mpfr_ptr factor) {
  if (sign(factor) < 0) mpfr_swap(value.low, value.high);
  mpfr_mul(value.low, value.low, factor, MPFR_RNDD);
  mpfr_mul(value.high, value.high, factor, MPFR_RNDU);
}

/// floor(end + 1/2), within +-largest_whole.
double nearest(mpfr_ptr end, mpfr_rnd_t direction) {
  mpfr_add_d(end, end, 0.5, direction);
  mpfr_floor(end, end);
  return std::clamp(mpfr_get_d(end, MPFR_RNDN), -largest_whole, largest_whole);
}

}  // namespace

double nearest_whole_of_bits(const PairBits& bits, Half half, const AffineDraw& affine,
                             const FurtherBits& further) {
  static const thread_local ThreadsNumbers freed_at_its_end;
  constexpr std::uint64_t one = 1;
  const bool is_negative = (bits.angle >> 63) != 0, is_exchanged = (bits.angle >> 62 & 1) != 0;
  const bool is_sine = is_exchanged == (half == Half::first);
  for (std::uint64_t blocks = 0; blocks <= most_further_blocks; ++blocks) {
    // Enough for every digit that was read, a scale, and 64 to spare.
    const auto precision = static_cast<mpfr_prec_t>(256 + 64 * blocks);
    Digits radius_digits(precision), angle_digits(precision);
    radius_digits.append(bits.radius, 64);
    radius_digits.append(bits.fraction >> 12, 52);
    angle_digits.append(bits.angle & ((one << 62) - 1), 62);
    for (std::uint64_t number = 0; number < blocks; ++number) {
      const auto [radius, angle] = further(number);
      radius_digits.append(radius, 64);
      angle_digits.append(angle, 64);
    }
    Interval u(precision), value(precision), fraction(precision), direction(precision);
    radius_digits.enclose(u, 0);
    if (sign(u.low) == 0) continue;  // no bound on the radius yet
    enclose_radius(u, value);
    angle_digits.enclose(fraction, 0);
    enclose_direction(fraction, is_sine, precision, direction);
    if (!is_sine && is_negative) {
      mpfr_swap(direction.low, direction.high);
      mpfr_neg(direction.low, direction.low, MPFR_RNDN);
      mpfr_neg(direction.high, direction.high, MPFR_RNDN);
    }
    // The radius is positive, the direction of one sign.
    const bool is_below = sign(direction.high) <= 0;
    if (is_below) mpfr_swap(value.low, value.high);
    mpfr_mul(value.low, value.low, direction.low, MPFR_RNDD);
    mpfr_mul(value.high, value.high, direction.high, MPFR_RNDU);

    Real factor(precision);
    mpfr_set_d(factor, affine.scale, MPFR_RNDN);
    mpfr_mul_d(factor, factor, affine.ratio, MPFR_RNDN);  // exact: 106 digits
    scale(value, factor);
    mpfr_add_d(value.low, value.low, affine.offset, MPFR_RNDD);
    mpfr_add_d(value.high, value.high, affine.offset, MPFR_RNDU);
    const double low = nearest(value.low, MPFR_RNDD), high = nearest(value.high, MPFR_RNDU);
    if (low == high) return low;
  }
  throw Error("a normal draw lies on a boundary to 4000 digits: the keystream is broken");
}

}  // namespace jme
