#pragma once

#include <bit>
#include <cstddef>
#include <fstream>
#include <string>

#include <Eigen/Core>
#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme {

/// A .npy file of version 1 with doubles, row by row.
inline void write_npy_matrix(const std::string& path, const Eigen::MatrixXd& matrix) {
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
