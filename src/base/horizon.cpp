#include <algorithm>

#include <jme/base/errors.hpp>
#include <jme/base/horizon.hpp>

namespace jme {

Horizon::Horizon(std::size_t rows, std::size_t every) : rows_(rows), every_(every) {
  if (rows == 0) throw InvalidParameter("rows", 0, "a whole number of at least 1");
  if (every == 0) throw InvalidParameter("every", 0, "a whole number of at least 1");
  // Noise is exact up to this many steps (noise room). The other reason is memory for a few numbers per step.
  if (steps() > most_steps) {
    throw InvalidParameter("steps", static_cast<double>(steps()),
                           "at most 67108864 (2^26) steps: a larger every makes fewer of the same rows");
  }
}

Horizon Horizon::unbounded(std::size_t every, bool by_row) {
  if (every == 0 || every > most_steps) {
    throw InvalidParameter("every", static_cast<double>(every), "a whole number from 1 to 67108864");
  }
  Horizon horizon(by_row ? most_steps : most_steps * every, every);
  horizon.unbounded_ = true;
  return horizon;
}

Horizon Horizon::of_slots() const {
  if (every_ != 1) throw InvalidParameter("every", static_cast<double>(every_), "1 where steps are slots");
  Horizon horizon = *this;
  horizon.slots_ = true;
  return horizon;
}

Horizon Horizon::by_row() const {
  Horizon horizon(rows_, 1);
  horizon.unbounded_ = unbounded_;
  return horizon;
}

std::size_t Horizon::rows_in_step(std::size_t step) const {
  return std::min(every_, rows_ - step * every_);
}

std::size_t Horizon::rows_through(std::size_t step) const {
  return std::min((step + 1) * every_, rows_);
}

}  // namespace jme
