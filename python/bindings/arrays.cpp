#include "bindings/arrays.hpp"

namespace nb = nanobind;

namespace jme::python {

Array array_of(const Eigen::VectorXd& values) {
  return array_of(std::vector<double>(values.begin(), values.end()),
                  {static_cast<std::size_t>(values.size())});
}

Array array_of(const Eigen::MatrixXd& values) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::vector<double> numbers(static_cast<std::size_t>(values.size()));
  Eigen::Map<RowMajor>(numbers.data(), values.rows(), values.cols()) = values;
  return array_of(std::move(numbers),
                  {static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols())});
}

nb::tuple pair_of(const VectorEstimate& estimate) {
  return nb::make_tuple(array_of(estimate.value), array_of(estimate.noise_std));
}

nb::tuple pair_of(const MatrixEstimate& estimate) {
  return nb::make_tuple(array_of(estimate.value), array_of(estimate.noise_std));
}

nb::tuple pair_of(const Estimate& estimate) {
  return nb::make_tuple(estimate.value, estimate.noise_std);
}

}  // namespace jme::python
