#include <cmath>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/data/npy.hpp>

#include "data/npy_file.hpp"

namespace jme {
namespace {

Eigen::MatrixXd read_matrix(const std::string& path) {
  data::NpyFile file(path);
  if (file.dimensions() != 2) throw DataError(fmt::format("{}: has 1 dimension, must be a matrix", path));
  const std::size_t rows = file.rows(), columns = file.columns();
  const char* const stored = file.take(rows * columns);
  Eigen::MatrixXd matrix(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double value = file.number(stored, file.column_major() ? j * rows + i : i * columns + j);
      if (!std::isfinite(value))
        throw DataError(fmt::format("{}: row {} column {}: not a finite number", path, i + 1, j + 1));
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = value;
    }
  }
  file.expect_end();
  return matrix;
}

}  // namespace

Eigen::MatrixXd read_npy_matrix(const std::string& path, std::string_view parameter) {
  try {
    return read_matrix(path);
  } catch (const DataError& error) {
    throw InvalidParameter(parameter, error.what());
  }
}

}  // namespace jme
