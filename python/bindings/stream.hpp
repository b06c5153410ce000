#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <jme/output/report_collector.hpp>
#include <jme/output/report_page.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/slot_sums.hpp>
#include <jme/report/page.hpp>

#include "bindings/progress.hpp"
#include "bindings/releases.hpp"
#include "bindings/table.hpp"
#include "moments/fork_guard.hpp"

namespace jme::python {

/// The work behind jme.Stream: a run whose rows come from Python.
class Stream {
 public:
  /// `settings`: the JSON of a settings file. `matrices`: numbers of workloads and shapes by the names after
  /// "@".
  Stream(const std::string& settings, const nanobind::dict& matrices);

  /// Takes whatever holds rows and returns the releases that may leave. Plain rows and arrays are read here,
  /// all else by jme._inputs.push, which calls the functions below. `progress`: what jme._progress.shown
  /// takes.
  nanobind::object push(nanobind::handle rows, nanobind::handle progress);
  /// Ends the stream; the releases as push returns them.
  nanobind::object finish();
  /// Commits what a durable stream has made.
  nanobind::object commit();
  /// What waits to be fetched.
  nanobind::object releases();
  nanobind::object push_block(const BlockSum& block, const std::string& id);
  /// Every slot of the schedule as a block under the name that a run of a file gives it.
  nanobind::object push_slots(SlotSums& slots);
  void close();

  // For jme._inputs, inside push().
  /// Which columns of an input are taken, in their order. The first input tells what columns there are where
  /// the settings do not.
  [[nodiscard]] std::vector<std::size_t> places(const std::optional<std::vector<std::string>>& names,
                                                std::size_t width);
  void check_room(std::size_t rows);
  void check_block_room(std::size_t rows);
  /// How many rows a block may have.
  [[nodiscard]] std::size_t block_room() const;
  void check_columns(const nanobind::list& columns, std::size_t before);
  void take_columns(const nanobind::list& columns);
  void push_arrow(nanobind::handle source);
  /// Whose rows the ones are that this push takes, where persons are limited; None: nobody's.
  void set_persons(std::vector<std::optional<std::string>> persons);
  /// When they happened, in seconds since 1970, where steps are slots of time by rows' own times; NaN:
  /// nobody can tell.
  void set_times(const nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig>& times);
  /// The column that says when a row happened; empty where rows have no times.
  [[nodiscard]] const std::string& time() const { return time_; }
  /// What numbers in it count: "s", "ms" and so on.
  [[nodiscard]] std::string time_unit() const { return std::string(name(time_unit_)); }
  /// The column that says whose row it is; empty where persons are not limited.
  [[nodiscard]] const std::string& person() const { return person_; }
  [[nodiscard]] bool zeroes_bad_rows() const { return zeroes_bad_rows_; }
  /// Rows of an iterable that were read so far, whose end is not known.
  void tell_read(std::size_t rows) { progress_.tell(rows, std::nullopt); }

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::optional<std::uint64_t> committed_rows() const;
  [[nodiscard]] bool is_durable() const { return is_durable_; }
  /// Whether its columns are known.
  [[nodiscard]] bool is_open() const { return reading_ != nullptr; }
  [[nodiscard]] bool is_finished() const;
  [[nodiscard]] std::size_t dimension() const;
  [[nodiscard]] const PreparedRun& run() const { return *run_; }
  [[nodiscard]] const std::vector<std::string>& columns() const;
  [[nodiscard]] nanobind::object newest() const;
  [[nodiscard]] std::vector<Note> notes() const;
  [[nodiscard]] std::string statement() const;
  [[nodiscard]] std::string metadata() const;
  [[nodiscard]] std::string plan() const;
  /// Eigenvectors of more columns than these take seconds, which is too long for a cell of a notebook.
  static constexpr std::size_t most_charted_columns = 300;
  /// The page about the stream so far, and its charts (title, SVG); with more columns those of their
  /// covariance are on the page alone.
  [[nodiscard]] std::string page(const std::string& title) const;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> charts() const;
  /// A made-up empty sum of a block of this stream.
  [[nodiscard]] RowMap row_map() const;
  [[nodiscard]] RowRules rules_for_blocks() const;

 private:
  class Use;
  void open(std::vector<std::string> names);
  void open_if_first();
  template <class Work>
  void stride_through(const Table& table, const Work& work);
  /// The rows of push(), without what it returns.
  void push_any(nanobind::handle rows);
  void check_tables(const std::vector<Table>& tables);
  void check_table(const Table& table, std::size_t before);
  void take_tables(const std::vector<Table>& tables);
  void push_tables(const std::vector<Table>& tables);
  void check_open() const;
  void check_at_rest() const;
  [[nodiscard]] RowFeed& feed();
  nanobind::object take();
  /// What has to be told, once each: columns of whose cells too many were clamped, and rows of which too many
  /// could not be used. Only where there are at least this many of them.
  std::vector<std::string> new_warnings(std::size_t fewest);
  /// As UserWarning. Where warnings are errors, it raises: the rows stay taken, and their releases wait.
  static void warn(const std::vector<std::string>& warnings);
  /// Of times that are doubtful.
  void warn_of_times();
  template <class Work>
  void naming_columns(bool many, const Work& work) const;
  [[nodiscard]] ReportInput report_input(const std::string& title) const;

  std::unique_ptr<PreparedRun> run_;
  bool is_durable_ = false, shape_was_chosen_ = false, zeroes_bad_rows_ = false;
  std::optional<RunDescription> description_;
  std::shared_ptr<const ReleaseReading> reading_;
  std::optional<ReportCollector> collected_;
  std::optional<RowFeed> feed_;
  std::optional<KeptReleases> waiting_;
  std::vector<bool> warned_;  // by column
  bool warned_of_rows_ = false;
  CountTracker counts_;       // which private counts are known, release after release
  nanobind::object nothing_;  // releases without any, given out whenever none waits
  ForkGuard fork_;
  unsigned long thread_;
  std::vector<std::string> first_names_;  // of the input that is about to tell the columns
  struct {
    std::size_t rows = 0;
    std::optional<std::uint64_t> committed_rows{};
    std::vector<Note> notes{};
  } at_close_;
  std::atomic<std::size_t> rows_seen_ = 0;  // for other threads, while this one is at work
  Progress progress_;
  bool is_busy_ = false, is_closed_ = false, is_finished_ = false;
  std::vector<double> row_;
  std::string person_;
  void begin_telling();
  void check_told(std::size_t rows) const;
  void take_told(const MatrixView& rows);
  std::string time_;
  TimeUnit time_unit_ = TimeUnit::second;
  // Of this push, how many of them belong to rows that were taken, and how many rows earlier pushes took.
  std::vector<std::optional<std::string>> persons_;
  std::vector<std::optional<Seconds>> times_;
  std::size_t told_taken_ = 0, told_before_ = 0;
};

void bind_stream(nanobind::module_& m);

}  // namespace jme::python
