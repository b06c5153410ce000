#include "paper_table.hpp"

namespace jme::train {

std::span<const PaperSetting> paper_settings() {
  static const std::vector<PaperSetting> all{
      {.name = "medium",
       .title = "batch 256, sigma 1",
       .batch = 256,
       .sigma = 1,
       .learning_rate = 1e-3,
       .claimed_epsilon = 1.7,
       .evaluations = 1,
       .lines = {{"DP-Adam-Debiased",
                  BatchMethod::pp_debiased,
                  0,
                  1e-6,
                  {34.21, 41.38, 45.20, 46.91, 48.06, 48.38, 48.26, 48.38, 47.81, 48.53}},
                 {"DP-Adam-JME",
                  BatchMethod::jme_paper,
                  1,
                  1e-6,
                  {32.64, 39.19, 42.28, 44.44, 45.12, 45.61, 46.91, 47.04, 47.24, 47.94}},
                 {"DP-Adam-Clip",
                  BatchMethod::joint_clip,
                  0.5,
                  1e-6,
                  {30.51, 38.03, 40.66, 42.88, 43.30, 43.52, 44.51, 44.45, 44.76, 44.34}},
                 {"DP-Adam",
                  BatchMethod::pp,
                  0,
                  1e-8,
                  {26.58, 31.45, 35.02, 36.39, 38.15, 39.31, 40.33, 41.47, 42.42, 43.07}}}},
      {.name = "high",
       .title = "batch 1, sigma 2",
       .batch = 1,
       .sigma = 2,
       .learning_rate = 1e-7,
       .claimed_epsilon = 0.16,
       .evaluations = 10,
       .lines = {{"DP-Adam-Debiased",
                  BatchMethod::pp_debiased,
                  0,
                  1e-7,
                  {12.41, 16.91, 23.78, 24.92, 26.20, 26.96, 27.46, 28.14, 28.55, 29.14}},
                 {"DP-Adam-JME",
                  BatchMethod::jme_paper,
                  1,
                  1e-7,
                  {12.43, 19.18, 23.29, 25.83, 27.25, 27.81, 28.50, 28.89, 29.61, 30.38}},
                 {"DP-Adam-Clip",
                  BatchMethod::joint_clip,
                  0.5,
                  1e-7,
                  {13.54, 19.68, 24.92, 26.24, 26.60, 27.27, 27.56, 27.98, 27.78, 28.14}},
                 {"DP-Adam",
                  BatchMethod::pp,
                  0,
                  1e-8,
                  {10.29, 10.32, 10.32, 10.34, 10.39, 10.41, 10.42, 10.45, 10.45, 10.48}}}}};
  return all;
}

TrainingConfig paper_training(const PaperSetting& setting, const PaperLine& line, BatchMethod method) {
  TrainingConfig config;
  config.method = method;
  config.budget = {.sigma = setting.sigma};
  config.delta = paper_delta;
  config.batch = setting.batch;
  config.epochs = paper_epochs;
  config.clip = 1;
  if (line.lambda > 0) config.lambda = line.lambda;
  config.adam.learning_rate = setting.learning_rate;
  // As in DP-AdamBC, where the corrected second moment is raised to gamma' before the root: without that
  // reading a step would be m / eps wherever the noise makes v negative, a million times too long. Plain
  // DP-Adam's v cannot be negative, and its eps is Adam's own.
  if (method == BatchMethod::pp) {
    config.adam.epsilon = line.eps;
  } else {
    config.adam.epsilon = 0;
    config.adam.least_square = line.eps;
  }
  config.adam.noise_floor = 0;
  // "We also find it helpful to clip the updates; for this, we use the same clipping norm": of the step
  // itself.
  config.adam.update_norm = config.clip / setting.learning_rate;
  config.evaluations = setting.evaluations;
  return config;
}

}  // namespace jme::train
