// Beyond the paper: alarms that a mean changed, raised from releases alone. How often streams without a
// change raise one, and how soon a change is found.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include <jme/changes/change_test.hpp>
#include <jme/mechanism/mechanism.hpp>

#include "experiments/items.hpp"
#include "experiments/monte_carlo.hpp"

namespace jme::experiments {
namespace {

constexpr double alpha = 0.01;
constexpr std::size_t steps = 1000, rows_per_block = 100, dimension = 5, change_at = 500;
constexpr double row_deviation = 0.3;  // in half widths of the bounds

Mechanism mechanism() {
  return Mechanism({.budget = {.epsilon = 1.0, .delta = 1e-6},
                    .rows = steps * rows_per_block,
                    .every = rows_per_block,
                    .dimension = dimension,
                    .norm_bound = std::sqrt(static_cast<double>(dimension)),
                    .unit_box = true});
}

enum class Rows { normal, skewed };

/// One kind of stream: its rows, the change in them, and the variance that the test is told.
struct Streams {
  const char* name;
  Rows rows = Rows::normal;
  double shift = 0;             ///< of the mean, from block change_at on
  double stated_over_true = 1;  ///< standard deviations
};

/// Sums of blocks of a column whose rows have this deviation: sums of 100 normal rows, or of rows that are
/// -0.1 in nine cases of ten and else 0.9.
class BlockSums {
 public:
  explicit BlockSums(Rows rows) : rows_(rows) {}
  double operator()(std::mt19937_64& random) {
    constexpr auto k = static_cast<double>(rows_per_block);
    if (rows_ == Rows::normal) return normal_(random) * row_deviation * std::sqrt(k);
    return ones_(random) - 0.1 * k;
  }

 private:
  Rows rows_;
  std::normal_distribution<double> normal_{};
  std::binomial_distribution<int> ones_{static_cast<int>(rows_per_block), 0.1};
};

/// The block at which the alarm is raised, counted from 1; 0 where it is not.
std::size_t alarm_of(const Mechanism& about, const Streams& streams, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const double std = about.calibration().std_first;
  std::vector<double> draws(steps);
  for (double& draw : draws) draw = std * normal(random);
  const std::vector<double> noise = about.c1().solve(draws);
  BlockSums sums(streams.rows);
  constexpr auto k = static_cast<double>(rows_per_block);
  const double stated = streams.stated_over_true * row_deviation;
  ChangeTest test(about.c1(), std, change_grid(about.horizon(), 1));
  for (std::size_t t = 0; t < steps; ++t) {
    const double rows = sums(random) + (t >= change_at ? k * streams.shift : 0);
    test.next(rows + noise[t], k, k * stated * stated);
    if (test.log_e() >= -std::log(alpha)) return t + 1;
  }
  return 0;
}

std::vector<std::size_t> alarms(const Effort& effort, const Mechanism& about, const Streams& streams,
                                std::size_t runs) {
  std::vector<std::size_t> found(runs);
  static_cast<void>(monte_carlo(effort, runs, 1, [&](std::size_t run, std::span<double> out) {
    const std::string what = fmt::format("alarms {} {}", streams.name, streams.shift);
    found[run] = alarm_of(about, streams, run_seed(effort, what, run).value);
    out[0] = found[run] > 0 ? 1 : 0;
  }));
  return found;
}

struct Quiet {
  Table table;
  bool holds = true;
  double largest = 0;
};

Quiet without_a_change(const Effort& effort, const Mechanism& about) {
  Quiet result{
      .table = {.name = "alarms-quiet",
                .title = fmt::format("Streams without a change that raise an alarm, promised {}", alpha),
                .columns = {"rows", "streams", "alarms", "share", "limit"},
                .rows = {}}};
  const std::array<Streams, 3> kinds{
      Streams{.name = "normal"}, Streams{.name = "skewed", .rows = Rows::skewed},
      Streams{.name = "normal, deviation stated twice as large", .stated_over_true = 2}};
  const std::size_t runs = effort.runs(1000, 60);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const double begin = static_cast<double>(i) / kinds.size(),
                 end = static_cast<double>(i + 1) / kinds.size();
    const auto found = alarms(effort.part(begin, end), about, kinds[i], runs);
    const auto raised =
        static_cast<double>(std::count_if(found.begin(), found.end(), [](std::size_t t) { return t > 0; }));
    const auto count = static_cast<double>(runs);
    const double limit = alpha + 3 * std::sqrt(alpha * (1 - alpha) / count), share = raised / count;
    result.holds = result.holds && share <= limit;
    result.largest = std::max(result.largest, share);
    result.table.rows.push_back({kinds[i].name, fmt::format("{}", runs), fmt::format("{:.0f}", raised),
                                 fmt::format("{:.4f}", share), fmt::format("{:.4f}", limit)});
  }
  return result;
}

struct Delays {
  Table table;
  std::vector<double> medians{};
  bool all_found = true;
};

/// The median over streams whose alarm came after the change.
Delays after_a_change(const Effort& effort, const Mechanism& about) {
  Delays result{
      .table = {.name = "alarms-delay",
                .title = "Blocks from a change to its alarm",
                .columns = {"change in sd of a row", "change in half widths", "found", "median delay"},
                .rows = {}}};
  constexpr std::array shifts{0.02, 0.05, 0.1, 0.2, 0.4};
  const std::size_t runs = effort.runs(200, 40);
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const double begin = static_cast<double>(i) / shifts.size(),
                 end = static_cast<double>(i + 1) / shifts.size();
    const auto found = alarms(effort.part(begin, end), about, {.name = "change", .shift = shifts[i]}, runs);
    std::vector<double> delays;
    std::size_t later = 0;
    for (const std::size_t t : found) {
      if (t > 0 && t <= change_at) continue;  // before the change
      later += t > 0 ? 1 : 0;
      delays.push_back(t > 0 ? static_cast<double>(t - change_at) : std::numeric_limits<double>::infinity());
    }
    std::nth_element(delays.begin(), delays.begin() + static_cast<std::ptrdiff_t>(delays.size() / 2),
                     delays.end());
    const double median = delays[delays.size() / 2];
    const double share = static_cast<double>(later) / static_cast<double>(delays.size());
    result.medians.push_back(median);
    result.all_found = result.all_found && share > 0.95;
    result.table.rows.push_back({fmt::format("{:.2f}", shifts[i] / row_deviation),
                                 fmt::format("{}", shifts[i]), fmt::format("{:.0f}%", 100 * share),
                                 fmt::format("{:.0f}", median)});
  }
  return result;
}

}  // namespace

Figure change_alarms(const Effort& effort) {
  const Mechanism about = mechanism();
  Figure figure{.title = "Alarms: did the mean change?",
                .source = "beyond the paper",
                .setting = fmt::format(
                    "{} blocks of {} rows, d = {}, ε = 1, δ = 10⁻⁶, running mean, shape {}, rows "
                    "with standard deviation {} of a half width, level {}",
                    steps, rows_per_block, dimension, about.shape_first().name(), row_deviation, alpha)};
  figure.notes = {
      "An alarm is a function of releases. It is raised where the e-process of docs/theory/changes.md "
      "reaches "
      "1/level, and the promise is about the whole stream: at most that share of streams without a change "
      "raise "
      "one, ever.",
      "The limit is the promise and three standard errors of so many streams. Skewed rows are 0.9 with "
      "probability 0.1, else -0.1: sums of 100 of them are not normal, and the promise for rules with sd is "
      "then an approximation.",
      "The change is at block 500 of 1000; delays are counted in blocks from there, over streams whose alarm "
      "did not come before."};
  Quiet quiet = without_a_change(effort.part(0, 0.75), about);
  Delays delays = after_a_change(effort.part(0.75, 1), about);
  figure.claims.push_back(
      {.statement = fmt::format(
           "At most {} of streams without a change raise an alarm, up to three standard errors.", alpha),
       .from_paper = false,
       .verdict = verdict_of(quiet.holds),
       .found = fmt::format("At most {:.4f} of them do.", quiet.largest)});
  figure.claims.push_back(
      {.statement =
           "A change of a third of a row's standard deviation is found within some twenty blocks, and a "
           "change of 0.07 within the stream.",
       .from_paper = false,
       .verdict = verdict_of(delays.all_found && delays.medians[2] <= 30),
       .found =
           fmt::format("Median delays: {:.0f}, {:.0f}, {:.0f}, {:.0f} and {:.0f} blocks.", delays.medians[0],
                       delays.medians[1], delays.medians[2], delays.medians[3], delays.medians[4])});
  figure.tables = {std::move(quiet.table), std::move(delays.table)};
  effort.progress(1);
  return figure;
}

}  // namespace jme::experiments
