#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/clock/time.hpp>
#include <jme/store/ledger.hpp>

#include "store/file.hpp"
#include "store/folder.hpp"
#include "store/key_file.hpp"
#include "store/source_budget.hpp"
#include "store/stream_files.hpp"
#include "store/stream_log.hpp"

namespace jme {

namespace {

using store::KeyFile;
using store::StreamFiles;
using store::StreamLog;

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A writer changes the counters while we read them; only a stream that nobody writes can be checked.
bool is_locked(const StreamFiles& files) {
  if (!store::is_there(files.lock)) return false;
  return !store::File(files.lock, O_RDONLY).try_lock();
}

/// Releases that were changed, or do not end where the head says. A process that has begun to write meanwhile
/// changes them while we read.
std::string problem_of_releases(const StreamFiles& files, StreamLog& log) {
  try {
    log.check_all();
  } catch (const Error& error) {
    if (!is_locked(files)) return error.what();
  }
  return {};
}

std::string problem_of(const StreamFiles& files, StreamLog& log, bool in_use, LedgerCheck check) {
  if (!store::is_there(files.key)) return "its key file is missing: it cannot go on";
  const KeyFile key_file(files.key, KeyFile::Access::read);
  if (log.old_format()) return {};  // what older versions wrote is checked by them
  log.unlock(store::StreamKeys(key_file.key(), log.about().identity()));
  log.check_head();
  const std::uint64_t state = log.head().counter, key = key_file.counter();
  if (in_use) return {};
  if (state == key || state == key + 1) {
    return check == LedgerCheck::everything ? problem_of_releases(files, log) : "";
  }
  return state < key ? "it is an old copy: more was released than it knows"
                     : "its key file is an old copy: it cannot go on";
}

void describe(LedgerEntry& entry, const store::About& about) {
  const auto real = [&](const Settings& settings, std::string_view name) {
    return parsed<double>(value_of(settings, name));
  };
  const auto fact = [&](std::string_view name) {
    const auto value = real(about.facts, name);
    if (!value) throw StateError(fmt::format("the state is damaged: it does not say its {}", name));
    return *value;
  };
  entry.mu = fact("mu");
  entry.is_old = value_of(about.settings, mechanism_version_setting).empty();
  entry.bad_past = fact(entry.is_old ? "sampler-delta" : "bad-past");
  if (entry.is_old) entry.old_sampler_epsilon = fact("sampler-epsilon");
  entry.epsilon = real(about.settings, "epsilon");
  entry.delta = real(about.settings, "delta");
  entry.is_search = value_of(about.settings, kind_setting) == search_kind;
  entry.leaves_out = value_of(about.settings, left_out_setting);
  // Slots of time have no number of rows; their length ends with a unit.
  const std::string_view every = value_of(about.settings, "every");
  entry.has_slots = !every.empty() && (every.back() < '0' || every.back() > '9');
  entry.horizon = parsed<std::uint64_t>(value_of(about.settings, entry.has_slots ? "steps" : "rows"));
  entry.created = about.created;
  entry.insecure = !value_of(about.settings, "insecure-test-seed").empty();
  entry.source = value_of(about.settings, "source");
  entry.stream = value_of(about.settings, "stream");
  entry.settings = about.settings;
}

void describe(LedgerEntry& entry, const StreamLog& log) {
  describe(entry, log.about());
  const store::Head& head = log.head();
  entry.rows = head.state.rows;
  entry.releases = head.state.steps;
  entry.finished = head.state.finished || entry.rows == entry.horizon;
  entry.updated = head.updated;
}

/// How often the key file says that its stream was committed; none where it cannot be read.
std::optional<std::uint64_t> commits_of_key(const StreamFiles& files) {
  try {
    return KeyFile(files.key, KeyFile::Access::read).counter();
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// None where creating the stream was interrupted before anything was charged.
std::optional<std::string> problem_of_empty_database(std::optional<std::uint64_t> commits) {
  if (!commits) {
    return "its database is empty, and its key file is missing or cannot be read: a copy that was made while "
           "the stream was open needs the file with -wal as well";
  }
  if (*commits == 0) return std::nullopt;
  return fmt::format("its database is empty, but its key file says that it was committed {} times", *commits);
}

std::optional<LedgerEntry> read_entry(const StreamFiles& files, LedgerCheck check) {
  LedgerEntry entry{.file = files.database.filename().string(), .source = {}, .stream = {}};
  try {
    entry.in_use = is_locked(files);
    if (!store::is_there(files.database)) {
      if (KeyFile(files.key, KeyFile::Access::read).counter() == 0) return std::nullopt;
      entry.problem = "the database of this key file is gone";
      return entry;
    }
    // Before the database, which may be made while we look.
    const std::optional<std::uint64_t> commits = commits_of_key(files);
    StreamLog log(files.database, StreamLog::Access::read);
    if (log.is_empty()) {
      const auto problem = problem_of_empty_database(commits);
      if (!problem) return std::nullopt;
      entry.problem = *problem;
      return entry;
    }
    describe(entry, log);
    // What other versions released is read by them.
    const bool is_readable = value_of(entry.settings, mechanism_version_setting) == mechanism_version;
    entry.problem = problem_of(files, log, entry.in_use, is_readable ? check : LedgerCheck::heads);
  } catch (const Error& error) {
    entry.problem = error.what();
  }
  return entry;
}

/// "3/day" is about the rows of a day; "3/day:30" and "30" are about all rows of a person. The same length
/// has one name, and a slot that of its length: 1d.
std::string window_of_unit(const LedgerEntry& entry) {
  const std::string_view rows_per_person = value_of(entry.settings, "rows-per-person");
  const std::size_t slash = rows_per_person.find('/');
  if (slash == std::string_view::npos || rows_per_person.find(':') != std::string_view::npos) return {};
  const std::string_view window = rows_per_person.substr(slash + 1);
  if (window == "day") return "1d";
  if (window == "hour") return "1h";
  const std::string_view length = window == "slot" ? value_of(entry.settings, "every") : window;
  const std::optional<Seconds> seconds = parse_duration(length);
  return seconds ? duration_text(*seconds) : std::string(length);
}

PrivacyUnit unit_of(const LedgerEntry& entry) {
  const std::string_view limit = value_of(entry.settings, "rows-per-person");
  // A row that counts as zero and a row that is absent are two different units.
  const bool absent = value_of(entry.settings, "private-count") == "true";
  std::string adjacency(value_of(entry.settings, "adjacency"));
  // The rows of a person that happened on one day are others than those that arrived on one day.
  const std::string window = window_of_unit(entry);
  if (absent && adjacency == "add-remove") adjacency += ", absent";
  return {.adjacency = std::move(adjacency),
          .participations = parsed<std::uint64_t>(value_of(entry.settings, "participations")).value_or(1),
          .separation = parsed<std::uint64_t>(value_of(entry.settings, "separation")).value_or(1),
          .per_person = !limit.empty(),
          .window = window,
          .by_arrival = !window.empty() && value_of(entry.settings, "until").empty()};
}

/// The unit that streams have in common which all limit the rows of a person by ids, but to different
/// numbers: all rows of a person are there or absent. None where a stream does not, or limits them in other
/// windows.
std::optional<PrivacyUnit> common_person(const std::vector<PrivacyUnit>& units) {
  PrivacyUnit common = units.front();
  common.adjacency = "add-remove, absent";
  for (const PrivacyUnit& unit : units) {
    if (!unit.per_person || unit.window != common.window || unit.by_arrival != common.by_arrival) return {};
    common.participations = std::max(common.participations, unit.participations);
  }
  return common;
}

SourceTotal total_of(const std::vector<LedgerEntry>& streams, std::optional<double> delta) {
  SourceTotal total{.source = streams.front().source, .unit = unit_of(streams.front())};
  total.streams = streams.size();
  double smallest = 1;
  for (const LedgerEntry& entry : streams) {
    smallest = std::min(smallest, entry.delta.value_or(1));
    total.insecure = total.insecure || entry.insecure;
  }
  total.mu = composed_mu(streams);
  total.delta = delta.value_or(smallest < 1 ? smallest : 1e-6);
  total.epsilon =
      total.insecure ? std::numeric_limits<double>::infinity() : composed_epsilon(streams, total.delta);
  return total;
}

}  // namespace

Ledger Ledger::read(const std::filesystem::path& directory, LedgerCheck check) {
  store::check_folder(directory);
  std::set<std::filesystem::path> databases;
  for (const auto& file : std::filesystem::directory_iterator(directory)) {
    const auto ending = file.path().extension();
    if (ending != StreamFiles::database_ending && ending != ".key") continue;
    databases.insert(std::filesystem::path(file.path()).replace_extension(StreamFiles::database_ending));
  }
  Ledger ledger;
  for (const auto& database : databases) {
    if (auto entry = read_entry(StreamFiles(database), check)) ledger.entries_.push_back(std::move(*entry));
  }
  std::stable_sort(ledger.entries_.begin(), ledger.entries_.end(),
                   [](const LedgerEntry& a, const LedgerEntry& b) {
                     return std::tie(a.source, a.created) < std::tie(b.source, b.created);
                   });
  return ledger;
}

std::vector<SourceTotal> Ledger::totals(std::optional<double> delta) const {
  std::map<std::string, std::vector<LedgerEntry>> sources;
  for (const LedgerEntry& entry : entries_) {
    if (!entry.settings.empty()) sources[entry.source].push_back(entry);
  }
  std::vector<SourceTotal> totals;
  for (const auto& [source, streams] : sources) {
    std::vector<PrivacyUnit> units;
    for (const LedgerEntry& entry : streams) {
      if (std::find(units.begin(), units.end(), unit_of(entry)) == units.end())
        units.push_back(unit_of(entry));
    }
    for (const PrivacyUnit& unit : units) {
      std::vector<LedgerEntry> same;
      std::copy_if(streams.begin(), streams.end(), std::back_inserter(same),
                   [&](const LedgerEntry& entry) { return unit_of(entry) == unit; });
      totals.push_back(total_of(same, delta));
    }
    if (units.size() > 1) {
      totals.push_back(total_of(streams, delta));
      totals.back().unit = {.adjacency = "add-remove", .participations = 1, .separation = 1};
      totals.back().across_units = true;
    }
    if (const auto person = units.size() > 1 ? common_person(units) : std::nullopt) {
      totals.push_back(total_of(streams, delta));
      totals.back().unit = *person;
      totals.back().across_limits = true;
    }
  }
  for (SourceTotal& total : totals) total.incomplete = unknown() > 0;
  return totals;
}

std::size_t Ledger::unknown() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [](const LedgerEntry& entry) { return entry.settings.empty(); }));
}

double Ledger::mu_of(std::string_view source) const {
  return composed_mu(spent_on(source));
}

double Ledger::mu_with(const LedgerEntry& next) const {
  std::vector<LedgerEntry> all = spent_on(next.source);
  all.push_back(next);
  return composed_mu(all);
}

std::vector<LedgerEntry> Ledger::spent_on(std::string_view source) const {
  std::vector<LedgerEntry> spent;
  for (const LedgerEntry& entry : entries_) {
    if (!entry.problem.empty()) {
      throw StateError(
          fmt::format("state {}: {}: what was spent cannot be determined", entry.file, entry.problem));
    }
    if (entry.source != source) continue;
    if (entry.is_old) {
      throw StateError(fmt::format(
          "state {}: is of jme 0.1.0, which did not count its sampler's error: what was spent cannot "
          "be stated as a mu",
          entry.file));
    }
    spent.push_back(entry);
  }
  return spent;
}

LedgerEntry store::entry_of(const About& about) {
  LedgerEntry entry{.file = {}, .source = {}, .stream = {}};
  describe(entry, about);
  return entry;
}

}  // namespace jme
