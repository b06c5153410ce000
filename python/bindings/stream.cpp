#include "bindings/stream.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/plan_json.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/output/report_page.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/theory/plan.hpp>

#include "bindings/arrow.hpp"
#include "bindings/buffers.hpp"
#include "bindings/calls.hpp"
#include "bindings/errors.hpp"
#include "bindings/settings.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

std::vector<std::string> numbered(std::size_t dimension) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= dimension; ++i) names.push_back(fmt::format("{}", i));
  return names;
}

/// The place of a column that is named by its number, from 1; none for other names.
std::optional<std::size_t> place_of_number(const std::string& name) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0) return std::nullopt;
  return number - 1;
}

std::size_t find_place(const std::string& column, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), column);
  if (found != names.end()) {
    if (std::find(found + 1, names.end(), column) != names.end()) {
      throw InvalidParameter("columns", fmt::format("the input has {} twice", column));
    }
    return static_cast<std::size_t>(found - names.begin());
  }
  const std::optional<std::size_t> number = place_of_number(column);
  if (number && *number < names.size()) return *number;
  throw InvalidParameter(
      "columns", fmt::format("the input has no column {}; it has {}", column, fmt::join(names, ", ")));
}

}  // namespace

/// While one call is at work, no other may begin: not from another thread, nor from a generator that gives
/// rows to this very stream.
class Stream::Use {
 public:
  explicit Use(Stream& stream) : stream_(stream) {
    stream.check_open();
    if (stream.is_busy_)
      throw StateError("the stream is at work: this call came from inside one of its own calls");
    stream.rows_seen_ = stream.rows();
    stream.is_busy_ = true;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { stream_.is_busy_ = false; }

 private:
  Call call_;
  Stream& stream_;
};

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
  RunConfig config = run_config(given, matrix_reader(matrices));
  config.records = given["records"].value_or("");
  shape_was_chosen_ = !given["shape"] || *given["shape"] == "auto";
  is_durable_ = config.state.has_value();
  person_ = config.person;
  const bool knows_columns = !config.columns.empty();
  {
    const Unlocked unlocked;
    run_ = std::make_unique<PreparedRun>(std::move(config));
  }
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

// Errors name columns by their number; people know them by name.
template <class Work>
void Stream::naming_columns(bool many, const Work& work) const {
  try {
    work();
  } catch (const DataError& error) {
    std::string message = error.what(), name;
    if (error.column() && *error.column() <= run_->columns().size()) {
      name = run_->columns()[*error.column() - 1];
      const std::string place = fmt::format("column {}", *error.column());
      const std::size_t at = message.find(place);
      if (at != std::string::npos && name != std::to_string(*error.column())) {
        message.replace(at, place.size(), "column " + name);
      }
    }
    if (many && message.find("none of the") == std::string::npos) message += "; none of the rows was taken";
    throw NamedDataError(message, error, name);
  }
}

nb::object Stream::push(nb::handle rows, nb::handle progress) {
  const Use use(*this);
  const Progress::Push shown(progress_, progress);
  persons_.clear();
  persons_taken_ = 0;
  if (!person_.empty()) {  // only tables say whose rows they hold
    nb::module_::import_("jme._inputs").attr("push")(nb::find(*this), rows);
    return take();
  }
  if (read_row(rows, row_)) {
    const StreamConfig& config = run_->mechanism().config();
    if (!is_open()) open(numbered(run_->dimension_is_known() ? config.dimension : row_.size()));
    // Numbers in a row are one row; where rows have one number only, they are one row each.
    if (run_->columns().size() == 1 && row_.size() != 1) {
      const std::vector<double> numbers = row_;
      push_tables({Table{.rows = numbers.size(), .matrix = MatrixView::of_rows(numbers, 1)}});
    } else {
      naming_columns(false, [&] { feed().push(row_); });
    }
    return take();
  }
  if (is_numpy_array(rows) || PyMemoryView_Check(rows.ptr()) != 0) {
    HeldBuffers held;
    const Py_buffer* buffer = nullptr;
    try {
      buffer = &held.hold(rows);
    } catch (nb::python_error&) {  // numbers of a type that has no buffer; jme._inputs says what is wrong
    }
    if (buffer != nullptr && buffer->ndim == 2) {
      const std::vector<std::size_t> taken = places(std::nullopt, static_cast<std::size_t>(buffer->shape[1]));
      if (const std::optional<Table> table = table_of(*buffer, taken)) {
        push_tables({*table});
        return take();
      }
    }
  }
  nb::module_::import_("jme._inputs").attr("push")(nb::find(*this), rows);
  return take();
}

std::vector<std::size_t> Stream::places(const std::optional<std::vector<std::string>>& names,
                                        std::size_t width) {
  std::vector<std::size_t> result;
  if (!is_open()) {
    first_names_ = names ? *names : numbered(width);
    for (const std::string& name : first_names_) result.push_back(find_place(name, first_names_));
    return result;
  }
  const std::vector<std::string>& columns = run_->columns();
  if (names) {
    for (const std::string& column : columns) result.push_back(find_place(column, *names));
    return result;
  }
  for (const std::string& column : columns) {
    const std::optional<std::size_t> number = place_of_number(column);
    if (!number) break;
    if (*number >= width) {
      throw InvalidParameter("columns", fmt::format("the input has no column {}; it has {}", column, width));
    }
    result.push_back(*number);
  }
  if (result.size() == columns.size()) return result;
  if (width != columns.size()) {
    throw DataError(fmt::format("rows of {} values were given, the dimension is {}", width, columns.size()));
  }
  result.clear();
  for (std::size_t i = 0; i < width; ++i) result.push_back(i);
  return result;
}

void Stream::check_room(std::size_t rows) {
  open_if_first();
  feed().check_room(rows);
  progress_.expect(rows);
}

void Stream::check_block_room(std::size_t rows) {
  open_if_first();
  feed().check_block_room(rows);
}

std::size_t Stream::block_room() const {
  constexpr std::size_t most_rows_of_a_slot = std::size_t{1} << 31;
  const Horizon& horizon = run().mechanism().horizon();
  return horizon.has_slots() ? most_rows_of_a_slot : horizon.rows() - rows();
}

void Stream::check_columns(const nb::list& columns, std::size_t before) {
  HeldBuffers held;
  check_table(table_of_columns(columns, held), before);
}

void Stream::take_columns(const nb::list& columns) {
  HeldBuffers held;
  take_tables({table_of_columns(columns, held)});
}

void Stream::set_persons(std::vector<std::optional<std::string>> persons) {
  persons_ = std::move(persons);
}

void Stream::push_arrow(nb::handle source) {
  const ArrowRows rows(source);
  push_tables(rows.tables(places(rows.names(), rows.names().size())));
}

// Gives all pieces of a table to `work`, without the interpreter's lock. An interrupt is noticed between two
// strides of some milliseconds; where another thread has the interpreter, waiting for its lock more often
// would cost much.
template <class Work>
void Stream::stride_through(const Table& table, const Work& work) {
  constexpr std::size_t numbers_of_stride = std::size_t{1} << 20;
  TableReader reader(table);
  for (bool is_done = false; !is_done;) {
    {
      const Unlocked unlocked;
      for (std::size_t numbers = 0; numbers < numbers_of_stride && !is_done;) {
        const MatrixView view = reader.next();
        is_done = view.rows == 0;
        if (!is_done) work(view);
        numbers += view.rows * view.columns;
      }
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    progress_.tell();
  }
}

void Stream::check_tables(const std::vector<Table>& tables) {
  open_if_first();
  std::size_t rows = 0, before = 0;
  for (const Table& table : tables) rows += table.rows;
  feed().check_room(rows);
  progress_.expect(rows);
  for (const Table& table : tables) {
    check_table(table, before);
    before += table.rows;
  }
}

void Stream::check_table(const Table& table, std::size_t before) {
  // Where a look at the columns as they are is enough, nothing is converted.
  constexpr std::size_t rows_at_a_time = std::size_t{1} << 17;
  bool all_whole = table.width() == run_->columns().size();
  for (std::size_t begin = 0; all_whole && begin < table.rows; begin += rows_at_a_time) {
    {
      const Unlocked unlocked;
      all_whole = is_whole(table, begin, std::min(rows_at_a_time, table.rows - begin));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    progress_.tell();
  }
  if (all_whole) return;
  stride_through(table, [&](const MatrixView& view) {
    naming_columns(true, [&] { feed().check_rows(view, before); });
    before += view.rows;
  });
}

// Rows that were taken before an interrupt stay taken, and their releases wait.
void Stream::take_tables(const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    stride_through(table, [&](const MatrixView& view) {
      naming_columns(false, [&] {
        if (person_.empty()) return feed().take_rows(view);
        if (persons_.size() - persons_taken_ < view.rows) {
          throw InvalidParameter("person", "must be told with every row: this run limits rows per person");
        }
        std::vector<PersonId> persons;
        for (std::size_t i = 0; i < view.rows; ++i) persons.emplace_back(persons_[persons_taken_ + i]);
        persons_taken_ += view.rows;
        feed().take_rows(view, persons);
      });
      rows_seen_ = feed().stream().rows();
      progress_.add(view.rows);
    });
  }
  if (!is_durable_) return;
  const Unlocked unlocked;
  feed_->stream().flush();
}

void Stream::push_tables(const std::vector<Table>& tables) {
  check_tables(tables);
  take_tables(tables);
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

nb::object Stream::finish() {
  const Use use(*this);
  if (feed_) {
    const Unlocked unlocked;
    feed_->stream().end_input();
  }
  is_finished_ = true;
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
  if (feed_) {
    const Unlocked unlocked;
    feed_->stream().flush();
    at_close_ = {.rows = rows(), .committed_rows = committed_rows(), .notes = notes()};
    feed_.reset();
  }
  is_closed_ = true;
}

std::optional<std::uint64_t> Stream::committed_rows() const {
  check_at_rest();
  return feed_ ? feed_->stream().committed_rows() : at_close_.committed_rows;
}

std::size_t Stream::dimension() const {
  check_at_rest();
  if (!is_open() && !run_->dimension_is_known()) {
    throw InvalidParameter("dimension", "must be given (or columns, or bounds): how many numbers a row has");
  }
  return run_->mechanism().config().dimension;
}

bool Stream::is_finished() const {
  check_at_rest();
  return is_finished_ || rows() >= run_->mechanism().horizon().rows();
}

nb::object Stream::newest() const {
  check_at_rest();
  if (!collected_ || !collected_->last()) return nb::none();
  return nb::module_::import_("jme.releases")
      .attr("Release")(OneRelease(reading_, *collected_->last(), *collected_->divisors()));
}

std::string Stream::statement() const {
  check_at_rest();
  const RunDescription about = run_->description();
  std::string text;
  for (const std::string& paragraph : privacy_statement(about)) {
    text += (text.empty() ? "" : "\n\n") + paragraph;
  }
  return text;
}

std::string Stream::metadata() const {
  static_cast<void>(columns());
  return metadata_line(*description_, run_->columns());
}

std::string Stream::plan() const {
  check_at_rest();
  const Mechanism& mechanism = run_->mechanism();
  StreamConfig config = mechanism.config();
  if (mechanism.has_second()) config.shape_second = mechanism.shape_second();
  const Unlocked unlocked;
  return plan_json(jme::plan(config, {.method = config.method, .shape = mechanism.shape_first()})).dump();
}

report::Page Stream::report_of(const std::string& title) const {
  check_at_rest();
  if (!collected_ || !collected_->last())
    throw DataError("there is no release yet, and a report is about releases");
  return report_page({.run = *description_,
                      .collected = *collected_,
                      .last = *collected_->last(),
                      .title = title,
                      .shape_was_chosen = shape_was_chosen_});
}

std::string Stream::page(const std::string& title) const {
  return report_of(title).html();
}

std::vector<std::pair<std::string, std::string>> Stream::charts() const {
  check_at_rest();
  std::vector<std::pair<std::string, std::string>> result;
  if (!collected_ || !collected_->last()) return result;
  const report::Page page = report_of("");
  for (const report::Drawing& drawing : page.drawings()) {
    result.emplace_back(drawing.title(), drawing.file());
  }
  return result;
}

RowMap Stream::row_map() const {
  static_cast<void>(columns());
  return run_->row_map();
}

RowIntake Stream::intake_for_blocks() const {
  static_cast<void>(columns());
  const MissingCells& missing = run_->missing();
  if (missing.uses(MissingCells::From::mean) || missing.uses(MissingCells::From::model)) {
    throw InvalidParameter("missing",
                           "is mean or model: sums that are made elsewhere cannot know the last release");
  }
  return run_->intake();
}

}  // namespace jme::python
