#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace jme::report {

/// Colours for lines that can also be told apart by people who see red, green or blue poorly; tests check
/// this and their contrast with the page. Further series repeat them with another dash.
inline constexpr std::size_t series_colours = 6;
/// Steps of the two heat scales. The diverging one has its neutral colour in the middle.
inline constexpr std::size_t diverging_levels = 21;
inline constexpr std::size_t sequential_levels = 11;

/// A colour by its role, on a light page and on a dark one: "#rrggbb".
struct Colour {
  std::string role;
  std::string light, dark;
};
/// Every role. paper: page and chart background; panel: boxes; ink, soft: text; grid, axis: lines of a chart;
/// s0.. series; t0.. the series' labels; d0.. and q0.. heat scales; e0.. and r0.. text on them.
[[nodiscard]] const std::vector<Colour>& colours();

/// Styles of a page: roles as CSS variables, light, dark and in print, and a class for every use of a role.
[[nodiscard]] std::string page_styles();
/// Styles of a drawing that is a file of its own: the classes in `used`, without variables, which few
/// programs other than browsers understand.
[[nodiscard]] std::string drawing_styles(const std::set<std::string, std::less<>>& used);

/// The names in all class="..." of `markup`.
[[nodiscard]] std::set<std::string, std::less<>> classes_in(std::string_view markup);

}  // namespace jme::report
