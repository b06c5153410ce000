// Figure 4 and Tables 2 and 3 of the paper: private Adam on CIFAR-10.
#include <algorithm>
#include <cmath>
#include <map>

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <jme/privacy/subsampled.hpp>
#include <jme/sensitivity/batch.hpp>

#include "experiments/finished.hpp"
#include "experiments/items.hpp"
#include "experiments/paper_training.hpp"
#include "experiments/training_results.hpp"
#include "report/number_text.hpp"

namespace jme::experiments {
namespace {

std::string claimed(const PaperSetting& setting) {
  return fmt::format("claimed ε ≈ {}", setting.claimed_epsilon);
}

Accuracy accuracy_of(const PaperLine& line, std::size_t epoch) {
  return {.mean = line.accuracy[epoch], .deviation = line.deviation[epoch], .runs = paper_runs};
}

const PaperLine& line_of(const PaperSetting& setting, std::string_view method) {
  return *std::find_if(setting.lines.begin(), setting.lines.end(),
                       [&](const PaperLine& line) { return line.method == method; });
}

/// What jme-train calls a method, in words.
std::string method_text(const std::string& method) {
  static const std::map<std::string, std::string> names{{"jme-paper", "JME as printed"},
                                                        {"jme", "JME, squares per example"},
                                                        {"joint-clip", "joint clipping"},
                                                        {"pp-debiased", "PP debiased"},
                                                        {"pp", "PP"}};
  const auto found = names.find(method);
  return found == names.end() ? method : found->second;
}

/// A power of ten as the paper prints it.
std::string short_text(double power) {
  return fmt::format("1e{}", std::lround(std::log10(power)));
}

// What fits on a page; the charts' files have all ten.
constexpr std::size_t shown_epochs[] = {1, 2, 3, 5, 7, 10};

std::vector<std::string> with_epochs(std::vector<std::string> columns) {
  for (const std::size_t epoch : shown_epochs) columns.push_back(fmt::format("epoch {}", epoch));
  return columns;
}

Table hyperparameters() {
  Table table{
      .name = "training-hyperparameters",
      .title = "Table 3: the paper's settings (clipping norm 1 throughout, also for the updates)",
      .columns = {"setting", "noise multiplier", "batch", "method", "learning rate", "λ or τ", "Adam's ε"},
      .rows = {}};
  for (const PaperSetting& setting : paper_settings()) {
    for (const PaperLine& line : setting.lines) {
      table.rows.push_back(
          {claimed(setting), fmt::format("{}", setting.sigma), fmt::format("{}", setting.batch),
           method_text(line.method), short_text(setting.learning_rate),
           line.scaling > 0 ? fmt::format("{}", line.scaling) : "–", short_text(line.adam_epsilon)});
    }
  }
  return table;
}

Table paper_accuracy() {
  Table table{.name = "training-paper",
              .title = "Table 2: the paper's CIFAR-10 accuracy in percent, mean ± deviation of three runs",
              .columns = with_epochs({"setting", "method"}),
              .rows = {}};
  for (const PaperSetting& setting : paper_settings()) {
    for (const PaperLine& line : setting.lines) {
      std::vector<std::string> row{claimed(setting), method_text(line.method)};
      for (const std::size_t epoch : shown_epochs) row.push_back(accuracy_text(accuracy_of(line, epoch - 1)));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::string setting_text(const TrainingGroup& group) {
  const std::string examples =
      group.examples > 0
          ? fmt::format(" ({} examples)", report::count_text(static_cast<std::size_t>(group.examples)))
          : "";
  return fmt::format("{}{}, batch {}, σ = {}", group.dataset, examples, group.batch, group.sigma);
}

Table our_accuracy(const std::vector<TrainingGroup>& groups) {
  Table table{.name = "training-ours",
              .title = "Our runs: accuracy in percent, mean ± deviation; ε spent so far at δ = 10⁻⁶",
              .columns = with_epochs({"setting", "method", "ε", "runs"}),
              .rows = {}};
  for (const TrainingGroup& group : groups) {
    std::vector<std::string> row{setting_text(group), method_text(group.method),
                                 group.epsilon ? fmt::format("{:.3g}", *group.epsilon) : "none",
                                 fmt::format("{}", group.accuracy.front().runs)};
    for (const std::size_t epoch : shown_epochs)
      row.push_back(epoch <= group.accuracy.size() ? accuracy_text(group.accuracy[epoch - 1]) : "–");
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool is_of(const TrainingGroup& group, const PaperSetting& setting) {
  return group.dataset == "cifar10" && group.batch == setting.batch && group.sigma == setting.sigma;
}

Series curve(std::string name, Drawn drawn) {
  return {.name = std::move(name), .drawn = drawn};
}

/// Figure 4: the paper's curves from its table, ours beside them where there are any.
Chart chart(const PaperSetting& setting, const std::vector<TrainingGroup>& groups) {
  const bool has_ours =
      std::any_of(groups.begin(), groups.end(), [&](const TrainingGroup& g) { return is_of(g, setting); });
  Chart chart{.name = fmt::format("training-{}", setting.name),
              .title = fmt::format("batch {}, σ = {}{}", setting.batch, setting.sigma,
                                   has_ours ? "; dashed: the paper's" : ": the paper's runs"),
              .x = {.label = "epoch", .logarithmic = true},
              .y = {.label = "test accuracy in percent"}};
  for (const TrainingGroup& group : groups) {
    if (!is_of(group, setting)) continue;
    Series series = curve(method_text(group.method), Drawn::line);
    for (std::size_t epoch = 0; epoch < group.accuracy.size(); ++epoch) {
      series.x.push_back(static_cast<double>(epoch + 1));
      series.y.push_back(group.accuracy[epoch].mean);
      if (group.accuracy[epoch].deviation) series.deviation.push_back(*group.accuracy[epoch].deviation);
    }
    chart.series.push_back(std::move(series));
  }
  for (const PaperLine& line : setting.lines) {
    Series series = has_ours ? curve(method_text(line.method) + ", paper", Drawn::reference)
                             : curve(method_text(line.method), Drawn::line);
    for (std::size_t epoch = 0; epoch < paper_epochs; ++epoch) {
      series.x.push_back(static_cast<double>(epoch + 1));
      series.y.push_back(line.accuracy[epoch]);
      series.deviation.push_back(line.deviation[epoch]);
      series.low.push_back(line.accuracy[epoch] - line.deviation[epoch]);
      series.high.push_back(line.accuracy[epoch] + line.deviation[epoch]);
    }
    chart.series.push_back(std::move(series));
  }
  chart.band = "the paper's standard deviation over three runs";
  return chart;
}

// The paper's two settings: CIFAR-10 has 50,000 examples, ten epochs.
constexpr SubsampledGaussian medium_privacy{.sampling_rate = 256.0 / 50'000, .steps = 1960, .sigma = 1};
constexpr SubsampledGaussian high_privacy{.sampling_rate = 1.0 / 50'000, .steps = 500'000, .sigma = 2};

Claim batch_claim() {
  const RowModel rows{.adjacency = Adjacency::replace_one, .dimension = 1000, .norm_bound = 1};
  constexpr std::size_t batch = 256;
  const double used = batch_sensitivity(Squares::per_example, rows, 1, 1);
  const double sum = batch_sensitivity(Squares::paper, rows, batch, 1);
  const double mean = batch_sensitivity(Squares::batch_mean, rows, batch, 1) * static_cast<double>(batch);
  SubsampledGaussian weaker = medium_privacy;
  weaker.sigma *= used / mean;
  return {
      .statement = "Noise for the sensitivity of a single gradient makes batches of 256 private.",
      .verdict = verdict_of(sum <= used),
      .found = fmt::format(
          "Squaring the batch's sum, one example moves both moments by {:.0f}, where noise for {:.2f} "
          "was drawn; squaring its mean, by {:.2f}/256 instead of {:.2f}/256: by the paper's own "
          "accounting ε = {:.0f} instead of {:.2f}. At batch 1 the claim holds.",
          sum, used, mean, used, pld_epsilon(weaker, paper_delta), pld_epsilon(medium_privacy, paper_delta))};
}

Claim accounting_claim() {
  const double medium_pld = pld_epsilon(medium_privacy, paper_delta),
               high_pld = pld_epsilon(high_privacy, paper_delta);
  const RenyiBound medium_rdp = rdp_epsilon(medium_privacy, paper_delta),
                   high_rdp = rdp_epsilon(high_privacy, paper_delta);
  // About: within a tenth.
  const bool holds = std::abs(medium_pld / 1.7 - 1) < 0.1 && std::abs(high_pld / 0.16 - 1) < 0.1;
  return {.statement = "The runs have ε of about 1.7 and 0.16.",
          .verdict = verdict_of(holds),
          .found = fmt::format(
              "For noise of σ times the sensitivity of an example that is there or not, the privacy loss "
              "distribution proves {:.3f} and {:.4f}; Rényi accounting over all orders {:.3f} and {:.3f}. "
              "The paper draws σ times the sensitivity for replacing one.",
              medium_pld, high_pld, medium_rdp.epsilon, high_rdp.epsilon)};
}

/// JME ahead of PP, and ahead of or behind debiased PP, compared with the paper's own last epoch: three runs
/// tell methods apart where Welch's test does so at 5%.
Claim ranking_claim(const PaperSetting& setting, bool ahead_of_debiased, std::string statement) {
  const auto last = [&](const char* method) {
    return accuracy_of(line_of(setting, method), paper_epochs - 1);
  };
  const Accuracy jme = last("jme-paper"), pp = last("pp"), debiased = last("pp-debiased");
  const double chance_pp = chance_of_difference(jme, pp), chance = chance_of_difference(jme, debiased);
  const bool above_pp = jme.mean > pp.mean && chance_pp < 0.05;
  const bool order = (jme.mean > debiased.mean) == ahead_of_debiased && chance < 0.05;
  return {.statement = std::move(statement),
          .verdict = above_pp && order   ? Verdict::confirmed
                     : above_pp || order ? Verdict::partly
                                         : Verdict::refuted,
          .found =
              fmt::format("The paper's own three runs after ten epochs: JME {}, debiased PP {}, PP {}. "
                          "Equally good methods would differ this much with probability {:.1g} (debiased) "
                          "and {:.1g} (PP).",
                          accuracy_text(jme), accuracy_text(debiased), accuracy_text(pp), chance, chance_pp)};
}

/// Standard deviation of one of the paper's runs after an epoch, from all methods of the setting: three runs
/// of one method alone would tell little.
double run_deviation(const PaperSetting& setting, std::size_t epoch) {
  double squares = 0;
  for (const PaperLine& line : setting.lines) squares += line.deviation[epoch] * line.deviation[epoch];
  return std::sqrt(squares / static_cast<double>(setting.lines.size()));
}

/// Where both were run: the paper's mean of three against ours. Student's t with the degrees of freedom of
/// run_deviation, at 1% per comparison.
Claim agreement_claim(const std::vector<TrainingGroup>& groups) {
  constexpr std::size_t freedom = (paper_runs - 1) * std::tuple_size_v<decltype(PaperSetting::lines)>;
  const double limit = boost::math::quantile(
      boost::math::complement(boost::math::students_t(static_cast<double>(freedom)), 0.005));
  std::string found;
  std::size_t compared = 0, agree = 0;
  for (const PaperSetting& setting : paper_settings()) {
    for (const TrainingGroup& group : groups) {
      const auto line = std::find_if(setting.lines.begin(), setting.lines.end(),
                                     [&](const PaperLine& one) { return one.method == group.method; });
      if (!is_of(group, setting) || group.examples != 50'000 || line == setting.lines.end()) continue;
      const std::size_t epoch = std::min(group.accuracy.size(), paper_epochs) - 1;
      const Accuracy& ours = group.accuracy[epoch];
      const double error = run_deviation(setting, epoch) * std::sqrt(1.0 / static_cast<double>(paper_runs) +
                                                                     1.0 / static_cast<double>(ours.runs));
      ++compared;
      agree += std::abs(ours.mean - line->accuracy[epoch]) <= limit * error ? 1 : 0;
      found += fmt::format("{}{}, batch {}, epoch {}: {}, the paper {:.2f}", found.empty() ? "" : "; ",
                           method_text(group.method), group.batch, epoch + 1, accuracy_text(ours),
                           line->accuracy[epoch]);
    }
  }
  return {.statement = "Our runs of the paper's methods reach its accuracy.",
          .from_paper = false,
          .verdict = compared == 0       ? Verdict::open
                     : agree == compared ? Verdict::confirmed
                     : agree > 0         ? Verdict::partly
                                         : Verdict::refuted,
          .found = compared == 0 ? "There are no runs on all of CIFAR-10 here."
                                 : fmt::format("{} of {} are as near as chance would have it (1%). {}.",
                                               agree, compared, found)};
}

}  // namespace

Figure training_table(const Effort& effort) {
  Figure figure{
      .title = "Training with private Adam",
      .source = "Figure 4, Tables 2 and 3",
      .setting = "CIFAR-10, δ = 10⁻⁶, 10 epochs; noise multiplier 1 with batch 256, and 2 with batch 1"};
  figure.warning =
      "JME as printed squares the sum of a batch and is NOT private for more than one example; it is run to "
      "compare with the table and states no ε.";
  std::vector<TrainingGroup> groups;
  const std::filesystem::path file = training_file(effort.training_results);
  if (const auto results = content_of(file)) {
    groups = training_groups(training_runs(*results));
    figure.notes.push_back("Our runs are read from what jme-train reproduce wrote.");
  }
  for (const PaperSetting& setting : paper_settings()) figure.charts.push_back(chart(setting, groups));
  figure.tables = {hyperparameters(), paper_accuracy()};
  if (groups.empty()) {
    figure.notes.push_back(
        "Our own training runs are not here: none were found. They are made by: jme-train reproduce --data "
        "FOLDER --out out/train (needs libtorch and CIFAR-10, and hours; see docs/training.md). jme "
        "reproduce training --training out/train then shows them here.");
  } else {
    figure.tables.push_back(our_accuracy(groups));
  }
  const auto settings = paper_settings();
  figure.claims = {
      batch_claim(), accounting_claim(),
      ranking_claim(settings[0], false,
                    "Medium privacy: JME is better than DP-Adam and slightly worse than its debiased form."),
      ranking_claim(settings[1], true,
                    "High privacy: JME is slightly better than debiased DP-Adam; plain DP-Adam fails."),
      agreement_claim(groups)};
  effort.progress(1);
  return figure;
}

}  // namespace jme::experiments
