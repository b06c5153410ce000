#include <algorithm>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/report/page.hpp>

#include "report/canvas.hpp"
#include "report/page_styles.hpp"
#include "report/theme.hpp"

namespace jme::report {

namespace {

constexpr double most_shrinking = 0.9, most_growth = 1.2;

const char* class_of(const TableColumn& column) {
  return column.is_number ? " class=\"number\"" : column.is_word ? " class=\"word\"" : "";
}

std::string html_of(const Table& table) {
  std::string html = "<div class=\"scroll\"><table>\n";
  if (!table.caption.empty()) html += "<caption>" + escaped(table.caption) + "</caption>\n";
  html += "<thead><tr>";
  for (const TableColumn& column : table.columns) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", class_of(column), escaped(column.title));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Markup>& row : table.rows) {
    if (row.size() != table.columns.size())
      throw InvalidParameter("table", "a row needs one cell per column");
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const char* style = class_of(table.columns[i]);
      html += i == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", style, row[i].html())
                     : fmt::format("<td{}>{}</td>", style, row[i].html());
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string html_of(const Figure& figure, std::size_t number) {
  const double width = figure.drawing.size().width;
  // Text stays readable: a drawing is shrunk by a tenth at most, beyond that it scrolls; and it is not
  // enlarged.
  std::string html =
      fmt::format("<figure style=\"max-width:{}px\"><div class=\"scroll\"><div style=\"min-width:{}px\">\n",
                  coordinate(width * most_growth), coordinate(width * most_shrinking));
  html += figure.drawing.element(fmt::format("figure{}", number)) + "</div></div>\n";
  if (!figure.caption.empty()) html += "<figcaption>" + figure.caption.html() + "</figcaption>\n";
  return html + "</figure>\n";
}

}  // namespace

Page::Page(std::string title) : title_(std::move(title)) {}

void Page::add(const std::string& html) {
  (sections_.empty() ? top_ : body_) += html;
}

Page& Page::lead(const Markup& paragraph) {
  add("<p class=\"lead\">" + paragraph.html() + "</p>\n");
  return *this;
}

Page& Page::warning(const Markup& words) {
  add("<p class=\"warning\" role=\"note\">" + words.html() + "</p>\n");
  return *this;
}

Page& Page::facts(const std::vector<Fact>& facts) {
  std::string html = "<dl class=\"facts\">\n";
  for (const Fact& fact : facts) {
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(fact.name), escaped(fact.value));
  }
  add(html + "</dl>\n");
  return *this;
}

Page& Page::section(const std::string& title) {
  sections_.push_back(title);
  add(fmt::format("<h2 id=\"section{}\">{}</h2>\n", sections_.size(), escaped(title)));
  return *this;
}

Page& Page::subsection(const std::string& title) {
  add("<h3>" + escaped(title) + "</h3>\n");
  return *this;
}

Page& Page::paragraph(const Markup& words) {
  add("<p>" + words.html() + "</p>\n");
  return *this;
}

Page& Page::list(const std::vector<Markup>& items) {
  std::string html = "<ul>\n";
  for (const Markup& item : items) html += "<li>" + item.html() + "</li>\n";
  add(html + "</ul>\n");
  return *this;
}

Page& Page::listing(const std::string& text) {
  add("<pre>" + escaped(text) + "</pre>\n");
  return *this;
}

Page& Page::figures(const std::vector<Figure>& figures) {
  double least = 0;
  for (const Figure& figure : figures) least = std::max(least, figure.drawing.size().width * most_shrinking);
  std::string html = fmt::format("<div class=\"figures\" style=\"--least:{}px\">\n", coordinate(least));
  for (const Figure& figure : figures) {
    drawings_.push_back(figure.drawing);
    html += html_of(figure, drawings_.size());
  }
  add(html + "</div>\n");
  return *this;
}

Page& Page::table(const Table& table) {
  add(html_of(table));
  return *this;
}

Page& Page::folded_table(const std::string& summary, const Table& table) {
  add("<details><summary>" + escaped(summary) + "</summary>\n" + html_of(table) + "</details>\n");
  return *this;
}

Page& Page::footer(const Markup& words) {
  footer_ += "<p>" + words.html() + "</p>\n";
  return *this;
}

std::string Page::html() const {
  std::string contents;
  if (sections_.size() > 1) {
    contents = "<nav aria-label=\"Sections\">";
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      contents += fmt::format("<a href=\"#section{}\">{}</a>\n", i + 1, escaped(sections_[i]));
    }
    contents += "</nav>\n";
  }
  // The policy allows the style sheet and nothing else: no script could run even if one got in.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src 'self' data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}</title>\n<style>\n{1}{2}</style>\n"
      "</head>\n<body>\n<main>\n<header>\n<h1>{0}</h1>\n{3}{4}</header>\n{5}{6}</main>\n</body>\n</html>\n",
      escaped(title_), page_styles(), layout_styles, top_, contents, body_,
      footer_.empty() ? "" : "<footer>\n" + footer_ + "</footer>\n");
}

}  // namespace jme::report
