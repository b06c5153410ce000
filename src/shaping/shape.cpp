#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/shaping/shape.hpp>

#include "shaping/blt.hpp"

namespace jme {
namespace {

std::size_t checked_order(std::size_t order, std::size_t most, std::string_view parameter,
                          std::string_view rule) {
  if (order < 1 || order > most) throw InvalidParameter(parameter, static_cast<double>(order), rule);
  return order;
}

/// The number after the colon of "banded:16" or "banded:1e3".
std::size_t parse_order(std::string_view text, std::string_view digits, std::string_view parameter) {
  const auto complain = [&] {
    throw InvalidParameter(parameter, text, "NAME:NUMBER with a whole number of at least 1, like banded:16");
  };
  const char* last = digits.data() + digits.size();
  std::size_t order = 0;
  if (const auto [end, error] = std::from_chars(digits.data(), last, order);
      error != std::errc() || end != last) {
    // Scientific notation, where it is exact.
    double real = 0;
    const auto [real_end, real_error] =
        std::from_chars(digits.data(), last, real, std::chars_format::scientific);
    if (real_error != std::errc() || real_end != last || !(real >= 1 && real < 0x1p53) ||
        real != std::floor(real)) {
      complain();
    }
    order = static_cast<std::size_t>(real);
  }
  if (order < 1) complain();
  return order;
}

}  // namespace

Shape Shape::parse(std::string_view text, std::string_view parameter) {
  if (text == "auto") return automatic();
  if (text == "identity") return identity();
  if (text == "sqrt") return square_root();
  if (text == "dense") return dense();
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view kind = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    if (kind == "banded") return banded(parse_order(text, digits, parameter));
    if (kind == "banded-inverse") return banded_inverse(parse_order(text, digits, parameter));
    constexpr std::string_view for_prefix = ":prefix";
    if (kind == "scaled-blt" && digits.ends_with(for_prefix)) {
      const std::size_t buffers =
          parse_order(text, digits.substr(0, digits.size() - for_prefix.size()), parameter);
      if (buffers > max_buffers) throw InvalidParameter(parameter, text, "NAME:P with P buffers, 1 to 6");
      return scaled_blt_for_prefix(buffers);
    }
    if (kind == "blt" || kind == "scaled-blt") {
      const std::size_t buffers = parse_order(text, digits, parameter);
      if (buffers > max_buffers) throw InvalidParameter(parameter, text, "NAME:P with P buffers, 1 to 6");
      return kind == "blt" ? blt(buffers) : scaled_blt(buffers);
    }
  }
  throw InvalidParameter(
      parameter, text,
      "auto, identity, sqrt, banded:B, banded-inverse:B, blt:P, scaled-blt:P, dense or @FILE.npy");
}

Shape Shape::automatic() {
  return Shape(Kind::automatic);
}

Shape Shape::identity() {
  return Shape(Kind::identity);
}

Shape Shape::square_root() {
  return Shape(Kind::square_root);
}

Shape Shape::banded(std::size_t width) {
  return Shape(Kind::banded, checked_order(width, width, "shape", "banded:B with B at least 1"));
}

Shape Shape::banded_inverse(std::size_t width) {
  return Shape(Kind::banded_inverse,
               checked_order(width, width, "shape", "banded-inverse:B with B at least 1"));
}

Shape Shape::blt(std::size_t buffers) {
  return Shape(Kind::blt, checked_order(buffers, max_buffers, "shape", "1 to 6 buffers"));
}

Shape Shape::blt(BltParameters parameters) {
  shaping::check_interlacing(parameters);
  Shape shape(Kind::blt, parameters.poles.size());
  shape.blt_ = {.blt = std::move(parameters)};
  return shape;
}

Shape Shape::scaled_blt(std::size_t buffers) {
  return Shape(Kind::scaled_blt, checked_order(buffers, max_buffers, "shape", "1 to 6 buffers"));
}

Shape Shape::scaled_blt_for_prefix(std::size_t buffers) {
  Shape shape = scaled_blt(buffers);
  shape.for_prefix_ = true;
  return shape;
}

Shape Shape::scaled_blt(ScaledBltParameters parameters) {
  shaping::check_interlacing(parameters.blt);
  Shape shape(Kind::scaled_blt, parameters.blt.poles.size());
  shape.blt_ = std::move(parameters);
  return shape;
}

Shape Shape::dense() {
  return Shape(Kind::dense);
}

Shape Shape::custom(Eigen::MatrixXd matrix, std::string name) {
  Shape shape(Kind::custom);
  shape.matrix_ = std::move(matrix);
  shape.name_ = std::move(name);
  return shape;
}

std::string Shape::name() const {
  const std::string order = std::to_string(order_);
  switch (kind_) {
    case Kind::automatic:
      return "auto";
    case Kind::identity:
      return "identity";
    case Kind::square_root:
      return "sqrt";
    case Kind::banded:
      return "banded:" + order;
    case Kind::banded_inverse:
      return "banded-inverse:" + order;
    case Kind::blt:
      return "blt:" + order;
    case Kind::scaled_blt:
      return "scaled-blt:" + order + (for_prefix_ ? ":prefix" : "");
    case Kind::dense:
      return "dense";
    case Kind::custom:
      break;
  }
  return name_;
}

}  // namespace jme
