#include "field_flags.hpp"

#include <string>

#include <jme/pipeline/run_fields.hpp>

namespace jme::cli {

namespace {

void add(CLI::App& app, RunSettings& given, const RunField& field) {
  std::string names = field.flag();
  if (!field.alias.empty()) names += ",--" + field.alias;
  const auto store = [&given, name = field.name](const std::string& text) { given.set(name, text); };
  CLI::Option* option =
      field.type == Field::Type::flag
          ? app.add_flag_callback(
                names, [store] { store("true"); }, field.help)
          : app.add_option_function<std::string>(names, store, field.help)->type_name(field.value);
  option->group(field.group);
}

}  // namespace

void add_fields(CLI::App& app, RunSettings& given, Field::Front front) {
  for (const RunField& field : run_fields()) {
    if ((field.fronts & front) != 0) add(app, given, field);
  }
}

}  // namespace jme::cli
