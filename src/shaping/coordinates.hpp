#pragma once

#include <span>
#include <vector>

#include <jme/shaping/shape.hpp>

namespace jme::shaping {

/// Free coordinates of interlacing poles and zeros below `ceiling`: with y = -log(1 - s / ceiling) for
/// s = pole_0, zero_0, pole_1, ..., the logarithms of the gaps y_0 - y_1, y_1 - y_2, ..., y_last. Every real
/// vector of even length is a valid BLT, so an optimiser needs no barrier and tables may be interpolated.
[[nodiscard]] BltParameters blt_from_coordinates(std::span<const double> x, double ceiling);
[[nodiscard]] std::vector<double> coordinates_of(const BltParameters& parameters, double ceiling);

/// The same followed by log(1 + start_offset), start_power, log(end_offset), end_power.
[[nodiscard]] ScaledBltParameters scaled_blt_from_coordinates(std::span<const double> x, double ceiling);

}  // namespace jme::shaping
