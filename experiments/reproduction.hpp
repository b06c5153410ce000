#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/finished.hpp"
#include "experiments/items.hpp"

namespace jme::experiments {

/// An item with its result.
struct Outcome {
  const Item* item;
  Finished finished;
  bool kept;  ///< the result was there already
};

struct Reproduction {
  std::filesystem::path folder;
  std::vector<const Item*> items;
  Effort effort;
  bool fresh = false;  ///< compute results again that are there already
  std::string version{};
  /// Called when an item begins, with its place among all.
  std::function<void(const Item&, std::size_t place)> begins = [](const Item&, std::size_t) {};
  /// Called when it ends.
  std::function<void(const Outcome&)> ends = [](const Outcome&) {};
};

/// Computes what is missing, and writes for every item a folder with figure.json, and for every chart and
/// table of it an SVG and a CSV; then index.html of all finished items in the folder. Throws Error where the
/// folder cannot be written to.
std::vector<Outcome> reproduce(const Reproduction& reproduction);

/// The item called `name`; throws InvalidParameter, naming all, where there is none.
[[nodiscard]] const Item& item_called(std::string_view name);

}  // namespace jme::experiments
