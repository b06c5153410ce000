// docs/reference/settings.md
#include <algorithm>

#include <jme/pipeline/run_fields.hpp>

#include "generated.hpp"
#include "words.hpp"

namespace jme::cli::generate {

namespace {

constexpr std::size_t page_width = 100;

constexpr const char* introduction =
    "<!-- Made by scripts/generate from the table of settings (docs/development/add-a-setting.md). -->\n"
    "# Settings\n"
    "\n"
    "Everything that a run is made from, public before the first row. A setting has the same name "
    "everywhere:\n"
    "\n"
    "| where | how it is written |\n"
    "|---|---|\n"
    "| `jme run`, `jme plan`, `jme bounds` | a flag with dashes: `--norm-bound 1` |\n"
    "| settings file (`jme run --config`) | a key of a JSON object: `\"norm_bound\": 1` |\n"
    "| `POST /v1/streams` of `jme serve` | the same, beside the stream's `name` |\n"
    "| `jme.Stream(...)`, `jme.plan(...)` | a keyword: `norm_bound=1`; `lambda_` and `from_` have an "
    "underscore |\n"
    "| `jme.spark.moments`, `jme.spark.sink` | the same in a mapping, or a settings file |\n";

std::string where(const Field& field) {
  std::vector<std::string> missing;
  if ((field.fronts & Field::served) == 0) missing.emplace_back("streams that are served");
  if ((field.fronts & Field::batches) == 0) missing.emplace_back("Spark");
  std::string text;
  if ((field.fronts & Field::searches) != 0) text += " Also for `jme bounds`.";
  if (!missing.empty()) text += " Not for " + joined(missing, " or ") + '.';
  return text;
}

std::string page_entry(const Field& field) {
  std::string facts = '`' + field.flag() + (field.value.empty() ? "`" : ' ' + field.value + "`: ");
  facts += (field.type == Field::Type::flag ? "" : field.allowed()) + '.';
  if (!field.fallback.empty()) facts += " Default: `" + field.fallback + "`.";
  if (!field.alias.empty()) facts += " Also written `--" + field.alias + "`.";
  facts += where(field);
  if (field.since != "0.1.0") facts += " Since " + field.since + '.';
  const auto linked = [](const Field& other) { return "[`" + other.name + "`](#" + other.name + ')'; };
  return "\n### " + field.name + "\n\n" + wrapped(facts, page_width) + "\n\n" +
         wrapped(long_help(field, linked), page_width) + '\n';
}

}  // namespace

std::string settings_page() {
  std::string text = introduction, group;
  std::vector<std::string> groups;
  for (const RunField& field : run_fields()) {
    if (std::find(groups.begin(), groups.end(), field.group) == groups.end()) groups.push_back(field.group);
  }
  for (const std::string& name : groups) {
    text += "\n## " + name + '\n';
    for (const RunField& field : run_fields()) {
      if (field.group == name) text += page_entry(field);
    }
  }
  return text;
}

}  // namespace jme::cli::generate
