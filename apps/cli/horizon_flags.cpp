#include "horizon_flags.hpp"

#include <jme/pipeline/run_fields.hpp>

namespace jme::cli {

void HorizonFlags::attach(CLI::App& app) {
  const auto add = [&](const std::string& name, Text& target) {
    const RunField& field = *find_run_field(name);
    add_text(app, "--" + name, target, field.value, field.help)->group(field.group);
  };
  add("rows", rows);
  add("steps", steps);
  add("every", every);
}

}  // namespace jme::cli
