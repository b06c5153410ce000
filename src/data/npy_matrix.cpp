#include <bit>
#include <cmath>
#include <fstream>

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

void write_npy_matrix(const std::string& path, const Eigen::MatrixXd& matrix) {
  constexpr std::size_t alignment = 64, preamble = 10;  // the data start at a multiple of 64
  std::string header =
      fmt::format("{{'descr': '{}f8', 'fortran_order': False, 'shape': ({}, {}), }}",
                  std::endian::native == std::endian::little ? '<' : '>', matrix.rows(), matrix.cols());
  const std::size_t length =
      (preamble + header.size() + 1 + alignment - 1) / alignment * alignment - preamble;
  header.resize(length - 1, ' ');
  header.push_back('\n');

  std::ofstream out(path, std::ios::binary);
  out.write("\x93NUMPY\x01\x00", 8);
  out.put(static_cast<char>(length & 0xff)).put(static_cast<char>(length >> 8));
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows = matrix;
  out.write(reinterpret_cast<const char*>(by_rows.data()),
            static_cast<std::streamsize>(static_cast<std::size_t>(by_rows.size()) * sizeof(double)));
  out.close();
  if (!out) throw Error(fmt::format("{}: cannot be written", path));
}

}  // namespace jme
