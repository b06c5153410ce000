#include <jme/inquiry/questions.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "table.hpp"

namespace jme::cli {

AccountCommand::AccountCommand(CLI::App& root)
    : app_(root.add_subcommand("account", "What training on sampled batches costs, or the noise it needs")) {
  add_text(*app_, "--sampling-rate", sampling_rate_, "Q", "Expected batch size over the number of rows");
  add_text(
      *app_, "--sampling", sampling_, "S",
      "poisson (default): every row enters every batch by chance; cyclic-poisson: the same in every B-th "
      "step; allocation: one step of its class in every epoch");
  add_text(*app_, "--bands", bands_, "B",
           "Bands of the matrix that shapes the noise, with columns of norm 1");
  add_text(*app_, "--steps", steps_, "N", "Batches in all");
  add_text(*app_, "--epochs", epochs_, "E", "Passes over the rows in all, instead of --steps");
  add_text(*app_, "--delta", delta_, "D", "Slack of the guarantee, in (0, 1); well below 1/people");
  add_text(*app_, "--sigma", sigma_, "S", "Noise standard deviation of a step at sensitivity 1");
  add_text(*app_, "--epsilon", epsilon_, "E",
           "Privacy loss of all steps together: finds the least sigma for it");
  add_text(*app_, "--adjacency", adjacency_, "A",
           "add-remove (default) or replace-one (not with allocation)");
  app_->add_flag("--json", json_, "One JSON object");
  app_->footer(
      "epsilon_pld is an upper bound by the privacy loss distribution, epsilon_rdp the looser one by Renyi\n"
      "divergences over all orders. The sensitivity is the largest length of one row's contribution under\n"
      "add-remove, and twice that under replace-one.\n"
      "Shaped noise needs cyclic-poisson or allocation: a row may take part only in the steps of its class,\n"
      "every B-th one. Noise with more bands than B, such as blt, gains nothing from sampling; for it,\n"
      "jme sensitivity with --participations and --separation gives the sensitivity s, jme calibrate the\n"
      "sigma: the noise is sigma s.\n"
      "\nExamples:\n"
      "  jme account --sampling-rate 0.00512 --steps 1960 --delta 1e-6 --sigma 1\n"
      "  jme account --sampling allocation --sampling-rate 0.01 --bands 10 --epochs 4 --delta 1e-6 --epsilon "
      "2\n"
      "  jme account --sampling-rate 0.01 --steps 1e4 --delta 1e-5 --sigma 2 --adjacency replace-one\n"
      "  jme sensitivity --dimension 10 --norm-bound 1 --steps 1000 --shape blt:2 --workload decay:0.9 "
      "--participations 5 --separation 200");
}

ExitCode AccountCommand::run() const {
  const nlohmann::ordered_json result = answer(AccountQuestion{.sampling = sampling_,
                                                               .sampling_rate = sampling_rate_,
                                                               .bands = bands_,
                                                               .steps = steps_,
                                                               .epochs = epochs_,
                                                               .delta = delta_,
                                                               .sigma = sigma_,
                                                               .epsilon = epsilon_,
                                                               .adjacency = adjacency_});
  Output().write(json_ ? json_line(result) : key_lines(result));
  return ExitCode::ok;
}

}  // namespace jme::cli
