#pragma once

#include <string>
#include <string_view>

#include <Eigen/Core>

namespace jme {

/// A 2-dimensional float64/float32/integer .npy file (versions 1-3, either order). Throws
/// InvalidParameter(parameter, ...) where the file is missing, is not .npy, or is not a matrix: a bad matrix
/// is a bad parameter, not bad data.
[[nodiscard]] Eigen::MatrixXd read_npy_matrix(const std::string& path, std::string_view parameter);

}  // namespace jme
