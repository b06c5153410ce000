// Highway compiles this file once for every SIMD target and chooses at run time. The baseline is kept too, so
// that tests can compare all of them.
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "moments/tile_kernels.cpp"
#include "moments/tile_kernels.hpp"

#include <algorithm>

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace jme::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Tag>;

/// Sums of products of lattice rows are whole numbers below 2^53: the scaling and the sum are exact.
template <bool snap>
HWY_INLINE Vec Finished(Tag d, Vec products, [[maybe_unused]] Vec per_unit) {
  if constexpr (snap) {
    return hn::Floor(hn::Add(hn::Mul(products, per_unit), hn::Set(d, 0.5)));
  } else {
    return products;
  }
}

template <bool snap>
HWY_INLINE void Products(const TriangleTile& tile, const double* x, double per_unit, double* out) {
  const Tag d;
  const Vec scale = hn::Set(d, per_unit);
  std::size_t row = tile.row, column = tile.column, left = tile.count;
  while (left > 0) {
    // Where a row's last vector writes beyond its end, the next row overwrites it.
    const std::size_t length = std::min(tile.dimension - column, left);
    const Vec factor = hn::Set(d, x[row]);
    for (std::size_t i = 0; i < length; i += hn::Lanes(d)) {
      hn::StoreU(Finished<snap>(d, hn::Mul(factor, hn::LoadU(d, x + column + i)), scale), d, out + i);
    }
    out += length;
    left -= length;
    column = ++row;
  }
}

template <bool snap>
HWY_INLINE void Sums(const TriangleTile& tile, const double* sums, double per_unit, double* out) {
  const Tag d;
  const Vec scale = hn::Set(d, per_unit);
  std::size_t row = tile.row, column = tile.column, left = tile.count;
  while (left > 0) {
    const std::size_t length = std::min(tile.dimension - column, left);
    const double* from = sums + row * tile.dimension + column;
    for (std::size_t i = 0; i < length; i += hn::Lanes(d)) {
      hn::StoreU(Finished<snap>(d, hn::LoadU(d, from + i), scale), d, out + i);
    }
    out += length;
    left -= length;
    column = ++row;
  }
}

void WriteProducts(const TriangleTile& tile, const double* x, double* out) {
  Products<false>(tile, x, 1, out);
}
void WriteSnappedProducts(const TriangleTile& tile, const double* x, double per_unit, double* out) {
  Products<true>(tile, x, per_unit, out);
}
void WriteSums(const TriangleTile& tile, const double* sums, double* out) {
  Sums<false>(tile, sums, 1, out);
}
void WriteSnappedSums(const TriangleTile& tile, const double* sums, double per_unit, double* out) {
  Sums<true>(tile, sums, per_unit, out);
}

}  // namespace jme::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jme {

HWY_EXPORT(WriteProducts);
HWY_EXPORT(WriteSnappedProducts);
HWY_EXPORT(WriteSums);
HWY_EXPORT(WriteSnappedSums);

void write_products(const TriangleTile& tile, const double* x, double* out) {
  HWY_DYNAMIC_DISPATCH(WriteProducts)(tile, x, out);
}
void write_snapped_products(const TriangleTile& tile, const double* x, double per_unit, double* out) {
  HWY_DYNAMIC_DISPATCH(WriteSnappedProducts)(tile, x, per_unit, out);
}
void write_sums(const TriangleTile& tile, const double* sums, double* out) {
  HWY_DYNAMIC_DISPATCH(WriteSums)(tile, sums, out);
}
void write_snapped_sums(const TriangleTile& tile, const double* sums, double per_unit, double* out) {
  HWY_DYNAMIC_DISPATCH(WriteSnappedSums)(tile, sums, per_unit, out);
}

}  // namespace jme
#endif
