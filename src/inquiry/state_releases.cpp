#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/inquiry/state_releases.hpp>
#include <jme/store/stored_releases.hpp>

namespace jme {
namespace {

using Json = nlohmann::ordered_json;

/// Stored settings have the names of flags, and all values as text.
Json metadata_of(const Settings& settings) {
  Json configuration = Json::object(), columns = Json::array();
  for (const Setting& setting : settings) {
    std::string name = setting.name;
    std::replace(name.begin(), name.end(), '-', '_');
    configuration[name] = setting.value;
    if (name == "private_count") configuration[name] = setting.value == "true";
  }
  for (std::size_t i = 1;; ++i) {
    const std::string_view name = value_of(settings, fmt::format("column {}", i));
    if (name.empty()) break;
    columns.push_back(name);
  }
  const auto real = [&](std::string_view name) {
    const std::string_view text = value_of(settings, name);
    return text.empty() ? Json() : Json::parse(text);
  };
  configuration["std_first"] = real("noise of the first moment");
  configuration["std_rows"] = real("noise of the count of rows");
  configuration["std_count"] = real("noise of counts of cells");
  configuration["lambda"] = real("lambda");
  const Json sigma = real("sigma");
  return {{"configuration", configuration},
          {"privacy",
           {{"epsilon", real("epsilon")},
            {"delta", real("delta")},
            {"sigma", sigma},
            {"adjacency", value_of(settings, "adjacency")}}},
          {"columns", columns}};
}

}  // namespace

ReleasedRun released_by_state(const std::filesystem::path& directory, std::string_view source,
                              std::string_view stream, const MatrixReader& read_matrix) {
  const Settings settings = stored_settings(directory, source, stream);
  if (value_of(settings, kind_setting) == search_kind) {
    throw StateError("state: this stream is a search for bounds, which releases no moments");
  }
  ReleasedRun releases(run_of_metadata(metadata_of(settings), read_matrix));
  stored_releases(directory, source, stream, ReleaseLayout::of(releases.run().mechanism()),
                  [&](const Release& release) { releases.add(release); });
  return releases;
}

}  // namespace jme
