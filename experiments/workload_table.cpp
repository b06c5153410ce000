// Table 1 of the paper: the workloads, with their names in jme and what they cost.
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <jme/shaping/shape.hpp>

#include "experiments/items.hpp"
#include "filter/norms.hpp"

namespace jme::experiments {
namespace {

constexpr std::size_t table_horizon = 1000;

struct Row {
  const char* method;
  const char* symbol;
  const char* coefficients;
  Workload workload;
};

std::string rmse(const Workload& workload, const Shape& shape) {
  const Horizon horizon(table_horizon);
  return fmt::format("{:.4g}", shape_quality(workload.filter(horizon), shape.filter(workload, horizon)).rmse);
}

}  // namespace

Figure workload_table(const Effort& effort) {
  Figure figure{.title = "Workloads", .source = "Table 1", .setting = fmt::format("n = {}", table_horizon)};
  figure.notes = {
      "The right half is ours: root mean square noise of a release for rows of unit sensitivity and unit "
      "noise, without shaping, with the square root, and with the shape that jme chooses.",
      "A window divides by its full length from the first row on, as in the paper."};
  Table table{
      .name = "workloads",
      .title = "Entry (t, i) of the workload matrix, and its noise",
      .columns = {"method", "symbol", "entry", "in jme", "C = I", "square root", "jme's choice", "which is"},
      .rows = {}};
  double worst = 0;
  for (const Row& row : {Row{"prefix sum", "E₁", "1 for i ≤ t", prefix()},
                         Row{"exponential, weight β", "E_β", "β^(t−i) for i ≤ t", decay(0.9)},
                         Row{"standard average", "V", "1/t for i ≤ t", mean()},
                         Row{"sliding window, size k", "W_k", "1/k for t−k < i ≤ t", window(10)}}) {
    const Shape chosen =
        choose_shape(row.workload, Horizon(table_horizon), Objective::rmse, state_limit({}, 1));
    table.rows.push_back({row.method, row.symbol, row.coefficients, "--workload " + row.workload.name(),
                          rmse(row.workload, Shape::identity()), rmse(row.workload, Shape::square_root()),
                          rmse(row.workload, chosen), chosen.name()});
    const Filter a = row.workload.filter(Horizon(table_horizon));
    const auto error = [&](const Shape& shape) {
      return shape_quality(a, shape.filter(row.workload, Horizon(table_horizon))).rmse;
    };
    worst = std::max(worst, error(chosen) / error(Shape::identity()));
  }
  figure.tables.push_back(std::move(table));
  figure.claims.push_back(
      {.statement = "Shaping lowers the noise of all four workloads.",
       .from_paper = false,
       .verdict = verdict_of(worst < 1),
       .found = fmt::format("jme's choice has at most {:.2f} of the noise of C = I.", worst)});
  effort.progress(1);
  return figure;
}

}  // namespace jme::experiments
