// Highway compiles this file once for every SIMD target and chooses at run time. The baseline is kept too, so
// that tests can compare all of them.
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "moments/row_kernels.cpp"
#include "moments/row_kernels.hpp"

#include <cmath>
#include <limits>

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, RowColumns::lanes>;
using Vec = hn::Vec<Tag>;

constexpr double kNotDone = 0x1p60;                           // as a square: too long
constexpr double kLeastSafe = 0x1p-400, kMostSafe = 0x1p400;  // of has_safe_squares

/// True where all of `count` numbers in a row are finite, or NaN where that is allowed.
bool AllGood(const double* values, std::size_t count, bool allow_nan) {
  const Tag d;
  const Vec largest = hn::Set(d, std::numeric_limits<double>::max());
  auto good = hn::Eq(largest, largest);
  std::size_t i = 0;
  // A comparison with NaN is false.
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const Vec length = hn::Abs(hn::LoadU(d, values + i));
    good = hn::And(good, allow_nan ? hn::Not(hn::Gt(length, largest)) : hn::Le(length, largest));
  }
  bool all = hn::AllTrue(d, good);
  for (; i < count; ++i) all = all && (allow_nan ? !std::isinf(values[i]) : std::isfinite(values[i]));
  return all;
}

// The operations of clip_and_snap, in the same order, with each row in its own lane.
void ClipAndSnapColumns(double norm_bound, const RowColumns& columns, double* HWY_RESTRICT squares) {
  const Tag d;
  const std::size_t stride = columns.rows;
  const Vec bound = hn::Set(d, norm_bound), one = hn::Set(d, 1.0), half = hn::Set(d, 0.5);
  for (std::size_t r = 0; r < columns.rows; r += hn::Lanes(d)) {
    double* HWY_RESTRICT entry = columns.values + r;
    Vec largest = hn::Zero(d), square = hn::Zero(d);
    for (std::size_t j = 0; j < columns.dimension; ++j) {
      const Vec v = hn::LoadU(d, entry + j * stride);
      largest = hn::Max(largest, hn::Abs(v));
      square = hn::Add(square, hn::Mul(v, v));
    }
    // Rows of zeros are safe as they are.
    const auto safe =
        hn::Or(hn::And(hn::Gt(largest, hn::Set(d, kLeastSafe)), hn::Lt(largest, hn::Set(d, kMostSafe))),
               hn::Eq(largest, hn::Zero(d)));
    const Vec limit = hn::Div(bound, hn::Sqrt(square));
    const Vec scale = hn::Mul(hn::Div(hn::Min(one, limit), bound), hn::Set(d, 0x1p20));
    square = hn::Zero(d);
    for (std::size_t j = 0; j < columns.dimension; ++j) {
      const Vec v = hn::Floor(hn::Add(hn::Mul(hn::LoadU(d, entry + j * stride), scale), half));
      square = hn::Add(square, hn::Mul(v, v));
      hn::StoreU(v, d, entry + j * stride);
    }
    hn::StoreU(hn::IfThenElse(safe, square, hn::Set(d, kNotDone)), d, squares + r);
  }
}

void ClampAndSnapColumns(const RowColumns& columns, double* HWY_RESTRICT squares) {
  const Tag d;
  const std::size_t stride = columns.rows;
  const Vec one = hn::Set(d, 1.0), half = hn::Set(d, 0.5), unit = hn::Set(d, 0x1p20);
  for (std::size_t r = 0; r < columns.rows; r += hn::Lanes(d)) {
    double* HWY_RESTRICT entry = columns.values + r;
    Vec square = hn::Zero(d);
    for (std::size_t j = 0; j < columns.dimension; ++j) {
      const Vec v = hn::Min(hn::Max(hn::LoadU(d, entry + j * stride), hn::Neg(one)), one);
      const Vec snapped = hn::Floor(hn::Add(hn::Mul(v, unit), half));
      square = hn::Add(square, hn::Mul(snapped, snapped));
      hn::StoreU(snapped, d, entry + j * stride);
    }
    hn::StoreU(square, d, squares + r);
  }
}

void TakeOutAbsent(const RowColumns& columns, double* HWY_RESTRICT cells, double* HWY_RESTRICT exist) {
  const Tag d;
  const std::size_t stride = columns.rows;
  const Vec unit = hn::Set(d, 0x1p20), zero = hn::Zero(d);
  for (std::size_t r = 0; r < columns.rows; r += hn::Lanes(d)) {
    double* HWY_RESTRICT entry = columns.values + r;
    auto any = hn::Lt(zero, zero), all = hn::Eq(zero, zero);
    for (std::size_t j = 0; j < columns.dimension; ++j) {
      const Vec v = hn::LoadU(d, entry + j * stride);
      const auto present = hn::Eq(v, v);  // NaN is not
      any = hn::Or(any, present);
      all = hn::And(all, present);
      if (cells != nullptr) hn::StoreU(hn::IfThenElse(present, unit, zero), d, cells + r + j * stride);
      hn::StoreU(hn::IfThenElse(present, v, zero), d, entry + j * stride);
    }
    const auto there = cells != nullptr ? any : all;
    if (exist != nullptr) hn::StoreU(hn::IfThenElse(there, unit, zero), d, exist + r);
    if (cells != nullptr || hn::AllTrue(d, all)) continue;
    for (std::size_t j = 0; j < columns.dimension; ++j) {
      hn::StoreU(hn::IfThenElse(all, hn::LoadU(d, entry + j * stride), zero), d, entry + j * stride);
    }
  }
}

void AddColumns(const RowColumns& columns, double* HWY_RESTRICT sums) {
  const Tag d;
  for (std::size_t j = 0; j < columns.dimension; ++j) {
    for (std::size_t lane = 0; lane < RowColumns::lanes; lane += hn::Lanes(d)) {
      Vec sum = hn::LoadU(d, sums + j * RowColumns::lanes + lane);
      for (std::size_t r = lane; r < columns.rows; r += RowColumns::lanes) {
        sum = hn::Add(sum, hn::LoadU(d, columns.values + j * columns.rows + r));
      }
      hn::StoreU(sum, d, sums + j * RowColumns::lanes + lane);
    }
  }
}

/// `count` columns from `right` on, each times `left`; sums of whole numbers below 2^53, so that fusing
/// changes nothing. Several columns at a time do not wait for each other.
#if !HWY_HAVE_SCALABLE  // where vectors cannot be elements of arrays
template <std::size_t count>
HWY_INLINE void AddProductsOf(const double* left, const double* right, std::size_t rows, double* sums) {
  const Tag d;
  for (std::size_t lane = 0; lane < RowColumns::lanes; lane += hn::Lanes(d)) {
    Vec sum[count];
    for (std::size_t c = 0; c < count; ++c) sum[c] = hn::LoadU(d, sums + c * RowColumns::lanes + lane);
    for (std::size_t r = lane; r < rows; r += RowColumns::lanes) {
      const Vec factor = hn::LoadU(d, left + r);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < count; ++c) {
        sum[c] = hn::MulAdd(factor, hn::LoadU(d, right + c * rows + r), sum[c]);
      }
    }
    for (std::size_t c = 0; c < count; ++c) hn::StoreU(sum[c], d, sums + c * RowColumns::lanes + lane);
  }
}

#endif

void AddProducts(const RowColumns& columns, double* sums) {
#if HWY_HAVE_SCALABLE
  const Tag d;
  for (std::size_t i = 0; i < columns.dimension; ++i) {
    for (std::size_t j = i; j < columns.dimension; ++j, sums += RowColumns::lanes) {
      for (std::size_t lane = 0; lane < RowColumns::lanes; lane += hn::Lanes(d)) {
        Vec sum = hn::LoadU(d, sums + lane);
        for (std::size_t r = lane; r < columns.rows; r += RowColumns::lanes) {
          sum = hn::MulAdd(hn::LoadU(d, columns.values + i * columns.rows + r),
                           hn::LoadU(d, columns.values + j * columns.rows + r), sum);
        }
        hn::StoreU(sum, d, sums + lane);
      }
    }
  }
#else
  const std::size_t dimension = columns.dimension, rows = columns.rows;
  for (std::size_t i = 0; i < dimension; ++i) {
    const double* left = columns.values + i * rows;
    std::size_t j = i;
    for (; j + 4 <= dimension; j += 4, sums += 4 * RowColumns::lanes) {
      AddProductsOf<4>(left, columns.values + j * rows, rows, sums);
    }
    for (; j < dimension; ++j, sums += RowColumns::lanes) {
      AddProductsOf<1>(left, columns.values + j * rows, rows, sums);
    }
  }
#endif
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme {

HWY_EXPORT(AllGood);
HWY_EXPORT(ClipAndSnapColumns);
HWY_EXPORT(ClampAndSnapColumns);
HWY_EXPORT(TakeOutAbsent);
HWY_EXPORT(AddColumns);
HWY_EXPORT(AddProducts);

NotFinite first_not_finite(const MatrixView& view, bool allow_nan) {
  // Numbers that lie side by side, whether the matrix is row-major or column-major.
  const bool by_row = view.column_stride == 1, by_column = view.row_stride == 1;
  const auto all_good = [&](const double* values, std::size_t count) {
    return HWY_DYNAMIC_DISPATCH(AllGood)(values, count, allow_nan);
  };
  const NotFinite none{.row = view.rows, .column = 0};
  if (by_row && view.row_stride == static_cast<std::ptrdiff_t>(view.columns)) {
    if (all_good(view.data, view.rows * view.columns)) return none;
  } else if (by_column) {
    std::size_t column = 0;
    while (column < view.columns &&
           all_good(&view.data[static_cast<std::ptrdiff_t>(column) * view.column_stride], view.rows)) {
      ++column;
    }
    if (column == view.columns) return none;
  }
  for (std::size_t row = 0; row < view.rows; ++row) {
    if (by_row && all_good(&view.data[static_cast<std::ptrdiff_t>(row) * view.row_stride], view.columns))
      continue;
    for (std::size_t column = 0; column < view.columns; ++column) {
      const double value = view.at(row, column);
      if (!std::isfinite(value) && !(allow_nan && std::isnan(value))) return {.row = row, .column = column};
    }
  }
  return none;
}

void clip_and_snap_columns(double norm_bound, const RowColumns& columns, double* squares) {
  HWY_DYNAMIC_DISPATCH(ClipAndSnapColumns)(norm_bound, columns, squares);
}
void clamp_and_snap_columns(const RowColumns& columns, double* squares) {
  HWY_DYNAMIC_DISPATCH(ClampAndSnapColumns)(columns, squares);
}
void take_out_absent(const RowColumns& columns, double* cells, double* exist) {
  HWY_DYNAMIC_DISPATCH(TakeOutAbsent)(columns, cells, exist);
}
void add_columns(const RowColumns& columns, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddColumns)(columns, sums);
}
void add_products(const RowColumns& columns, double* sums) {
  HWY_DYNAMIC_DISPATCH(AddProducts)(columns, sums);
}

}  // namespace jme
#endif
