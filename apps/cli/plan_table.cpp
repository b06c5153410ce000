#include "plan_table.hpp"

#include <optional>

#include <fmt/format.h>

#include <jme/output/plan_json.hpp>

#include "table.hpp"

namespace jme::cli {

namespace {

std::string balance_line(const PlanBalances& both) {
  const double first = 100 * (both.balanced->rmse_first / both.free->rmse_first - 1);
  const double second = 100 * (1 - both.balanced->rmse_second / both.free->rmse_second);
  return fmt::format(
      "Balance with {}: free (jme) takes nothing from the first moment; balanced (lambda-jme) costs it "
      "{:.1f}% "
      "and takes {:.1f}% off the second moment's error; for any other balance: --balance WEIGHT\n",
      both.free->shape.name(), first, second);
}

std::string figure(double value) {
  return fmt::format("{:.5g}", value);
}

}  // namespace

std::string plan_table(const Plan& plan) {
  std::vector<std::vector<std::string>> rows{{"", "method", "shape", "geometry", "std_first", "std_diagonal",
                                              "std_off", "rmse_first", "rmse_second", "error_first",
                                              "error_second", "state", "note"}};
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const PlanCandidate& c = plan.candidates[i];
    rows.push_back({i == plan.recommended ? "*" : "", std::string(name(c.method)),
                    c.shape_second ? c.shape.name() + " / " + c.shape_second->name() : c.shape.name(),
                    std::string(name(c.geometry)), figure(c.noise.std_first), figure(c.noise.std_diagonal()),
                    figure(c.noise.std_off_diagonal), figure(c.rmse_first), figure(c.rmse_second),
                    figure(c.error_first), figure(c.error_second.high), fmt::format("{}", c.state_vectors),
                    c.note});
  }
  using enum Align;
  std::string text =
      aligned(rows, {left, left, left, left, right, right, right, right, right, right, right, right, left});
  for (const std::string& reason : plan.left_out) text += "not compared: " + reason + '\n';
  if (const std::optional<PlanBalances> both = plan_balances(plan)) text += balance_line(*both);
  return text;
}

}  // namespace jme::cli
