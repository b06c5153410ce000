#pragma once

#include <string>
#include <vector>

namespace jme::experiments {

/// How a series is drawn: theory and runs as lines, simulations as points, others' results dashed.
enum class Drawn { line, points, reference };

/// One named curve or cloud of a chart.
struct Series {
  std::string name;
  Drawn drawn = Drawn::line;
  std::vector<double> x{}, y{};
  std::vector<double> std_error{};    ///< of y, where it is an average over simulated runs; else empty
  std::vector<double> deviation{};    ///< standard deviation of one such run; else empty
  std::vector<double> low{}, high{};  ///< a band around y, explained in Chart::band; else empty
};

struct Axis {
  std::string label;
  bool logarithmic = false;
};

/// A vertical line at x with a word to it: a crossover.
struct Mark {
  double x;
  std::string label;
};

struct Chart {
  std::string name;  ///< of its files, without extension
  std::string title;
  Axis x, y;
  std::vector<Series> series{};
  std::vector<Mark> marks{};
  std::string band{};  ///< what the bands are, where there are any
};

struct Table {
  std::string name;  ///< of its file, without extension
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// What the numbers say about a claim of the paper: computed, never written down beforehand.
enum class Verdict { confirmed, partly, refuted, open };
[[nodiscard]] const char* name(Verdict verdict);
[[nodiscard]] constexpr Verdict verdict_of(bool holds) {
  return holds ? Verdict::confirmed : Verdict::refuted;
}

struct Claim {
  std::string statement;   ///< in our words
  bool from_paper = true;  ///< else it is one of ours
  Verdict verdict;
  std::string found;  ///< the numbers behind the verdict
};

/// One item of the reproduction: what was computed, from what, and what it says.
struct Figure {
  std::string title;
  std::string source;                ///< "Figure 2 of the paper", "beyond the paper"
  std::string setting;               ///< the parameters, in a line
  std::string warning{};             ///< shown before the charts; empty where there is none
  std::vector<std::string> notes{};  ///< how we read the paper's text, what we added
  std::vector<Chart> charts{};
  std::vector<Table> tables{};
  std::vector<Claim> claims{};
};

}  // namespace jme::experiments
