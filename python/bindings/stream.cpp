#include "bindings/stream.hpp"

#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/configure.hpp>

#include "bindings/calls.hpp"
#include "bindings/settings.hpp"
#include "bindings/stream_use.hpp"

namespace nb = nanobind;

namespace jme::python {

RowFeed& Stream::feed() {
  if (!feed_) throw StateError("the stream is not open");
  return *feed_;
}

// Another thread may look at a stream that is at rest, and at the number of its rows at any time.
void Stream::check_at_rest() const {
  if (is_busy_ && PyThread_get_thread_ident() != thread_) {
    throw StateError("the stream is at work in the thread that made it; only its rows can be read meanwhile");
  }
}

void Stream::check_open() const {
  fork_.check();
  if (PyThread_get_thread_ident() != thread_) {
    throw StateError("the stream belongs to the thread that made it; make it where its rows come");
  }
  if (is_closed_) throw StateError("the stream was closed");
}

Stream::Stream(const std::string& settings, const nb::dict& matrices) : thread_(PyThread_get_thread_ident()) {
  const RunSettings given = RunSettings::from_json(settings, "settings");
  RunConfig config = run_config(given, matrix_reader(matrices), {}, {.has_first_records = false});
  config.records = given["records"].value_or("");
  shape_was_chosen_ = !given["shape"] || *given["shape"] == "auto";
  is_durable_ = config.state.has_value();
  person_ = config.person;
  if (config.clock && !config.clock->is_by_arrival()) {
    time_ = config.clock->time_column;
    time_unit_ = config.clock->time_unit;
  }
  const bool knows_columns = !config.columns.empty();
  {
    const Unlocked unlocked;
    run_ = std::make_unique<PreparedRun>(std::move(config));
  }
  zeroes_bad_rows_ = run_->description().on_bad_row == OnBadRow::zero;
  if (knows_columns) open(run_->columns());
}

void Stream::open_if_first() {
  if (!is_open()) open(std::exchange(first_names_, {}));
}

void Stream::open(std::vector<std::string> names) {
  nothing_ = {};
  const Unlocked unlocked;
  run_->adopt_columns(std::move(names));
  description_.emplace(run_->description());
  reading_ = std::make_shared<ReleaseReading>(ReleaseReading{.layout = ReleaseLayout::of(run_->mechanism()),
                                                             .units = units_of(run_->bounds()),
                                                             .bias = run_->emit().bias,
                                                             .psd = run_->emit().psd,
                                                             .columns = run_->columns()});
  waiting_.emplace(reading_->layout);
  counts_ = CountTracker(counts_of(run_->mechanism().workload_first()));
  collected_.emplace(*description_, run_->columns());
  feed_.emplace(run_->feed([this](const Release& release) {
    waiting_->append(release, counts_);
    collected_->add(release);
  }));
}

const std::vector<std::string>& Stream::columns() const {
  check_at_rest();
  if (!is_open())
    throw InvalidParameter("columns", "are not known before the first rows; give columns or bounds");
  return run_->columns();
}

nb::object Stream::take() {
  if (!waiting_ || waiting_->items.empty()) {
    if (!nothing_.is_valid()) {
      const auto reading = reading_ ? reading_ : std::make_shared<const ReleaseReading>();
      nothing_ =
          nb::module_::import_("jme.releases")
              .attr("Releases")(ManyReleases(reading, std::make_shared<KeptReleases>(reading->layout)));
    }
    return nothing_;
  }
  auto given = std::make_shared<KeptReleases>(std::move(*waiting_));
  waiting_.emplace(reading_->layout);
  return nb::module_::import_("jme.releases").attr("Releases")(ManyReleases(reading_, std::move(given)));
}

nb::object Stream::push_block(const BlockSum& block, const std::string& id) {
  const Use use(*this);
  static_cast<void>(columns());
  if (is_durable_ && id.empty()) {
    throw InvalidParameter("id", "must be given: a durable stream knows a block that comes again by its id");
  }
  {
    const Unlocked unlocked;
    feed().push_block(id, block);
  }
  return take();
}

nb::object Stream::push_slots(SlotSums& slots) {
  const Use use(*this);
  static_cast<void>(columns());
  {
    const Unlocked unlocked;
    const SlotSchedule& schedule = slots.schedule();
    for (std::size_t slot = 0; slot < schedule.count; ++slot) {
      feed().push_block(slot_id(schedule, slot), slots.of(slot));
    }
  }
  return take();
}

nb::object Stream::releases() {
  const Use use(*this);
  return take();
}

std::size_t Stream::rows() const {
  if (is_busy_ && PyThread_get_thread_ident() != thread_) return rows_seen_;
  return feed_ ? feed_->stream().rows() : at_close_.rows;
}

std::vector<Note> Stream::notes() const {
  check_at_rest();
  return feed_ ? feed_->notes() : at_close_.notes;
}

std::vector<std::string> Stream::new_warnings(std::size_t fewest) {
  std::vector<std::string> result;
  if (!feed_) return result;
  const RowRules& rules = feed_->rules();
  const auto doubtful = [](std::size_t part, std::size_t all) {
    return static_cast<double>(part) > doubtful_clamped_share * static_cast<double>(all);
  };
  if (!warned_of_rows_ && rules.rows() >= fewest && doubtful(rules.unusable_rows(), rules.rows())) {
    warned_of_rows_ = true;
    result.push_back(fmt::format(
        "{:.3g}% of the rows could not be used (bad rows, or rows without the id of a person) and count {}; "
        "notes has the numbers, and on_bad_row='fail' refuses bad rows; keep these numbers to yourself",
        100 * static_cast<double>(rules.unusable_rows()) / static_cast<double>(rules.rows()),
        rules.bad_rows_are_absent() ? "nowhere" : "as zero"));
  }
  const ClampCounts& clamped = rules.clamped();
  warned_.resize(clamped.cells.size());
  for (std::size_t i = 0; i < clamped.cells.size(); ++i) {
    if (warned_[i] || clamped.cells[i] < fewest) continue;
    if (!doubtful(clamped.below[i] + clamped.above[i], clamped.cells[i])) continue;
    auto warning = clamping_warning(clamped, run_->bounds(), i, run_->columns()[i]);
    if (!warning) continue;
    warned_[i] = true;
    result.push_back(std::move(*warning));
  }
  return result;
}

void Stream::warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 1) != 0) throw nb::python_error();
  }
}

void Stream::warn_of_times() {
  if (!feed_->takes_times()) return;
  if (const auto doubts = feed_->timed().doubts("time_unit")) warn({*doubts});
}

nb::object Stream::finish() {
  const Use use(*this);
  if (feed_) {
    const Unlocked unlocked;
    feed_->end_input();
  }
  is_finished_ = true;
  warn(new_warnings(1));
  if (feed_) warn_of_times();
  return take();
}

nb::object Stream::commit() {
  const Use use(*this);
  if (feed_) {
    const Unlocked unlocked;
    feed_->stream().flush();
  }
  return take();
}

void Stream::close() {
  if (is_closed_) return;
  const Use use(*this);
  const std::vector<std::string> warnings = new_warnings(1);
  if (feed_) {
    const Unlocked unlocked;
    feed_->stream().flush();
    at_close_ = {.rows = rows(), .committed_rows = committed_rows(), .notes = notes()};
    feed_.reset();
  }
  is_closed_ = true;
  warn(warnings);
}

std::optional<std::uint64_t> Stream::committed_rows() const {
  check_at_rest();
  return feed_ ? feed_->stream().committed_rows() : at_close_.committed_rows;
}

}  // namespace jme::python
