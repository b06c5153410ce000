#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/output/found_bounds.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/version.hpp>

namespace jme {

namespace {

using Json = nlohmann::ordered_json;
using Kind = FoundRange::Kind;

const char* word_for(Kind kind) {
  switch (kind) {
    case Kind::found:
      return "found";
    case Kind::constant:
      return "looks constant";
    case Kind::not_found:
      break;
  }
  return "not found";
}

Json column_json(const FoundRange& range) {
  Json object{{"result", word_for(range.kind)}};
  if (range.kind == Kind::not_found) return object;
  object["range"] = {range.low, range.high};
  object["outside"] = range.outside;
  object["noise_std"] = {{"outside", range.outside_std}};
  if (const std::string warning = warning_about(range); !warning.empty()) object["warning"] = warning;
  return object;
}

std::string neighbours(const BoundsOrigin& origin) {
  if (origin.per_person) {
    return origin.adjacency == Adjacency::replace_one
               ? "all records of one person together are replaced by any other records of this person, or "
                 "all "
                 "have no cells in one of them,"
               : "all records of one person together are there or have no cells";
  }
  const bool one = origin.participations == 1, replace = origin.adjacency == Adjacency::replace_one;
  const std::string who =
      one ? "one record" : fmt::format("the records of one person (at most {})", origin.participations);
  if (replace) return who + (one ? " is replaced by any other record" : " are replaced by any other records");
  return who + (one ? " is there or has no cells" : " are there or have no cells");
}

}  // namespace

BoundsOrigin BoundsOrigin::of(const RangeSearchConfig& config, bool insecure) {
  return {.first = config.records,
          .budget = config.budget,
          .mu = RangeSearch(config).mu(),
          .adjacency = config.adjacency,
          .participations = config.records_per_person,
          .insecure = insecure};
}

double BoundsOrigin::mu_with(double run) const {
  // A single row is in one of the two parts, by its place. A person with several rows may be in both, and one
  // whose rows are limited by ids is limited in each.
  const bool is_in_one_part = !rows_move && !same_rows && participations == 1 && !per_person;
  return is_in_one_part ? std::max(mu, run) : std::hypot(mu, run) * (1 + 0x1p-50);
}

Json origin_json(const BoundsOrigin& origin) {
  Json object{{"first", origin.first},
              {"epsilon", double{origin.budget.epsilon}},
              {"delta", double{origin.budget.delta}},
              {"mu", origin.mu},
              {"adjacency", name(origin.adjacency)},
              {"participations", origin.participations}};
  if (origin.per_person) object["per_person"] = true;
  if (!origin.source.empty()) object.update({{"source", origin.source}, {"stream", origin.stream}});
  if (origin.insecure) object["insecure"] = true;
  return object;
}

Json found_bounds_json(const FoundBounds& found) {
  Json bounds = Json::object(), columns = Json::object();
  for (std::size_t i = 0; i < found.columns.size(); ++i) {
    const FoundRange& range = found.ranges[i];
    if (range.kind == Kind::found) bounds[found.columns[i]] = {range.low, range.high};
    columns[found.columns[i]] = column_json(range);
  }
  return {{"bounds", std::move(bounds)},
          {"search", origin_json(found.origin)},
          {"columns", std::move(columns)},
          {"statement", one_line(search_statement(found.origin))},
          {"jme", version}};
}

std::vector<std::string> search_statement(const BoundsOrigin& origin) {
  std::vector<std::string> text;
  if (origin.insecure) {
    text.emplace_back(
        "NOT PRIVATE: the noise comes from a test seed that anybody can guess. What follows would hold with "
        "noise keyed from the system.");
  }
  text.push_back(fmt::format(
      "Two inputs in which {} cannot be told apart from these ranges and shares together better than epsilon "
      "= {}, delta = {} differential privacy allows. This is spent once, by this search of the first {} "
      "records; another search of them spends again.",
      neighbours(origin), double{origin.budget.epsilon}, double{origin.budget.delta}, origin.first));
  text.push_back(
      origin.per_person
          ? fmt::format("Of every person the first {} records here count, by the ids they carry, which "
                        "are trusted. A record whose id cannot be read is nobody's: a person who breaks "
                        "records, so that later ones count, is protected by twice the mu of this search.",
                        origin.participations)
      : origin.participations == 1
          ? "One person is assumed to have a single record; a person with more records is "
            "protected less."
          : fmt::format("One person is assumed to have at most {} records; a person with more "
                        "records is protected less.",
                        origin.participations));
  text.emplace_back(
      "Public, not protected: how many records there are, the names and number of the columns, and every "
      "parameter of this search, the noise's size included.");
  text.emplace_back(
      "Not promised: that the ranges hold any share of the cells of data with rare large values; that "
      "nothing "
      "can be learnt about a person from what holds for the whole population; protection for data on the "
      "same people published elsewhere, whose privacy losses add up with this one.");
  return text;
}

std::string warning_about(const FoundRange& range) {
  switch (range.kind) {
    case Kind::not_found:
      return "no range was found: its cells are too few or too scattered for this budget; search more "
             "records, or state public bounds";
    case Kind::constant:
      return range.low < 0 && range.high > 0 ? "nearly all cells look like 0: other values are too rare to "
                                               "be found, and a mean over this "
                                               "range would miss them; state public bounds"
                                             : "looks constant: state public bounds, or leave the column out";
    case Kind::found:
      break;
  }
  if (!range.has_many_outside()) return {};
  return fmt::format(
      "about {:.1f}% of the cells are outside (+- {:.1f}%): rare large values would be cut to the range, and "
      "a "
      "mean over it would miss them",
      100 * range.outside, 100 * range.outside_std);
}

}  // namespace jme
