#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <jme/models/estimate.hpp>

namespace jme::python {

using Array = nanobind::ndarray<nanobind::numpy, double>;
using Counts = nanobind::ndarray<nanobind::numpy, std::int64_t>;

/// An array of numpy that owns its numbers, in row-major order.
template <class Number>
[[nodiscard]] nanobind::ndarray<nanobind::numpy, Number> array_of(std::vector<Number> numbers,
                                                                  std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<Number>(std::move(numbers));
  const nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
  return nanobind::ndarray<nanobind::numpy, Number>(kept->data(), shape, owner);
}

[[nodiscard]] Array array_of(const Eigen::VectorXd& values);
[[nodiscard]] Array array_of(const Eigen::MatrixXd& values);

/// A value and its noise, both as arrays.
[[nodiscard]] nanobind::tuple pair_of(const VectorEstimate& estimate);
[[nodiscard]] nanobind::tuple pair_of(const MatrixEstimate& estimate);
[[nodiscard]] nanobind::tuple pair_of(const Estimate& estimate);

/// Any array of two dimensions as a matrix.
template <class Numbers>
[[nodiscard]] Eigen::MatrixXd matrix_of(const Numbers& a) {
  Eigen::MatrixXd matrix(a.shape(0), a.shape(1));
  for (std::size_t i = 0; i < a.shape(0); ++i) {
    for (std::size_t j = 0; j < a.shape(1); ++j) {
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = a(i, j);
    }
  }
  return matrix;
}

}  // namespace jme::python
