#include <cmath>
#include <string>

#include <fmt/format.h>

#include <jme/clock/time.hpp>
#include <jme/mechanism/moved_rows.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/privacy/gaussian.hpp>

#include "output/counted_rows.hpp"

namespace jme {

namespace {

// The stated guarantee may be weaker than the true one, never stronger.
std::string six_digits_up(double value) {
  std::string nearest = fmt::format("{:.6g}", value);
  if (std::stod(nearest) >= value) return nearest;
  return fmt::format("{:.6g}", value * (1 + 1e-5));
}

std::string budget_words(const Mechanism& mechanism) {
  if (const auto target = mechanism.config().budget.approx_dp()) {
    return fmt::format("epsilon = {}, delta = {} differential privacy", double{target->epsilon},
                       double{target->delta});
  }
  const double delta = 1e-6;
  const std::string but = mechanism.bad_past() > 0 ? fmt::format(", except for events of probability {}",
                                                                 six_digits_up(mechanism.bad_past()))
                                                   : "";
  return fmt::format("mu = {} Gaussian differential privacy{} (for instance epsilon = {} at delta = {:g})",
                     six_digits_up(mechanism.mu()), but,
                     six_digits_up(gdp_epsilon(mechanism.mu(), delta, mechanism.bad_past())), delta);
}

std::string neighbours(const StreamConfig& config) {
  const bool replace = config.adjacency == Adjacency::replace_one, one = config.participation.rows == 1;
  if (config.persons_are_limited) {
    const std::optional<RowWindows>& windows = config.participation.windows;
    const std::string which =
        windows && windows->are_units ? fmt::format(" in one {} (UTC)", window_name(config)) : "";
    return replace ? fmt::format(
                         "all rows of one person{} together are replaced by any other rows of this person{}, "
                         "or are all absent in one of them,",
                         which, windows ? " at the same times" : "")
                   : fmt::format("all rows of one person{} together are there or are all absent", which);
  }
  std::string who =
      one ? "one row" : fmt::format("the rows of one person (at most {})", config.participation.rows);
  const std::string absent = fmt::format("{} there or {} absent", one ? "is" : "are", one ? "is" : "are");
  switch (presence_of(config)) {
    case Presence::complete:
      if (!replace) return who + (one ? " is there or counts as zero" : " are there or count as zero");
      return who + (one ? " is replaced by any other row" : " are replaced by any other rows");
    case Presence::rows:
      if (!replace) return fmt::format("{} {}", who, absent);
      return who + (one ? " is replaced by any other row, or is absent in one of them"
                        : " are replaced by any other rows, or are absent in one of them");
    case Presence::cells:
      if (!replace) return fmt::format("{} {}", who, absent);
      return who +
             (one ? " is replaced by any other row, has other missing cells, or is absent in one of them"
                  : " are replaced by any other rows, have other missing cells, or are absent in one of "
                    "them");
  }
  return who;
}

std::string limits(const Mechanism& mechanism, bool has_bounds) {
  const StreamConfig& config = mechanism.config();
  const bool in_box = mechanism.geometry() == Geometry::box;
  const std::string clamped = has_bounds
                                  ? "Every value is clamped to its column's bounds and mapped to [-1, 1]"
                                  : "Every value is clamped to [-1, 1]";
  const bool clipped = !in_box || config.norm_bound < std::sqrt(static_cast<double>(config.dimension));
  const std::string before = has_bounds || in_box ? clamped + ", then " : "Before anything else ";
  const std::string rule = clipped ? fmt::format("{}every row is clipped to Euclidean length {:g}{}", before,
                                                 config.norm_bound, has_bounds ? " in these units" : "")
                                   : clamped;
  return rule +
         ". Rows beyond the limits still count, but not in full, so results can be off by what was cut away.";
}

std::string what_is_public(const StreamConfig& config) {
  if (config.slot_seconds) {
    return fmt::format(
        "Public, not protected: when slots of time begin and end and that a release follows each of them, "
        "{}the "
        "names and number of the columns, the bounds, and every parameter of this run, the noise's size "
        "included. How many rows there are, in all and in a slot, is private.",
        config.unbounded ? "" : "how many slots there are, ");
  }
  const char* rows = "how many rows there are and when they come";
  if (config.private_count)
    rows = "how many records there are and when they come, but not which of them exist";
  if (config.observed && !config.private_count) {
    rows = "how many rows there are and when they come, but not which cells are missing";
  }
  return fmt::format(
      "Public, not protected: {}{} the names and number of the columns, the bounds, and every parameter of "
      "this "
      "run, the noise's size included.",
      rows, config.observed || config.private_count ? ";" : ",");
}

/// What a row is promised whose time is its owner's data as well.
std::string moved_row(const Mechanism& mechanism) {
  const StreamConfig& config = mechanism.config();
  const double mu = mu_of_moved_rows(mechanism);
  const auto target = config.budget.approx_dp();
  const double delta = target ? double{target->delta} : 1e-6;
  const bool one = config.participation.rows == 1;
  const std::optional<RowWindows>& windows = config.participation.windows;
  if (windows && windows->are_units) {
    return fmt::format(
        "The times of a person's rows decide in which {} they are. Rows that also change their times, within "
        "a {} or from one to another, are changes of two of them, in which rows leave and others come: these "
        "cannot be told apart better than mu = {} Gaussian differential privacy allows, {:.4g} times the mu "
        "of "
        "one (for instance epsilon = {} at delta = {:g}).",
        window_name(config), window_name(config), six_digits_up(mu), mu / mechanism.mu(),
        six_digits_up(gdp_epsilon(mu, delta, mechanism.bad_past())), delta);
  }
  return fmt::format(
      "The promise is about {} more or less{}. {} also {} time, from one slot to another, {} two such "
      "changes, "
      "which cannot be told apart better than mu = {} Gaussian differential privacy allows, {:.4g} times the "
      "mu of "
      "one (for instance epsilon = {} at delta = {:g}).",
      one ? "one row" : "one person's rows",
      config.adjacency == Adjacency::replace_one ? ", or replaced within the same slot" : "",
      one ? "A row that" : "Rows that", one ? "changes its" : "change their", one ? "is" : "are",
      six_digits_up(mu), mu / mechanism.mu(), six_digits_up(gdp_epsilon(mu, delta, mechanism.bad_past())),
      delta);
}

/// What holds for the rows of a person in all windows, where each window has its own promise.
std::string all_windows(const Mechanism& mechanism) {
  const StreamConfig& config = mechanism.config();
  const double mu = *mu_of_all_windows(mechanism);
  if (!std::isfinite(mu)) {
    return fmt::format(
        "Nothing is promised about the rows of a person in all {}s together, whose number has no end.",
        window_name(config));
  }
  const auto target = config.budget.approx_dp();
  const double delta = target ? double{target->delta} : 1e-6;
  return fmt::format(
      "All rows of a person in all {} {}s together cannot be told apart better than mu = {} Gaussian "
      "differential privacy allows, {:.4g} times the mu of one (for instance epsilon = {} at delta = {:g}).",
      config.participation.windows->count, window_name(config), six_digits_up(mu), mu / mechanism.mu(),
      six_digits_up(gdp_epsilon(mu, delta, mechanism.bad_past())), delta);
}

std::string in_each_window(const StreamConfig& config) {
  const RowWindows& windows = *config.participation.windows;
  const std::string in_all =
      windows.are_units ? "" : fmt::format(", and {} in all", config.participation.rows);
  return fmt::format(
      "This holds however many rows a person has: in each {} (UTC) only the first {} that carry a person's "
      "id{}, "
      "whatever is in their other cells, and every further one is a row without cells, as is a row without "
      "an "
      "id or, where times are read, without a time. The ids are trusted: somebody with two ids has two such "
      "limits, and who writes rows under another person's id can use up that person's.",
      window_name(config), windows.rows == 1 ? "row counts" : fmt::format("{} rows count", windows.rows),
      in_all);
}

/// Records that are nobody's let later ones count in their place.
std::string broken_records(double mu) {
  return fmt::format(
      "A record whose id cannot be read is nobody's, and a later one counts in its place: broken JSON, an id "
      "given twice, more than 64 MiB, CSV of another width or with an open quote unless the id comes first. "
      "Streams in which a person's records also differ in this cannot be told apart better than mu = {} "
      "Gaussian differential privacy allows, 2 times the mu of other changes.",
      six_digits_up(2 * mu));
}

std::string person(const StreamConfig& config) {
  if (config.participation.windows) return in_each_window(config) + statement_of_counted_rows(config);
  if (config.persons_are_limited) {
    const std::size_t rows = config.participation.rows;
    return fmt::format(
        "This holds however many rows a person has: only the first {} that carry a person's id, whatever is "
        "in their other cells, and every further one is a row without cells, as is a row without an id. The "
        "ids are trusted: somebody with two ids has two such limits, and who writes rows under another "
        "person's id can use up that person's.{}",
        rows == 1 ? std::string("row counts") : fmt::format("{} rows count", rows),
        statement_of_counted_rows(config));
  }
  if (config.participation.rows == 1) {
    return "One person is assumed to contribute a single row; a person with more rows is protected less.";
  }
  const std::size_t apart = config.participation.separation;
  return fmt::format(
      "One person is assumed to contribute at most {} rows{}; a person with more rows{} is protected less.",
      config.participation.rows,
      apart > 1 ? fmt::format(", any two of them at least {} rows apart", apart) : "",
      apart > 1 ? " or closer ones" : "");
}

/// What both together allow, for bounds that were found on rows or people of this run.
std::string together(const Mechanism& mechanism, const BoundsOrigin& origin) {
  const auto target = mechanism.config().budget.approx_dp();
  const double mu = origin.mu_with(mechanism.mu()), delta = target ? double{target->delta} : 1e-6;
  std::string text =
      fmt::format("both together allow mu = {} (for instance epsilon = {} at delta = {:g})",
                  six_digits_up(mu), six_digits_up(gdp_epsilon(mu, delta, mechanism.bad_past())), delta);
  const std::optional<double> windows = mu_of_all_windows(mechanism);
  if (windows && std::isfinite(*windows)) {
    text += fmt::format(", and mu = {} about all rows of a person in all {}s",
                        six_digits_up(origin.mu_with(*windows)), window_name(mechanism.config()));
  }
  if (mechanism.config().slot_seconds) {
    text += fmt::format(", and mu = {} about rows that also change their time",
                        six_digits_up(origin.mu_with(mu_of_moved_rows(mechanism))));
  }
  return text;
}

std::string about_bounds(const Mechanism& mechanism, const BoundsOrigin& origin, bool are_sought) {
  std::string text = fmt::format(
      "The bounds {} from the first {} records of the input, with epsilon = {}, delta = {} differential "
      "privacy. ",
      are_sought ? "are not known. They will be found" : "were not known beforehand. They were found",
      origin.first, double{origin.budget.epsilon}, double{origin.budget.delta});
  if (origin.insecure) text = "NOT PRIVATE: the bounds were found with a test seed. " + text;
  if (origin.same_rows) {
    return text + fmt::format("These records count here as well: {}.", together(mechanism, origin));
  }
  if (origin.rows_move && origin.per_person) {
    return text +
           fmt::format(
               "This run leaves these records out. A person may have rows in both parts: {}. Which records "
               "were searched is decided by their places, so that here a person who is absent leaves records "
               "without an id in place.",
               together(mechanism, origin));
  }
  if (origin.rows_move) {
    return text +
           fmt::format(
               "This run leaves these records out. A row more or less moves another one from them into the "
               "run: {}.",
               together(mechanism, origin));
  }
  text += "This run leaves these records out, which holds if its input is the one that was searched. ";
  if (origin.participations == 1 && !origin.per_person) {
    return text +
           "A row is then in one of the two parts, and both together protect it as the weaker of them does.";
  }
  return text + fmt::format("A person may have rows in both parts: {}.", together(mechanism, origin));
}

}  // namespace

std::vector<std::string> privacy_statement(const RunDescription& run) {
  std::vector<std::string> text =
      privacy_statement(run.mechanism, !run.bounds.is_none(), run.insecure_seed.has_value());
  if (presence_of(run.mechanism.config()) != Presence::complete) {
    text.insert(text.end() - 1, statement_of_bad_rows(run));
  }
  if (run.persons_in_one_partition) {
    text.insert(
        text.end() - 1,
        "All rows of a person are assumed to be in one partition of the topic. Where somebody has rows "
        "in several, the rows of other people decide which of them count, and these other people are "
        "protected less.");
  }
  if (run.bounds_origin)
    text.insert(text.end() - 1, about_bounds(run.mechanism, *run.bounds_origin, run.bounds_are_sought));
  return text;
}

std::vector<std::string> privacy_statement(const Mechanism& mechanism, bool has_bounds, bool insecure_seed) {
  const StreamConfig& config = mechanism.config();
  const Horizon& horizon = mechanism.horizon();
  std::vector<std::string> text;
  if (insecure_seed) {
    text.emplace_back(
        "NOT PRIVATE: the noise comes from a test seed that anybody can guess. What follows would hold with "
        "noise "
        "keyed from the system.");
  }
  const std::string length =
      horizon.has_slots() && !horizon.is_unbounded()
          ? fmt::format("of {} slots of {} and as many releases", horizon.steps(),
                        duration_text(static_cast<Seconds>(*config.slot_seconds)))
      : horizon.is_unbounded()
          ? fmt::format(
                "however long it becomes (no horizon was chosen; it ends after {} releases at the "
                "latest)",
                horizon.steps())
          : fmt::format("of at most {} rows and {} releases", horizon.rows(), horizon.steps());
  text.push_back(fmt::format(
      "Two streams in which {} cannot be told apart from all releases together better than {} "
      "allows. This is spent once for the whole stream, {}, whatever is computed from the releases "
      "later, even if later rows depend on earlier releases.",
      neighbours(config), budget_words(mechanism), length));
  if (mechanism.sampler_cost() > 0.01) {
    text.push_back(fmt::format(
        "This includes what rounding errors inside the noise could reveal over this many draws, for which "
        "{} is {:.2g}% larger than it would be without them.",
        config.budget.sigma ? "mu" : "the noise", 100 * mechanism.sampler_cost()));
  }
  if (config.slot_seconds) text.push_back(moved_row(mechanism));
  text.push_back(person(config));
  if (config.persons_are_limited) text.push_back(broken_records(mechanism.mu()));
  if (mu_of_all_windows(mechanism)) text.push_back(all_windows(mechanism));
  text.push_back(limits(mechanism, has_bounds));
  text.push_back(what_is_public(config));
  text.emplace_back(
      "Not promised: that nothing can be learnt about a person from what holds for the whole population; "
      "protection "
      "for data on the same people published elsewhere, whose privacy losses add up with this one; running "
      "the same "
      "rows again, which spends as much again; the secrecy of the input itself and of the machine it is on.");
  return text;
}

}  // namespace jme
