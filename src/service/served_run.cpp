// What a stream that many write to may be.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/service/served_stream.hpp>

#include "service/plan_limit.hpp"

namespace jme {

namespace {

std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("{}", i));
  return names;
}

}  // namespace

std::unique_ptr<PreparedRun> prepared_run(const RunSettings& settings, const PlanCost* most) {
  RunConfig config = run_config(settings);
  if (most != nullptr) service::check_plan_cost(config.stream, *most);
  config.records = settings["records"].value_or("lines");
  auto run = std::make_unique<PreparedRun>(std::move(config));
  if (run->columns().empty()) run->adopt_columns(numbered_names(run->mechanism().config().dimension));
  return run;
}

}  // namespace jme
