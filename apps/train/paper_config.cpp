#include "paper_config.hpp"

namespace jme::train {

TrainingConfig paper_config(const PaperSetting& setting, const PaperLine& line, BatchMethod method) {
  TrainingConfig config;
  config.method = method;
  config.budget = {.sigma = setting.sigma};
  config.delta = experiments::paper_delta;
  config.batch = setting.batch;
  config.epochs = experiments::paper_epochs;
  config.clip = 1;
  if (line.scaling > 0) config.lambda = line.scaling;
  config.adam.learning_rate = setting.learning_rate;
  // As in DP-AdamBC, where the corrected second moment is raised to gamma' before the root: without that
  // reading a step would be m / eps wherever the noise makes v negative, a million times too long. Plain
  // DP-Adam's v cannot be negative, and its eps is Adam's own.
  if (method == BatchMethod::pp) {
    config.adam.epsilon = line.adam_epsilon;
  } else {
    config.adam.epsilon = 0;
    config.adam.least_square = line.adam_epsilon;
  }
  config.adam.noise_floor = 0;
  // "We also find it helpful to clip the updates; for this, we use the same clipping norm": of the step
  // itself.
  config.adam.update_norm = config.clip / setting.learning_rate;
  config.evaluations = setting.batch < 32 ? 10 : 1;  // long epochs are also evaluated on the way
  return config;
}

}  // namespace jme::train
