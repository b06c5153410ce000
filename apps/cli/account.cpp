#include <jme/inquiry/questions.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "table.hpp"

namespace jme::cli {

AccountCommand::AccountCommand(CLI::App& root)
    : app_(root.add_subcommand("account", "What training on sampled batches costs, or the noise it needs")) {
  add_text(*app_, "--sampling-rate", sampling_rate_, "Q",
           "Probability with which a row enters a batch (expected batch / rows)");
  add_text(*app_, "--steps", steps_, "N", "Batches in all");
  add_text(*app_, "--delta", delta_, "D", "Slack of the guarantee, in (0, 1); well below 1/people");
  add_text(*app_, "--sigma", sigma_, "S", "Noise standard deviation of a step at sensitivity 1");
  add_text(*app_, "--epsilon", epsilon_, "E",
           "Privacy loss of all steps together: finds the least sigma for it");
  add_text(*app_, "--adjacency", adjacency_, "A", "add-remove (default) or replace-one");
  app_->add_flag("--json", json_, "One JSON object");
  app_->footer(
      "Every row enters every batch independently (Poisson sampling) and each step draws fresh noise. "
      "epsilon_pld is\n"
      "an upper bound by the privacy loss distribution, epsilon_rdp the looser one by Renyi divergences over "
      "all\n"
      "orders. Under add-remove the sensitivity is the largest length of one row's contribution, under\n"
      "replace-one twice that.\n"
      "Noise shaped over steps (banded, blt, ...) gains nothing from sampling here. For several epochs of "
      "it,\n"
      "jme sensitivity with --participations and --separation gives the sensitivity s, jme calibrate the "
      "sigma:\n"
      "the noise is sigma s.\n"
      "\nExamples:\n"
      "  jme account --sampling-rate 0.00512 --steps 1960 --delta 1e-6 --sigma 1\n"
      "  jme account --sampling-rate 0.01 --steps 1e4 --delta 1e-5 --epsilon 2 --json\n"
      "  jme account --sampling-rate 0.01 --steps 1e4 --delta 1e-5 --sigma 2 --adjacency replace-one\n"
      "  jme sensitivity --dimension 10 --norm-bound 1 --steps 1000 --shape blt:2 --workload decay:0.9 "
      "--participations 5 --separation 200");
}

ExitCode AccountCommand::run() const {
  const nlohmann::ordered_json result = answer(AccountQuestion{.sampling_rate = sampling_rate_,
                                                               .steps = steps_,
                                                               .delta = delta_,
                                                               .sigma = sigma_,
                                                               .epsilon = epsilon_,
                                                               .adjacency = adjacency_});
  Output().write(json_ ? json_line(result) : key_lines(result));
  return ExitCode::ok;
}

}  // namespace jme::cli
