#pragma once

#include <memory>
#include <span>

#include "filter/error_norm_stream.hpp"

namespace jme {

/// Norms step by step; `last` leaves the state as it is.
class ErrorNormStream::Recursion {
 public:
  /// Null where A or C has too many states.
  static std::unique_ptr<Recursion> of(const Filter& a, const Filter& c);

  Recursion() = default;
  Recursion(const Recursion&) = delete;
  Recursion& operator=(const Recursion&) = delete;
  virtual ~Recursion() = default;
  virtual void next(std::span<double> out) = 0;
  [[nodiscard]] virtual double last(const LastStep& last) = 0;
};

}  // namespace jme
