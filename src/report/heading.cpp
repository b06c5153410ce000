#include "report/panel.hpp"
#include "report/series_paths.hpp"
#include "report/unicode.hpp"

namespace jme::report {

namespace {

constexpr double title_size = 13.5;
constexpr std::size_t most_title_lines = 3;
constexpr double row_height = 18;
constexpr double swatch = 20;
constexpr double entry_gap = 16;

}  // namespace

Heading::Heading(const std::string& title, double width)
    // Bold letters are wider than the estimate.
    : lines_(wrapped(title, title_size, width / 1.12, most_title_lines)) {}

void Heading::draw(Canvas& canvas, Point corner) const {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    canvas.text({corner.x, corner.y + static_cast<double>(i) * line_height + 13}, lines_[i],
                {.style = "ink bold", .size = title_size});
  }
}

Legend::Legend(std::span<const Series> series, double width) : series_(series) {
  Point at{0, 0};
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].name.empty()) continue;
    const std::string name = elided(series[i].name, name_size, width - swatch - 6);
    const double needed = swatch + 6 + text_width(name, name_size);
    if (at.x > 0 && at.x + needed > width) at = {0, at.y + row_height};
    entries_.push_back({.index = i, .name = name, .at = at});
    at.x += needed + entry_gap;
  }
}

double Legend::height() const {
  return entries_.empty() ? 0 : entries_.back().at.y + row_height + 2;
}

void Legend::draw(Canvas& canvas, Point corner) const {
  for (const Entry& entry : entries_) {
    const Series& series = series_[entry.index];
    const SeriesStyle style(series, entry.index);
    const Point from{corner.x + entry.at.x, corner.y + entry.at.y + 9};
    if (!series.low.empty() && series.spread == Spread::band) {
      canvas.rectangle({from.x, from.y - 5, swatch, 10}, style.band);
    }
    if (style.has_line) canvas.line(from, {from.x + swatch, from.y}, style.line);
    if (series.marker != Marker::none) {
      canvas.path(marker_path(series.marker, {from.x + swatch / 2, from.y}, 3.2), style.fill);
    }
    canvas.text({from.x + swatch + 6, from.y + 4}, entry.name, {.style = style.label, .size = name_size});
  }
}

}  // namespace jme::report
