#include "parse.hpp"

#include <jme/pipeline/run_fields.hpp>

namespace jme::cli {

CLI::Option* add_text(CLI::App& app, const std::string& names, Text& target, const std::string& type,
                      const std::string& description) {
  return app
      .add_option_function<std::string>(
          names, [&target](const std::string& text) { target = text; }, description)
      ->type_name(type);
}

std::string shape_help() {
  return find_run_field("shape")->help;
}

std::string workload_help() {
  return find_run_field("workload")->help;
}

}  // namespace jme::cli
