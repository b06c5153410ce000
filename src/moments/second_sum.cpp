#include "moments/second_sum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <cblas.h>

#include <jme/moments/block_sum.hpp>

#include "base/packed_triangle.hpp"
#include "moments/blas_threads.hpp"
#include "moments/row_batch.hpp"
#include "moments/tile_kernels.hpp"

namespace jme {
namespace {

constexpr std::size_t largest_panel = 256;
constexpr std::size_t padding = 8;                        // whole vectors are read past the last row
constexpr std::size_t strip = 256;                        // columns that one thread updates
constexpr std::size_t few_columns = 48;                   // up to here dsyrk is not worth its overhead
constexpr std::size_t exact_rows = std::size_t{1} << 13;  // 2^13 products of 2^40 fit below 2^53

double snapped(WideInt products, unsigned unit_bits) {
  return static_cast<double>((products + (WideInt{1} << (unit_bits - 1))) >> unit_bits);
}

}  // namespace

SecondSum::SecondSum(std::size_t dimension, SecondMoment second, std::size_t block_rows, double beta,
                     Rows rows, WorkerPool* pool, unsigned unit_bits)
    : dimension_(dimension),
      size_(second_moment_size(second, dimension)),
      second_(second),
      beta_(beta),
      exact_(beta == 1 && rows == Rows::lattice),
      lattice_(rows == Rows::lattice),
      unit_bits_(unit_bits),
      per_unit_(std::ldexp(1.0, -static_cast<int>(unit_bits))),
      panel_rows_(std::min(block_rows, largest_panel)),
      pool_(pool) {
  panel_.resize(panel_rows_ * dimension_ + padding);
  // A block of one row needs no d x d matrix: its products go straight to the output.
  if (block_rows > 1) {
    sum_.assign((second_ == SecondMoment::full ? dimension_ * dimension_ : dimension_) + padding, 0.0);
  }
}

void SecondSum::add(std::span<const double> row) {
  if (in_panel_ == panel_rows_) flush_panel();
  std::copy(row.begin(), row.end(), panel_.begin() + static_cast<std::ptrdiff_t>(in_panel_ * dimension_));
  ++in_panel_;
}

void SecondSum::add(const RowColumns& columns, std::size_t rows) {
  if (second_ == SecondMoment::full && exact_ && dimension_ <= few_columns) {
    if (in_lanes_ + rows > exact_rows) flush_lanes();
    lanes_.resize(size_ * RowColumns::lanes, 0.0);
    add_products(columns, lanes_.data());
    in_lanes_ += rows;
    return;
  }
  for (std::size_t done = 0; done < rows;) {
    if (in_panel_ == panel_rows_) flush_panel();
    const std::size_t count = std::min(rows - done, panel_rows_ - in_panel_);
    write_rows(columns, done, count, panel_.data() + in_panel_ * dimension_);
    in_panel_ += count;
    done += count;
  }
}

// The lanes of at most exact_rows rows, added up: below 2^53.
void SecondSum::flush_lanes() {
  if (in_lanes_ == 0) return;
  if (in_sum_ + in_lanes_ > exact_rows) spill();
  if (in_sum_ == 0) std::fill(sum_.begin(), sum_.end(), 0.0);
  const double* lanes = lanes_.data();
  for (std::size_t i = 0; i < dimension_; ++i) {
    for (std::size_t j = i; j < dimension_; ++j, lanes += RowColumns::lanes) {
      sum_[i * dimension_ + j] += std::accumulate(lanes, lanes + RowColumns::lanes, 0.0);
    }
  }
  std::fill(lanes_.begin(), lanes_.end(), 0.0);
  in_sum_ += in_lanes_;
  in_lanes_ = 0;
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
    update(carry);
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

// sum <- carry * sum + panel' panel in strips of columns that are the same for any number of threads, so that
// sums of reals have the same bits.
void SecondSum::update(double carry) {
  const OneBlasThread one_thread;
  const std::size_t strips = (dimension_ + strip - 1) / strip;
  // The last strips are the longest: they come first.
  const auto work = [&](std::size_t piece) { update_strip((strips - 1 - piece) * strip, carry); };
  if (pool_ != nullptr) {
    pool_->run(strips, work);
  } else {
    for (std::size_t piece = 0; piece < strips; ++piece) work(piece);
  }
}

void SecondSum::update_strip(std::size_t begin, double carry) {
  const int d = static_cast<int>(dimension_), above = static_cast<int>(begin),
            width = static_cast<int>(std::min(strip, dimension_ - begin)), rows = static_cast<int>(in_panel_);
  const double* columns = panel_.data() + begin;
  double* sums = sum_.data() + begin;
  if (above > 0) {
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, above, width, rows, 1.0, panel_.data(), d, columns,
                d, carry, sums, d);
  }
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, width, rows, 1.0, columns, d, carry,
              sums + begin * dimension_, d);
}

void SecondSum::spill() {
  if (spilled_.empty()) spilled_.assign(size_, 0);
  has_spilled_ = true;
  if (in_sum_ == 0) return;  // sum_ still holds the block before
  std::size_t k = 0;
  for (std::size_t i = 0; i < dimension_; ++i) {
    const std::size_t last = second_ == SecondMoment::full ? dimension_ : i + 1;
    for (std::size_t j = i; j < last; ++j) {
      // Below 2^53, so an int64 has it.
      spilled_[k++] +=
          static_cast<std::int64_t>(second_ == SecondMoment::full ? sum_[i * dimension_ + j] : sum_[i]);
    }
  }
  in_sum_ = 0;
}

void SecondSum::begin_close() {
  single_ = in_sum_ == 0 && in_lanes_ == 0 && in_panel_ == 1 && !has_spilled_;
  if (single_) return;
  flush_lanes();
  flush_panel();
  if (has_spilled_) spill();
}

void SecondSum::end_close() {
  if (has_spilled_) std::fill(spilled_.begin(), spilled_.end(), 0);
  has_spilled_ = single_ = false;
  in_panel_ = in_sum_ = 0;
}

void SecondSum::move_to(std::span<WideInt> products) {
  flush_lanes();
  flush_panel();
  spill();
  for (std::size_t k = 0; k < size_; ++k) products[k] += spilled_[k];
  end_close();
}

void SecondSum::assign(std::span<const WideInt> products) {
  spilled_.resize(products.size());
  std::transform(products.begin(), products.end(), spilled_.begin(),
                 [](WideInt product) { return BlockSum::saturated(product); });
  has_spilled_ = true;
  in_panel_ = in_sum_ = in_lanes_ = 0;
}

void SecondSum::write_full(std::size_t begin, std::size_t count, double* out) const {
  const PackedTriangle triangle{dimension_};
  const std::size_t row = triangle.row_of(begin);
  const TriangleTile tile{
      .dimension = dimension_, .row = row, .column = row + (begin - triangle.diagonal(row)), .count = count};
  if (single_) {
    lattice_ ? write_snapped_products(tile, panel_.data(), per_unit_, out)
             : write_products(tile, panel_.data(), out);
  } else {
    lattice_ ? write_snapped_sums(tile, sum_.data(), per_unit_, out) : write_sums(tile, sum_.data(), out);
  }
}

void SecondSum::write_tile(std::size_t begin, std::size_t count, double* out) const {
  if (has_spilled_) {
    for (std::size_t k = 0; k < count; ++k) out[k] = snapped(spilled_[begin + k], unit_bits_);
    return;
  }
  if (second_ == SecondMoment::full) return write_full(begin, count, out);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = panel_[begin + i];
    const double sum = single_ ? x * x : sum_[begin + i];
    out[i] = lattice_ ? std::floor(sum * per_unit_ + 0.5) : sum;
  }
}

// Rows in a ball have squares that sum to at most 2^40, so that the sums below are whole numbers up to 2^53.
double SecondSum::trace() const {
  const PackedTriangle triangle{dimension_};
  const bool full = second_ == SecondMoment::full;
  if (has_spilled_) {
    WideInt sum = 0;
    for (std::size_t i = 0; i < dimension_; ++i) sum += spilled_[full ? triangle.diagonal(i) : i];
    return snapped(sum, unit_bits_);
  }
  double squares = 0;
  for (std::size_t i = 0; i < dimension_; ++i) {
    squares += single_ ? panel_[i] * panel_[i] : sum_[full ? i * dimension_ + i : i];
  }
  return std::floor(squares * per_unit_ + 0.5);
}

void SecondSum::close(std::span<double> out) {
  begin_close();
  std::vector<double> buffer(size_ + padding);
  write_tile(0, size_, buffer.data());
  std::copy_n(buffer.begin(), size_, out.begin());
  end_close();
}

}  // namespace jme
