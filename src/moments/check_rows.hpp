#pragma once

#include <cstddef>
#include <cstdint>

#include <jme/base/matrix_view.hpp>

namespace jme {

/// Throws DataError, which names the first row and column, unless all rows have `dimension` finite values, or
/// NaN where `allow_nan` is true.
/// `before`: rows that came before these. Its row() is none where the width is wrong, since that is every
/// row's.
void check_rows(const MatrixView& rows, std::size_t dimension, bool allow_nan, std::uint64_t before = 0);

}  // namespace jme
