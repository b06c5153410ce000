#include "store/source_budget.hpp"

#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::store {

About about_stream(const Mechanism& mechanism, const DurableOptions& options) {
  About about;
  const auto add = [](Settings& to, std::string name, std::string value) {
    to.push_back({.name = std::move(name), .value = std::move(value)});
  };
  add(about.settings, "source", options.source);
  add(about.settings, "stream", options.stream);
  for (Setting& setting : settings_of(mechanism)) about.settings.push_back(std::move(setting));
  for (const Setting& setting : options.details) about.settings.push_back(setting);
  if (options.insecure_seed) {
    add(about.settings, "insecure-test-seed", fmt::format("{}", options.insecure_seed->value));
  }
  add(about.facts, "mu", fmt::format("{}", mechanism.mu()));
  add(about.facts, "bad-past", fmt::format("{}", mechanism.bad_past()));
  return about;
}

void check_source_budget(const DurableOptions& options, const About& about) {
  if (!options.max_mu) return;
  const Ledger ledger = Ledger::read(options.directory);
  const LedgerEntry next = entry_of(about);
  const double spent = ledger.mu_of(options.source), total = ledger.mu_with(next);
  if (total <= *options.max_mu) return;
  throw BudgetExhausted(fmt::format(
      "source {}: mu = {:.6g} was spent and this stream would spend {:.6g}, together {:.6g}: more "
      "than the {:.6g} allowed",
      options.source, spent, next.mu, total, *options.max_mu));
}

}  // namespace jme::store
