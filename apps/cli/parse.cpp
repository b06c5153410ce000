#include "parse.hpp"

#include <jme/base/errors.hpp>
#include <jme/data/npy.hpp>
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

Workload parse_workload(const std::string& text, std::string_view name) {
  if (text.starts_with('@')) return custom(read_npy_matrix(text.substr(1), name), text);
  return Workload::parse(text, name);
}

Shape parse_shape(const std::string& text, std::string_view name) {
  if (text.starts_with('@')) return Shape::custom(read_npy_matrix(text.substr(1), name), text);
  return Shape::parse(text, name);
}

Objective parse_objective(std::string_view text) {
  if (text == "rmse") return Objective::rmse;
  if (text == "max") return Objective::max;
  throw InvalidParameter("objective", text, "rmse or max");
}

}  // namespace jme::cli
