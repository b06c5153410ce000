#include "report/theme.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace jme::report {

namespace {

using Rgb = std::array<int, 3>;

constexpr Rgb rgb(unsigned hex) {
  return {static_cast<int>(hex >> 16 & 0xFF), static_cast<int>(hex >> 8 & 0xFF),
          static_cast<int>(hex & 0xFF)};
}

std::string hex(const Rgb& c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
}

/// Relative luminance of WCAG 2.1.
double luminance(const Rgb& c) {
  const auto linear = [](int channel) {
    const double v = channel / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
}

/// Black or white, whichever is easier to read on `background`.
std::string readable_on(const Rgb& background) {
  const double l = luminance(background);
  return (l + 0.05) / 0.05 >= 1.05 / (l + 0.05) ? "#000000" : "#ffffff";
}

/// Level `level` of `levels` on the way through the anchors, in whole numbers so that it is the same
/// anywhere.
template <std::size_t N>
Rgb between(const std::array<unsigned, N>& anchors, std::size_t level, std::size_t levels) {
  const std::size_t position = level * (N - 1);
  const std::size_t whole = std::min(position / (levels - 1), N - 2);
  const auto part = static_cast<int>(position - whole * (levels - 1));
  const auto parts = static_cast<int>(levels - 1);
  const Rgb from = rgb(anchors[whole]), to = rgb(anchors[whole + 1]);
  Rgb result{};
  for (std::size_t i = 0; i < 3; ++i)
    result[i] = (from[i] * (parts - part) + to[i] * part + parts / 2) / parts;
  return result;
}

// Blue below, orange above: the two stay apart in every common kind of colour blindness.
constexpr std::array<unsigned, 5> diverging_light{0x0B4A8F, 0x74AEDF, 0xF3F2EF, 0xF0A066, 0xA3380A};
constexpr std::array<unsigned, 5> diverging_dark{0x8AC6FF, 0x2F6FAE, 0x242A31, 0xB4571F, 0xFFAE78};
constexpr std::array<unsigned, 3> sequential_light{0xF1F6FA, 0x6AA5D4, 0x0A3A70};
constexpr std::array<unsigned, 3> sequential_dark{0x20272E, 0x2F6FAE, 0xA9D8FF};

template <std::size_t N>
void add_scale(std::vector<Colour>& all, const char* cell, const char* words, std::size_t levels,
               const std::array<unsigned, N>& light, const std::array<unsigned, N>& dark) {
  for (std::size_t i = 0; i < levels; ++i) {
    const Rgb a = between(light, i, levels), b = between(dark, i, levels);
    all.push_back({fmt::format("{}{}", cell, i), hex(a), hex(b)});
    all.push_back({fmt::format("{}{}", words, i), readable_on(a), readable_on(b)});
  }
}

std::vector<Colour> make_colours() {
  std::vector<Colour> all{
      {"paper", "#ffffff", "#14181d"}, {"panel", "#f5f6f8", "#1b2127"}, {"ink", "#1b1f24", "#e8ebef"},
      {"soft", "#59616b", "#a3adb8"},  {"grid", "#e3e6ea", "#2c343c"},  {"axis", "#7f8791", "#79838e"},
      {"link", "#0a5cb8", "#7ab8ff"},  {"alarm", "#a02a00", "#ffb08a"}, {"alarm-panel", "#fdeee6", "#3a1f12"},
      {"s0", "#0a67cd", "#4aa0ff"},    {"s1", "#cb4308", "#f0763a"},    {"s2", "#2a9d78", "#5fe0b8"},
      {"s3", "#9d3e9b", "#b268c4"},    {"s4", "#bd8a00", "#f2d35a"},    {"s5", "#545a61", "#9198a1"},
      {"t0", "#0a5cb8", "#6db2ff"},    {"t1", "#b33a05", "#f58a55"},    {"t2", "#1b7456", "#5fe0b8"},
      {"t3", "#8f338d", "#cf90dd"},    {"t4", "#856100", "#f2d35a"},    {"t5", "#4a4f56", "#aab1b9"}};
  add_scale(all, "d", "e", diverging_levels, diverging_light, diverging_dark);
  add_scale(all, "q", "r", sequential_levels, sequential_light, sequential_dark);
  return all;
}

/// A class that paints with a role.
struct Use {
  std::string name, property, role;
};

const std::vector<Use>& uses() {
  static const std::vector<Use> all = [] {
    std::vector<Use> made{{"paper", "fill", "paper"}, {"ink", "fill", "ink"},     {"soft", "fill", "soft"},
                          {"grid", "stroke", "grid"}, {"axis", "stroke", "axis"}, {"rule", "stroke", "soft"},
                          {"pen", "stroke", "ink"},   {"halo", "stroke", "paper"}};
    for (std::size_t i = 0; i < series_colours; ++i) {
      made.push_back({fmt::format("s{}", i), "stroke", fmt::format("s{}", i)});
      made.push_back({fmt::format("f{}", i), "fill", fmt::format("s{}", i)});
      made.push_back({fmt::format("t{}", i), "fill", fmt::format("t{}", i)});
    }
    for (const Colour& colour : colours()) {
      const bool heat = std::string_view("deqr").find(colour.role[0]) != std::string_view::npos;
      if (heat && colour.role.find_first_not_of("0123456789", 1) == std::string::npos) {
        made.push_back({colour.role, "fill", colour.role});
      }
    }
    return made;
  }();
  return all;
}

/// Classes that are the same on every page.
struct Form {
  std::string name, declarations;
};
const std::array<Form, 7> forms{
    {{"line", "fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round"},
     {"thin", "fill:none;stroke-width:1"},
     {"dash", "stroke-dasharray:6 4"},
     {"dots", "stroke-dasharray:1.5 4"},
     {"band", "fill-opacity:.22;stroke:none"},
     {"bold", "font-weight:600"},
     {"halo", "paint-order:stroke;stroke-width:3.5px;stroke-linejoin:round"}}};

std::string variables(bool dark) {
  std::string result;
  for (const Colour& colour : colours()) {
    result += fmt::format("--{}:{};", colour.role, dark ? colour.dark : colour.light);
  }
  return result;
}

const Colour& colour_of(const std::string& role) {
  return *std::find_if(colours().begin(), colours().end(), [&](const Colour& c) { return c.role == role; });
}

}  // namespace

const std::vector<Colour>& colours() {
  static const std::vector<Colour> all = make_colours();
  return all;
}

std::string page_styles() {
  std::string result = fmt::format(
      ":root{{{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n@media print{{:root{{{}}}}}\n",
      variables(false), variables(true), variables(false));
  for (const Use& use : uses()) {
    result += fmt::format(".chart .{}{{{}:var(--{})}}\n", use.name, use.property, use.role);
  }
  for (const Form& form : forms) result += fmt::format(".chart .{}{{{}}}\n", form.name, form.declarations);
  return result;
}

std::string drawing_styles(const std::set<std::string, std::less<>>& used) {
  std::string light, dark, fixed;
  for (const Use& use : uses()) {
    if (!used.contains(use.name)) continue;
    const Colour& colour = colour_of(use.role);
    light += fmt::format(".{}{{{}:{}}}", use.name, use.property, colour.light);
    dark += fmt::format(".{}{{{}:{}}}", use.name, use.property, colour.dark);
  }
  for (const Form& form : forms) {
    if (used.contains(form.name)) fixed += fmt::format(".{}{{{}}}", form.name, form.declarations);
  }
  return fmt::format("{}\n{}\n@media screen and (prefers-color-scheme:dark){{{}}}\n", fixed, light, dark);
}

std::set<std::string, std::less<>> classes_in(std::string_view markup) {
  std::set<std::string, std::less<>> names;
  const std::string_view opening = "class=\"";
  for (std::size_t at = markup.find(opening); at != std::string_view::npos; at = markup.find(opening, at)) {
    at += opening.size();
    const std::size_t end = markup.find('"', at);
    while (at < end) {
      const std::size_t stop = std::min(markup.find(' ', at), end);
      names.emplace(markup.substr(at, stop - at));
      at = stop < end ? stop + 1 : end;
    }
  }
  return names;
}

}  // namespace jme::report
