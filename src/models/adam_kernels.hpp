#pragma once

#include <cstddef>

namespace jme {

/// One step of Adam on a stretch of coordinates, with the public numbers of this step.
struct AdamKernel {
  float beta_first, beta_second;
  float gradient_scale;                 ///< m takes in this times the noisy sum
  float square_scale;                   ///< v takes in this times the noisy squares
  float square_offset;                  ///< and this in addition (pp-debiased)
  bool squares_sum;                     ///< squares are those of the scaled noisy sum (pp)
  float correct_first, correct_second;  ///< 1 / (1 - beta^t)
  float least_square, epsilon;
  float update_bound;  ///< infinity where there is none
  float step, shrink;  ///< parameters <- shrink * parameters - step * update
};

/// Updates m and v; then the parameters, unless `parameters` is null. Any count.
void adam_tile(const AdamKernel& kernel, const double* sums, const double* squares, float* first,
               float* second, float* parameters, std::size_t count);
/// Sum of the squares of the update that m and v give.
double squared_update(const AdamKernel& kernel, const float* first, const float* second, std::size_t count);
/// parameters <- shrink * parameters - step * update, from m and v as they are.
void apply_update(const AdamKernel& kernel, const float* first, const float* second, float* parameters,
                  std::size_t count);
/// Floats as doubles.
void widen(const float* values, double* to, std::size_t count);
/// Sum of squares; not finite where any of them is not.
double squared_length(const float* values, std::size_t count);

}  // namespace jme
