#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jme/store/stream_settings.hpp>

namespace jme {

/// One stream of a state folder, or one search for bounds. Its budget counts in full from its first row on,
/// however many rows follow.
struct LedgerEntry {
  std::string file;  ///< name of its database
  std::string source, stream;
  Settings settings{};       ///< all of its public configuration
  bool is_search = false;    ///< a search for bounds (DurableSearch); its rows are the records it took
  std::string leaves_out{};  ///< the stream's name of a search of this source whose records it does not take
  double mu = 0;             ///< mu-GDP of the whole stream
  double bad_past = 0;       ///< except for pasts of this probability (Mechanism::bad_past)
  /// For streams of jme 0.1.0: how far their noise may have been from Gaussian noise, whether or not their
  /// budget covered it.
  double old_sampler_epsilon = 0;
  bool is_old = false;
  std::optional<double> epsilon{}, delta{};  ///< as configured; none where sigma was
  std::uint64_t rows = 0, releases = 0;      ///< so far
  std::optional<std::uint64_t> horizon{};    ///< rows in all, unless it is unbounded
  bool finished = false;
  bool has_slots = false;  ///< rows and horizon count slots of time, however many rows they have
  std::int64_t created = 0, updated = 0;  ///< seconds since 1970
  bool insecure = false;                  ///< ran on a test seed: protects nobody
  bool in_use = false;                    ///< a process has it open
  /// Why the stream cannot be relied on: it is damaged, it is an old copy, or it has no key. Empty where all
  /// is well. Without settings, only the file is known.
  std::string problem{};
};

/// Who is protected: a person with at most this many rows, at least this far apart; or a person however many
/// rows they have, because only so many count.
struct PrivacyUnit {
  std::string adjacency;
  std::uint64_t participations = 1, separation = 1;
  bool per_person = false;  ///< the number of rows is enforced by ids
  std::string window{};     ///< a person's rows of one such window of time, "1d"; empty: all rows
  bool by_arrival = false;  ///< a row is in the window in which it arrives; else in that of its own time
  bool operator==(const PrivacyUnit&) const = default;
};

/// What was spent on one source for one privacy unit.
struct SourceTotal {
  std::string source;
  PrivacyUnit unit;
  /// The streams promise different units. All of them protect at least a single row that is there or counts
  /// as zero; this is the total for such a row.
  bool across_units = false;
  /// All streams limit the rows of a person by ids (in windows of the same length, if any), to different
  /// numbers: this is the total for all rows of a person that are there or absent, however many of them count
  /// in each stream. unit.participations is the largest limit.
  bool across_limits = false;
  std::size_t streams = 0;
  double mu = 0;
  double delta = 0, epsilon = 0;  ///< infinite where nothing can be promised
  bool insecure = false;
  /// The folder has streams of which not even the source is known (Ledger::unknown): they may have spent on
  /// this one too. A damaged stream whose configuration can be read is in the total with its whole budget.
  bool incomplete = false;
};

/// How much of a stream is looked at. `everything` reads all that was released, which takes as long as
/// opening the stream does.
enum class LedgerCheck { heads, everything };

/// Every stream of a state folder and what they spent together. Streams on the same people compose exactly as
/// Gaussian mechanisms: mu = sqrt(sum mu_i^2) (docs/theory/calibration.md#composition).
class Ledger {
 public:
  /// Only reads. Throws Error where there is no such folder. A stream that a process has open is not checked
  /// beyond its head.
  static Ledger read(const std::filesystem::path& directory, LedgerCheck check = LedgerCheck::heads);

  [[nodiscard]] const std::vector<LedgerEntry>& entries() const { return entries_; }
  /// The totals of every source, for every unit, in the order of the sources' names. Without `delta`, each is
  /// computed at the smallest delta among its streams, or at 1e-6.
  [[nodiscard]] std::vector<SourceTotal> totals(std::optional<double> delta = {}) const;
  /// Streams of which only the file is known, so that no total has what they spent.
  [[nodiscard]] std::size_t unknown() const;
  /// What was spent on this source over all units. Throws StateError where a stream of the folder cannot be
  /// read.
  [[nodiscard]] double mu_of(std::string_view source) const;
  /// The same if `next` were there too.
  [[nodiscard]] double mu_with(const LedgerEntry& next) const;

 private:
  [[nodiscard]] std::vector<LedgerEntry> spent_on(std::string_view source) const;
  std::vector<LedgerEntry> entries_;
};

/// mu-GDP of these streams together: sqrt(sum mu_i^2), where of a search and the streams that leave out its
/// records only one side counts (store/GUARANTEES.md).
[[nodiscard]] double composed_mu(const std::vector<LedgerEntry>& streams);

/// Least epsilon known for these streams together at `delta`: GDP composition, or the sum of what each
/// promises by itself (store/GUARANTEES.md).
[[nodiscard]] double composed_epsilon(const std::vector<LedgerEntry>& streams, double delta);

}  // namespace jme
