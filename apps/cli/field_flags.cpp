#include "field_flags.hpp"

#include <algorithm>
#include <string>

#include <jme/pipeline/run_fields.hpp>

namespace jme::cli {

namespace {

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

void add(CLI::App& app, RunSettings& given, const RunField& field) {
  std::string names = dashed(field.name);
  if (!field.alias.empty()) names += "," + dashed(field.alias);
  const auto store = [&given, name = field.name](const std::string& text) { given.set(name, text); };
  CLI::Option* option =
      field.type == Field::Type::flag
          ? app.add_flag_callback(
                names, [store] { store("true"); }, field.help)
          : app.add_option_function<std::string>(names, store, field.help)->type_name(field.value);
  option->group(field.group);
}

}  // namespace

void add_field(CLI::App& app, RunSettings& given, std::string_view name) {
  add(app, given, *find_run_field(name));
}

void add_fields(CLI::App& app, RunSettings& given, std::string_view group) {
  for (const RunField& field : run_fields()) {
    if (field.group == group) add(app, given, field);
  }
}

}  // namespace jme::cli
