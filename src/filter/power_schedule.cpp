#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <Eigen/Core>

#include <jme/filter/schedule.hpp>

namespace jme {
namespace {

// Computing two powers per step would take most of the time that norms take. Inside a piece of 256 steps the
// schedule is a polynomial to the last digit, wherever both ends are far away.
constexpr std::size_t piece = 256;
constexpr double half = 128;
constexpr std::size_t most_terms = 20;
constexpr double nearest_end = 16 * half;

/// (t + 1 + a)^q (n - t - 1 + c)^s in powers of u = (t - middle) / 128: coefficients p_k from those of the
/// logarithmic derivative, (k + 1) p_{k+1} = sum_j e_j p_{k-j}.
struct PiecePolynomial {
  std::array<double, most_terms> p;
  std::size_t terms = 0;  ///< 0: the piece is too near an end

  PiecePolynomial(double at_middle, double q, double from_start, double s, double to_end) {
    const bool ends = s != 0;
    if (!(from_start >= nearest_end) || (ends && !(to_end >= nearest_end))) return;
    const double start = -half / from_start, end = ends ? half / to_end : 0;
    std::array<double, most_terms> e;
    double start_power = -q * start, end_power = s * end;
    p[0] = at_middle;
    for (std::size_t k = 0; k + 1 < most_terms; ++k) {
      e[k] = start_power - end_power;
      start_power *= start;
      end_power *= end;
      double sum = 0;
      for (std::size_t j = 0; j <= k; ++j) sum += e[j] * p[k - j];
      p[k + 1] = sum / static_cast<double>(k + 1);
      const double negligible = 0x1p-60 * at_middle;
      if (std::abs(p[k + 1]) < negligible && std::abs(p[k]) < negligible) {
        terms = k + 1;
        return;
      }
    }
  }
};

const Eigen::Array<double, piece, 1>& places() {
  static const Eigen::Array<double, piece, 1> u = [] {
    Eigen::Array<double, piece, 1> all;
    for (Eigen::Index i = 0; i < all.size(); ++i) all(i) = (static_cast<double>(i) - half) / half;
    return all;
  }();
  return u;
}

}  // namespace

double Schedule::Power::log_at(double step) const {
  const double t = step + 1;
  return q * std::log(t + a) + (s == 0 ? 0.0 : s * std::log(n - t + c));
}

double Schedule::Power::at(std::size_t step) const {
  double value = 0;
  fill(step, {&value, 1});
  return value;
}

void Schedule::Power::fill(std::size_t begin, std::span<double> out) const {
  while (!out.empty()) {
    const std::size_t count = std::min(out.size(), piece - begin % piece);
    fill_piece(begin, out.first(count));
    begin += count;
    out = out.subspan(count);
  }
}

void Schedule::Power::fill_piece(std::size_t begin, std::span<double> out) const {
  const auto direct = [&](double t) {
    const double start = std::pow(t + a, q);
    return s == 0 ? start : start * std::pow(n - t + c, s);
  };
  const std::size_t first = begin - begin % piece;
  const double middle = static_cast<double>(first) + half + 1;
  const double from_start = middle + a, to_end = n - middle + c;
  // A middle beyond the end has no value, and no polynomial either.
  const double at_middle = s == 0 || to_end > 0 ? direct(middle) : 0.0;
  const PiecePolynomial polynomial(at_middle, q, from_start, s, to_end);
  if (polynomial.terms == 0) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = direct(static_cast<double>(begin + i) + 1);
    return;
  }
  const auto horner = [&](const auto& u, auto& value) {
    value.setConstant(polynomial.p[polynomial.terms - 1]);
    for (std::size_t k = polynomial.terms - 1; k-- > 0;) value = value * u + polynomial.p[k];
  };
  if (out.size() == piece) {
    Eigen::Map<Eigen::Array<double, piece, 1>> values(out.data());
    horner(places(), values);
    return;
  }
  Eigen::Map<Eigen::ArrayXd> values(out.data(), static_cast<Eigen::Index>(out.size()));
  horner(places().segment(static_cast<Eigen::Index>(begin - first), values.size()), values);
}

}  // namespace jme
