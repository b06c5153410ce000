#include "experiments/reproduction.hpp"

#include <chrono>
#include <system_error>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "experiments/chart_drawing.hpp"
#include "experiments/csv.hpp"
#include "experiments/page.hpp"

namespace jme::experiments {
namespace {

void make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("{}: cannot be made: {}", folder.string(), failed.message()));
}

void write_files(const std::filesystem::path& folder, const Figure& figure) {
  for (const Chart& chart : figure.charts) {
    write_file(folder / (chart.name + ".csv"), csv_of(chart));
    write_file(folder / (chart.name + ".svg"), drawing_of(chart).file());
  }
  for (const Table& table : figure.tables) write_file(folder / (table.name + ".csv"), csv_of(table));
}

Finished computed(const Item& item, const Effort& effort) {
  const auto start = std::chrono::steady_clock::now();
  Finished finished{.figure = item.compute(effort)};
  finished.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return finished;
}

/// Everything finished in the folder, whether or not it was asked for now, in the order of all items.
std::vector<Outcome> all_finished(const FinishedItems& store) {
  std::vector<Outcome> found;
  for (const Item& item : items()) {
    if (auto finished = store.find(item.name)) found.push_back({&item, std::move(*finished), true});
  }
  return found;
}

}  // namespace

const Item& item_called(std::string_view name) {
  std::string names = "all";
  for (const Item& item : items()) {
    if (item.name == name) return item;
    names += fmt::format(", {}", item.name);
  }
  throw InvalidParameter("name", name, "one of " + names);
}

std::vector<Outcome> reproduce(const Reproduction& reproduction) {
  make_folder(reproduction.folder);
  const FinishedItems store(reproduction.folder, reproduction.effort);
  std::vector<Outcome> outcomes;
  for (const Item* item : reproduction.items) {
    reproduction.begins(*item, outcomes.size());
    auto known = reproduction.fresh ? std::nullopt : store.find(item->name);
    Outcome outcome{.item = item,
                    .finished = known ? std::move(*known) : computed(*item, reproduction.effort),
                    .kept = known.has_value()};
    const std::filesystem::path folder = reproduction.folder / item->name;
    make_folder(folder);
    write_files(folder, outcome.finished.figure);
    // Last, so that an item counts as finished only with all its files.
    if (!outcome.kept) store.keep(item->name, outcome.finished);
    write_file(reproduction.folder / "index.html", page_of(all_finished(store), reproduction));
    reproduction.ends(outcome);
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace jme::experiments
