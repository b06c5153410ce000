#pragma once

#include "experiments/paper_training.hpp"
#include "training.hpp"

namespace jme::train {

using experiments::PaperLine;
using experiments::PaperSetting;

/// The paper's line as our trainer runs it (docs/training.md derives the reading). `method`: the line's own
/// method, or jme with per-example squares in place of the paper's.
[[nodiscard]] TrainingConfig paper_config(const PaperSetting& setting, const PaperLine& line,
                                          BatchMethod method);

}  // namespace jme::train
