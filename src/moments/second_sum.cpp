#include "moments/second_sum.hpp"

#include <algorithm>
#include <cmath>

#include <cblas.h>

namespace jme {
namespace {

constexpr std::size_t largest_panel = 256;
constexpr std::size_t exact_rows = std::size_t{1} << 13;  // 2^13 products of 2^40 fit below 2^53

double snapped(double products) {
  return std::floor(products * 0x1p-20 + 0.5);
}
double snapped(std::int64_t products) {
  return static_cast<double>((products + (std::int64_t{1} << 19)) >> 20);
}

}  // namespace

SecondSum::SecondSum(std::size_t dimension, SecondMoment second, std::size_t block_rows, double beta,
                     Rows rows)
    : dimension_(dimension),
      size_(second_moment_size(second, dimension)),
      second_(second),
      beta_(beta),
      exact_(beta == 1 && rows == Rows::lattice),
      lattice_(rows == Rows::lattice),
      panel_rows_(std::min(block_rows, largest_panel)) {
  panel_.resize(panel_rows_ * dimension_);
  // A block of one row needs no d x d matrix: its products go straight to the output.
  if (panel_rows_ > 1 || block_rows > 1) {
    sum_.assign(second_ == SecondMoment::full ? dimension_ * dimension_ : dimension_, 0.0);
  }
}

void SecondSum::add(std::span<const double> row) {
  if (in_panel_ == panel_rows_) flush_panel();
  std::copy(row.begin(), row.end(), panel_.begin() + static_cast<std::ptrdiff_t>(in_panel_ * dimension_));
  ++in_panel_;
}

void SecondSum::flush_panel() {
  if (in_panel_ == 0) return;
  if (exact_ && in_sum_ + in_panel_ > exact_rows) spill();
  const double carry = in_sum_ == 0 ? 0.0 : std::pow(beta_, static_cast<double>(in_panel_));
  if (beta_ != 1) {
    for (std::size_t j = 0; j < in_panel_; ++j) {
      const double root = std::pow(beta_, 0.5 * static_cast<double>(in_panel_ - 1 - j));
      for (std::size_t i = 0; i < dimension_; ++i) panel_[j * dimension_ + i] *= root;
    }
  }
  if (second_ == SecondMoment::full) {
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, static_cast<int>(dimension_),
                static_cast<int>(in_panel_), 1.0, panel_.data(), static_cast<int>(dimension_), carry,
                sum_.data(), static_cast<int>(dimension_));
  } else {
    for (double& v : sum_) v *= carry;
    for (std::size_t j = 0; j < in_panel_; ++j) {
      const double* row = panel_.data() + j * dimension_;
      for (std::size_t i = 0; i < dimension_; ++i) sum_[i] += row[i] * row[i];
    }
  }
  in_sum_ += in_panel_;
  in_panel_ = 0;
}

void SecondSum::spill() {
  if (spilled_.empty()) spilled_.assign(size_, 0);
  std::size_t k = 0;
  for (std::size_t i = 0; i < dimension_; ++i) {
    const std::size_t last = second_ == SecondMoment::full ? dimension_ : i + 1;
    for (std::size_t j = i; j < last; ++j) {
      spilled_[k++] +=
          static_cast<std::int64_t>(second_ == SecondMoment::full ? sum_[i * dimension_ + j] : sum_[i]);
    }
  }
  has_spilled_ = true;
  in_sum_ = 0;
}

void SecondSum::write_products(std::span<double> out) const {
  const double* row = panel_.data();
  if (second_ == SecondMoment::diagonal) {
    for (std::size_t i = 0; i < dimension_; ++i) out[i] = row[i] * row[i];
    return;
  }
  double* next = out.data();
  for (std::size_t i = 0; i < dimension_; ++i) {
    const double x = row[i];
    for (std::size_t j = i; j < dimension_; ++j) *next++ = x * row[j];
  }
}

void SecondSum::close(std::span<double> out) {
  if (in_sum_ == 0 && in_panel_ == 1 && !has_spilled_) {
    write_products(out);
    in_panel_ = 0;
    if (lattice_) {
      for (double& v : out) v = snapped(v);
    }
    return;
  }
  flush_panel();
  if (has_spilled_) {
    spill();
    std::transform(spilled_.begin(), spilled_.end(), out.begin(), [](std::int64_t v) { return snapped(v); });
    std::fill(spilled_.begin(), spilled_.end(), 0);
    has_spilled_ = false;
    return;
  }
  if (second_ == SecondMoment::full) {
    double* next = out.data();
    for (std::size_t i = 0; i < dimension_; ++i) {
      next = std::copy_n(sum_.data() + i * dimension_ + i, dimension_ - i, next);
    }
  } else {
    std::copy(sum_.begin(), sum_.end(), out.begin());
  }
  if (lattice_) {
    for (double& v : out) v = snapped(v);
  }
  in_sum_ = 0;
}

}  // namespace jme
