// Figure 4 and Tables 2 and 3 of the paper: private Adam on CIFAR-10.
#include <cmath>

#include <fmt/format.h>

#include <jme/privacy/subsampled.hpp>
#include <jme/sensitivity/batch.hpp>

#include "experiments/finished.hpp"
#include "experiments/items.hpp"
#include "experiments/training_results.hpp"

namespace jme::experiments {
namespace {

Table hyperparameters() {
  Table table{
      .name = "training-hyperparameters",
      .title = "Table 3: the paper's settings (clipping norm 1 throughout)",
      .columns = {"setting", "noise multiplier", "batch", "method", "learning rate", "λ or τ", "Adam's ε"},
      .rows = {}};
  struct Method {
    const char* name;
    const char* scaling;
    const char* medium_eps;
    const char* high_eps;
  };
  constexpr Method methods[] = {{"JME", "1", "1e-6", "1e-7"},
                                {"joint clipping", "0.5", "1e-6", "1e-7"},
                                {"PP debiased (DP-AdamBC)", "–", "1e-6", "1e-7"},
                                {"PP (DP-Adam)", "–", "1e-8", "1e-8"}};
  for (const Method& m : methods)
    table.rows.push_back({"claimed ε ≈ 1.7", "1", "256", m.name, "1e-3", m.scaling, m.medium_eps});
  for (const Method& m : methods)
    table.rows.push_back({"claimed ε ≈ 0.16", "2", "1", m.name, "1e-7", m.scaling, m.high_eps});
  return table;
}

// Table 2's last column: accuracy in percent after ten epochs, mean and deviation over three runs.
Table paper_accuracy() {
  return {.name = "training-paper",
          .title = "Table 2: the paper's CIFAR-10 accuracy in percent, mean ± deviation of three runs",
          .columns = {"method", "ε ≈ 1.7, epoch 1", "epoch 3", "epoch 10", "ε ≈ 0.16, epoch 1", "epoch 3",
                      "epoch 10"},
          .rows = {{"JME", "32.64 ± 0.71", "42.28 ± 0.48", "47.94 ± 0.85", "12.43 ± 3.95", "23.29 ± 1.25",
                    "30.38 ± 0.62"},
                   {"joint clipping", "30.51 ± 0.72", "40.66 ± 0.75", "44.34 ± 0.28", "13.54 ± 3.31",
                    "24.92 ± 1.48", "28.14 ± 0.33"},
                   {"PP debiased", "34.21 ± 0.95", "45.20 ± 0.44", "48.53 ± 0.99", "12.41 ± 4.14",
                    "23.78 ± 0.70", "29.14 ± 0.60"},
                   {"PP", "26.58 ± 0.43", "35.02 ± 1.16", "43.07 ± 0.86", "10.29 ± 0.51", "10.32 ± 0.56",
                    "10.48 ± 0.83"}}};
}

// The paper's two settings: CIFAR-10 has 50,000 examples, ten epochs.
constexpr SubsampledGaussian medium{.sampling_rate = 256.0 / 50'000, .steps = 1960, .sigma = 1};
constexpr SubsampledGaussian high{.sampling_rate = 1.0 / 50'000, .steps = 500'000, .sigma = 2};
constexpr double delta = 1e-6;

Claim batch_claim() {
  const RowModel rows{.adjacency = Adjacency::replace_one, .dimension = 1000, .norm_bound = 1};
  constexpr std::size_t batch = 256;
  const double used = batch_sensitivity(Squares::per_example, rows, 1, 1);
  const double sum = batch_sensitivity(Squares::paper, rows, batch, 1);
  const double mean = batch_sensitivity(Squares::batch_mean, rows, batch, 1) * static_cast<double>(batch);
  SubsampledGaussian weaker = medium;
  weaker.sigma *= used / mean;
  return {.statement = "Noise for the sensitivity of a single gradient makes batches of 256 private.",
          .verdict = verdict_of(sum <= used),
          .found = fmt::format(
              "Squaring the batch's sum, one example moves both moments by {:.0f}, where noise for {:.2f} "
              "was drawn; squaring its mean, by {:.2f}/256 instead of {:.2f}/256: by the paper's own "
              "accounting ε = {:.0f} instead of {:.2f}. At batch 1 the claim holds.",
              sum, used, mean, used, pld_epsilon(weaker, delta), pld_epsilon(medium, delta))};
}

Claim accounting_claim() {
  const double medium_pld = pld_epsilon(medium, delta), high_pld = pld_epsilon(high, delta);
  const RenyiBound medium_rdp = rdp_epsilon(medium, delta), high_rdp = rdp_epsilon(high, delta);
  // About: within a tenth.
  const bool holds = std::abs(medium_pld / 1.7 - 1) < 0.1 && std::abs(high_pld / 0.16 - 1) < 0.1;
  return {.statement = "The runs have ε of about 1.7 and 0.16.",
          .verdict = verdict_of(holds),
          .found = fmt::format(
              "For noise of σ times the sensitivity of an example that is there or not, the privacy "
              "loss distribution proves {:.3f} and {:.4f}; Rényi accounting over all orders {:.3f} and "
              "{:.3f}. The paper draws σ times the sensitivity for replacing one.",
              medium_pld, high_pld, medium_rdp.epsilon, high_rdp.epsilon)};
}

}  // namespace

Figure training_table(const Effort& effort) {
  Figure figure{
      .title = "Training with private Adam",
      .source = "Figure 4, Tables 2 and 3",
      .setting = "CIFAR-10, δ = 1e-6, 10 epochs; noise multiplier 1 with batch 256, and 2 with batch 1"};
  figure.tables = {hyperparameters(), paper_accuracy()};
  if (const auto results = content_of(effort.training_results)) {
    figure.tables.push_back(
        {.name = "training-ours",
         .title = "Our runs: accuracy in percent, mean ± deviation",
         .columns = {"setting", "method", "ε (δ = 1e-6)", "runs", "epoch 1", "epoch 3", "last"},
         .rows = training_rows(training_runs(*results))});
    figure.notes.push_back("Our runs are read from the results that jme-train wrote.");
  } else {
    figure.notes.push_back(
        "Our own training runs are not here: none were found. jme-train reproduce makes them (it needs "
        "libtorch and "
        "CIFAR-10, and hours); give its results with --training FILE.");
  }
  figure.claims.push_back(batch_claim());
  figure.claims.push_back(accounting_claim());
  effort.progress(1);
  return figure;
}

}  // namespace jme::experiments
