#include "store/source_budget.hpp"

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::store {

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
