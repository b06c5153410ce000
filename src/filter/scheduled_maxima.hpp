#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jme/filter/filter.hpp>

namespace jme {

/// max over j >= lag of m_{j-lag} d_j U_lag(j) for one lag after another, with U_lag as in
/// scheduled_products.hpp, d the columns' schedule (positive) and m_i = max over k <= i of d_k.
///
/// From lag K = taps.size() on U_lag(j) = sum_a p_a^(lag-K) H_a(j) with H_a the same for all lags. Over a
/// stretch of columns each factor is at most its maximum there, so that a tree of maxima finds the largest
/// product by examining a small part of all columns: those where the bound of their stretch is above what was
/// found. (For lags below K, and series with a negative pole, every column is examined.)
class ScheduledMaxima {
 public:
  ScheduledMaxima(const Toeplitz& series, std::span<const double> squared_rows, std::vector<double> columns);

  /// Rounded up. It is quick where the lags come in ascending order.
  [[nodiscard]] double at(std::size_t lag);

 private:
  struct Search;
  [[nodiscard]] double product(std::size_t j) const;
  void look(std::size_t node, std::size_t begin, std::size_t end, Search& search) const;
  [[nodiscard]] double bound(std::size_t node, std::size_t end, const Search& search) const;
  [[nodiscard]] double scan(std::size_t lag) const;

  Toeplitz series_;
  std::vector<double> squared_rows_, columns_, earlier_;
  bool poles_are_positive_;
  std::size_t leaves_;                 // of the tree, a power of 2
  std::vector<double> largest_;        // of d_j H_a(j) under every node, mode by mode; leaves last
  std::vector<double> values_;         // d_j H_a(j)
  std::vector<double> powers_;         // p_a^(lag-K) of the present lag
  std::size_t best_ = 0, before_ = 0;  // where the lag before had its maximum, and that lag
};

}  // namespace jme
