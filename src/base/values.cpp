#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/base/values.hpp>

namespace jme {

Epsilon::Epsilon(double value) : value_(value) {
  if (!(value > 0) || !std::isfinite(value))
    throw InvalidParameter("epsilon", value, "a finite number above 0");
}

Delta::Delta(double value) : value_(value) {
  if (!(value > 0 && value < 1)) throw InvalidParameter("delta", value, "in (0, 1)");
}

NormBound::NormBound(double value) : value_(value) {
  if (!(value > 0) || !std::isfinite(value))
    throw InvalidParameter("norm-bound", value, "a finite number above 0");
}

SecondMoment parse_second(std::string_view text) {
  if (text == "full") return SecondMoment::full;
  if (text == "diagonal") return SecondMoment::diagonal;
  if (text == "none") return SecondMoment::none;
  throw InvalidParameter("second", text, "full, diagonal or none");
}

std::string_view name(SecondMoment second) {
  switch (second) {
    case SecondMoment::none:
      return "none";
    case SecondMoment::diagonal:
      return "diagonal";
    case SecondMoment::full:
      return "full";
  }
  return "full";
}

std::size_t second_moment_size(SecondMoment second, std::size_t dimension) {
  switch (second) {
    case SecondMoment::none:
      return 0;
    case SecondMoment::diagonal:
      return dimension;
    case SecondMoment::full:
      return dimension * (dimension + 1) / 2;
  }
  return 0;
}

}  // namespace jme
