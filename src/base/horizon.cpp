#include <algorithm>

#include <jme/base/errors.hpp>
#include <jme/base/horizon.hpp>

namespace jme {

Horizon::Horizon(std::size_t rows, std::size_t every) : rows_(rows), every_(every) {
  if (rows == 0) throw InvalidParameter("rows", 0, "a whole number of at least 1");
  if (every == 0) throw InvalidParameter("every", 0, "a whole number of at least 1");
}

std::size_t Horizon::rows_in_step(std::size_t step) const {
  return std::min(every_, rows_ - step * every_);
}

std::size_t Horizon::rows_through(std::size_t step) const {
  return std::min((step + 1) * every_, rows_);
}

}  // namespace jme
