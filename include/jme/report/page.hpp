#pragma once

#include <string>
#include <vector>

#include <jme/report/drawing.hpp>
#include <jme/report/markup.hpp>

namespace jme::report {

struct TableColumn {
  std::string title;
  bool is_number = false;  ///< set flush right
  bool is_word = false;    ///< short words that are not broken, however narrow the page is
};

/// The first column names the rows.
struct Table {
  std::string caption{};
  std::vector<TableColumn> columns{};
  std::vector<std::vector<Markup>> rows{};
};

/// A number that stands for the whole page: "420,768" over "rows".
struct Fact {
  std::string value, name;
};

/// A drawing, with words below it that say what it shows.
struct Figure {
  Drawing drawing;
  Markup caption{};
};

/// One self-contained HTML page: light and dark, from a phone to print, no script, nothing loaded. The same
/// calls give the same bytes.
class Page {
 public:
  explicit Page(std::string title);

  // What stands above the sections.
  Page& lead(const Markup& paragraph);
  Page& warning(const Markup& words);
  Page& facts(const std::vector<Fact>& facts);

  /// Begins a section; everything after it belongs there. The page lists its sections at the top.
  Page& section(const std::string& title);
  Page& subsection(const std::string& title);
  Page& paragraph(const Markup& words);
  Page& list(const std::vector<Markup>& items);
  /// Text as it is, in a fixed-width font: a command and its output.
  Page& listing(const std::string& text);
  /// Side by side where there is room.
  Page& figures(const std::vector<Figure>& figures);
  /// Throws InvalidParameter unless every row has one cell per column.
  Page& table(const Table& table);
  /// Folded away until asked for.
  Page& folded_table(const std::string& summary, const Table& table);
  Page& footer(const Markup& words);

  [[nodiscard]] std::string html() const;
  /// All drawings of the page, in their order.
  [[nodiscard]] const std::vector<Drawing>& drawings() const { return drawings_; }

 private:
  void add(const std::string& html);
  std::string title_;
  std::string top_, body_, footer_;
  std::vector<std::string> sections_;
  std::vector<Drawing> drawings_;
};

}  // namespace jme::report
