#include <jme/inquiry/questions.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "table.hpp"

namespace jme::cli {

CalibrateCommand::CalibrateCommand(CLI::App& root)
    : app_(root.add_subcommand("calibrate", "Noise for a privacy budget, or the budget a noise gives")) {
  add_text(*app_, "--epsilon", epsilon_, "E", "Privacy loss");
  add_text(*app_, "--delta", delta_, "D", "Slack of the guarantee, in (0, 1); well below 1/people");
  add_text(*app_, "--sigma", sigma_, "S", "Noise standard deviation at sensitivity 1");
  app_->add_flag("--json", json_, "One JSON object");
  app_->footer(
      "Give two of epsilon, delta and sigma; the third is computed exactly for the Gaussian mechanism\n"
      "and rounded to the safe side. mu is Gaussian differential privacy, rho zero-concentrated.\n"
      "\nExamples:\n"
      "  jme calibrate --epsilon 1 --delta 1e-6\n"
      "  jme calibrate --sigma 2 --delta 1e-6 --json\n"
      "  jme calibrate --sigma 2 --epsilon 1");
}

ExitCode CalibrateCommand::run() const {
  const nlohmann::ordered_json result =
      answer(CalibrateQuestion{.epsilon = epsilon_, .delta = delta_, .sigma = sigma_});
  Output().write(json_ ? json_line(result) : key_lines(result));
  return ExitCode::ok;
}

}  // namespace jme::cli
