#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <jme/base/errors.hpp>
#include <jme/data/npy.hpp>
#include <jme/mechanism/weak_budget.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>

#include "commands.hpp"
#include "dry_run.hpp"
#include "field_flags.hpp"
#include "kafka_input.hpp"
#include "live_input.hpp"
#include "live_slots.hpp"
#include "notes.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "row_pump.hpp"
#include "run_report.hpp"
#include "stop_signals.hpp"
#include "stream_flags.hpp"
#include "text_file.hpp"

namespace jme::cli {

namespace {

constexpr const char* preparing_noise = "jme: preparing the noise";

std::vector<std::string> numbered(std::size_t dimension) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= dimension; ++i) names.push_back(fmt::format("{}", i));
  return names;
}

/// Columns that were asked for keep the names under which they were asked for: these names are public, while
/// a header could be a first row of data that only looks like a header.
std::vector<std::string> public_names(const Input& input, const InputReader& reader) {
  return input.options.columns.empty() ? reader.columns() : input.options.columns;
}

SourceTraits traits_of(const Input& input, bool is_topic) {
  if (is_topic) {
    return {.name = "a Kafka topic",
            .is_read = true,
            .is_shared = true,
            .has_first_records = false,
            .has_messages = true};
  }
  return {.name = "a file", .is_read = true, .is_live = input.path == "-", .has_header = input.has_header()};
}

/// How a file that grows is read. By arrival, what is in it already came before the run did.
InputOptions::Follow follow_of(const RunSettings& settings, const RunConfig& config) {
  if (!settings.is_on("follow")) return InputOptions::Follow::no;
  const bool by_arrival = config.clock && config.clock->is_by_arrival();
  return by_arrival ? InputOptions::Follow::from_end : InputOptions::Follow::from_start;
}

/// Column names from the flags alone.
std::vector<std::string> names_without_a_file(const PreparedRun& run, const Input& input,
                                              bool must_be_those_of_the_run) {
  if (!input.options.columns.empty()) return input.options.columns;
  if (!run.dimension_is_known()) {
    throw InvalidParameter("dimension",
                           "must be given (or columns, or bounds) for a dry run: it opens no file, not even "
                           "to read a header");
  }
  if (must_be_those_of_the_run && !input.has_numbered_columns()) {
    throw InvalidParameter("columns",
                           "must be given (or bounds) for a dry run with json: their names belong into the "
                           "object, and no file is opened to find them");
  }
  return numbered(run.mechanism().config().dimension);
}

/// Searches the first records of the input for bounds. The rows of the run come after them.
RunConfig with_found_bounds(RunConfig config, InputReader& reader) {
  BoundsSearch search(*config.search);
  read_searched(reader, search, config.clock ? Count::is_private : Count::is_public);
  const FoundBounds found = search.find();
  tell(found);
  config.take_found(found);
  return config;
}

/// What a run with these flags would promise, without opening its input: the plan and the privacy statement
/// in words, or the object that would be its first line.
void dry_run(PreparedRun& run, const Input& input, bool json) {
  std::string text;
  {
    const Preparing preparing("jme: working out the errors");
    run.adopt_columns(names_without_a_file(run, input, json));
    text = json ? metadata_line(run.description(), run.columns())
                : dry_run_text(run.description(), run.columns());
  }
  Output().write(text);
}

}  // namespace

RunCommand::RunCommand(CLI::App& root)
    : app_(root.add_subcommand("run", "Private running moments of rows from a file or standard input")) {
  add_text(*app_, "FILE", file_, "",
           "CSV, NDJSON or .npy, also .gz and .xz; - (default) is standard input; "
           "kafka://HOST:PORT/TOPIC is a topic");
  add_text(*app_, "--config", config_, "FILE", "Settings as a JSON object; flags override them")
      ->group("Input");
  add_fields(*app_, given_, Field::runs);
  kafka_.attach(*app_, "Input");
  const std::string group = "Output";
  add_text(*app_, "--output", output_, "FILE", "Write there instead of standard output")->group(group);
  report_.attach(*app_, group);
  app_->add_flag("--dry-run", dry_run_, "Print the plan and the privacy statement; open no input")
      ->group(group);
  app_->add_flag("--json", json_, "With --dry-run: the object that would be the run's first line")
      ->group(group);
  app_->add_flag("--print-config", print_config_,
                 "Print the settings, including defaults, as --config reads them; open no input")
      ->group(group);
  app_->footer(
      "Writes one JSON object per line: first the configuration and the privacy statement, then the "
      "releases.\n"
      "t counts the rows included, and noise_std has the noise of every value.\n"
      "\nExamples:\n"
      "  printf 'x,y\\n0.1,0.2\\n0.3,-0.1\\n' | jme run --epsilon 1 --delta 1e-6 --rows 2 --norm-bound 1\n"
      "  seq 1 2000 | jme run --no-header --bounds 1=0:5000 --epsilon 1 --delta 1e-6 --rows 2000 --every "
      "500\n"
      "  jme run day.csv --bounds temp=-20:45,co=0:100 --epsilon 1 --delta 1e-6 --rows 1e5 --every 100 "
      "--dry-run");
}

ExitCode RunCommand::run() const {
  if (!file_ && !dry_run_ && !print_config_ && ::isatty(STDIN_FILENO) == 1) {
    std::fputs(app_->help("jme").c_str(), stderr);
    print_error("no FILE was given and standard input is a terminal");
    return ExitCode::usage;
  }
  // Finds everything that can be wrong in the settings before anything is opened.
  const RunSettings chosen = settings();
  Input input = read_input(file_, chosen);
  const bool is_topic = kafka::TopicName::is_one(input.path);
  RunConfig config = run_config(chosen, read_npy_matrix, text_of_file, traits_of(input, is_topic));
  tell_unused(given_, chosen, config.stream);
  input.options.columns = config.columns;
  input.options.on_bad_row = config.on_bad_row;
  input.options.person = config.person;
  const kafka::ClientOptions client = kafka_.options();
  if (!is_topic && kafka_.are_given()) {
    throw InvalidParameter(client.empty() ? "each-person-in-one-partition" : "kafka-option",
                           "is for an input kafka://HOST:PORT/TOPIC");
  }
  input.options.follow = follow_of(chosen, config);
  if (config.clock) {
    if (!config.clock->time_column.empty()) input.options.time = config.clock->time_column;
    input.options.time_unit = config.clock->time_unit;
    input.options.may_be_empty = true;  // that there are no rows is private
  }
  config.records = input.records_name();
  if (is_topic) set_topic(input, config);
  config.persons_in_one_partition = kafka_.each_person_is_in_one_partition() && !config.person.empty() &&
                                    input.options.follow != InputOptions::Follow::no;
  std::optional<Preparing> preparing(std::in_place, preparing_noise);
  PreparedRun run(config);
  preparing.reset();
  tell_unused(run);
  for (const std::string& note : notes_on_budget(run.mechanism().config())) print_note(note);
  if (print_config_) {
    Output().write(chosen.to_json());
    return ExitCode::ok;
  }
  // No row may say how many columns there are.
  if (run.dimension_is_known() && input.options.columns.empty() && !input.has_header()) {
    const std::size_t dimension = run.mechanism().config().dimension;
    if (input.options.width) {
      input.options.columns = numbered(dimension);
    } else {
      input.options.width = dimension;
    }
  }
  if (output_ && input.path != "-" && same_file(*output_, input.path)) {
    throw InvalidParameter("output", *output_, "another file than the input");
  }
  std::vector<std::string> other_files;
  if (input.path != "-") other_files.push_back(input.path);
  if (output_) other_files.push_back(*output_);
  std::optional<RunReport> report = make_report(report_, other_files);
  if (json_ && !dry_run_) print_note("--json is used with --dry-run; a run writes JSON in any case");
  if (chosen["insecure_test_seed"])
    print_warning("--insecure-test-seed: this noise can be guessed and protects nobody");

  if (dry_run_) {
    dry_run(run, input, json_);
  } else {
    tell_terminal(input);
    const Text& shape = chosen["shape"];
    std::optional<LiveInput> live;
    if (report || config.state || is_topic || input.options.follow != InputOptions::Follow::no ||
        (config.clock && config.clock->is_by_arrival())) {
      input.options.before_read = live.emplace().before_read();
    }
    release_all(run, config, {input, live ? &*live : nullptr, is_topic}, report, !shape || *shape == "auto");
  }
  return ExitCode::ok;
}

RunSettings RunCommand::settings() const {
  if (!config_) return given_;
  return given_.over(RunSettings::from_json(text_of_file(*config_, "config"), *config_));
}

void RunCommand::release_all(PreparedRun& prepared, const RunConfig& config, const OpenInput& from,
                             std::optional<RunReport>& report, bool shape_was_chosen) const {
  const Input& input = from.input;
  LiveInput* const live = from.live;
  const bool by_arrival = config.clock && config.clock->is_by_arrival();
  const bool by_own_time = config.clock && !by_arrival;
  const InputOptions& options = input.options;
  // Slots of a live input end on time even while its header is waited for.
  const std::unique_ptr<kafka::TopicReader> topic = from.is_topic ? topic_reader(input, kafka_) : nullptr;
  std::unique_ptr<InputReader> file_reader;
  const auto open = [&]() -> InputReader& {
    if (topic) return *topic;
    file_reader = open_input(input.path, options, reading_threads(config.stream.threads));
    return *file_reader;
  };
  InputReader* const reader = by_arrival ? nullptr : &open();
  std::optional<PreparedRun> with_bounds;
  if (config.search) with_bounds.emplace(with_found_bounds(config, *reader));
  PreparedRun& run = with_bounds ? *with_bounds : prepared;
  if (reader) {
    const Preparing preparing(preparing_noise);
    run.adopt_columns(public_names(input, *reader));
  }

  std::optional<Output> file;
  if (output_) file.emplace(*output_);
  Output standard;
  Output& output = file ? *file : standard;
  if (reader && !with_bounds)
    leave_out(*reader, run.left_out(), run.clock() ? Count::is_private : Count::is_public);
  if (reader) reader->begin({.missing = run.missing().rules()});
  std::optional<RunDescription> description;
  std::optional<ReleaseWriter> writer;
  std::optional<RowFeed> feed;
  const auto describe = [&] {
    description.emplace(run.description());
    writer.emplace(units_of(run.bounds()), run.emit(), run.columns(),
                   counts_of(run.mechanism().workload_first()),
                   run.clock() ? std::optional(run.schedule()) : std::nullopt);
    if (report) report->begin(*description, run.columns(), shape_was_chosen);
  };
  const auto publish = [&](const Release& release) {
    if (release.steps() == 1) output.write(metadata_line(*description, run.columns()));
    output.write(writer->line(release));
    if (report) report->add(release);
    if (by_own_time && live != nullptr) live->check();  // no row comes any more
  };
  if (report && live != nullptr) live->also([&report] { return report->write_due(); });
  const auto tell_of_rows = [&] {
    if (feed) tell(feed->rules(), run, run.columns());
  };
  try {
    std::optional<Preparing> preparing(std::in_place, preparing_noise);
    std::unique_ptr<RunningStream> stream = run.open(publish);
    preparing.reset();
    if (topic) start_topic(*topic, *stream, run, input, kafka_.each_person_is_in_one_partition());
    if (live != nullptr) live->watch(*stream);
    feed.emplace(run.feed(std::move(stream), by_arrival || topic != nullptr));
    const bool follows = options.follow != InputOptions::Follow::no;
    std::function<SourcePlace()> place;
    if (topic) place = [&topic] { return topic->place_to_resume(); };
    if (by_arrival) {
      LiveSlots slots(run, *feed, *live, place, output.is_terminal());
      describe();
      feed->stream().publish_stored();
      slots.take(open);
    } else {
      describe();
      if (topic && !by_own_time && feed->stream().durable() != nullptr) feed->resume();
      const RowPath path{.reader = *reader,
                         .feed = *feed,
                         .live = live,
                         .horizon = run.mechanism().horizon(),
                         .keeps_places = topic != nullptr,
                         .ends_at_horizon = follows};
      by_own_time ? pump_slots(path, output.is_terminal()) : pump(path, output.is_terminal());
    }
  } catch (const Stopped&) {
    tell_of_rows();
    if (report) report->write();  // what was released stays released
    throw;
  } catch (...) {
    tell_of_rows();
    throw;
  }
  output.close();
  tell_of_rows();
  if (const Release* newest = feed->stream().newest()) tell_means_at_bounds(*newest, *description, run);
  if (report) report->write();
}

}  // namespace jme::cli
