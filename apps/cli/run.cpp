#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include <jme/base/errors.hpp>
#include <jme/data/row_reader.hpp>
#include <jme/moments/moment_stream.hpp>

#include "commands.hpp"
#include "durable_run.hpp"
#include "emit.hpp"
#include "metadata.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "release_writer.hpp"
#include "report_collector.hpp"
#include "report_file.hpp"
#include "report_page.hpp"
#include "row_intake.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

// Filters, noise levels and limits do not depend on the dimension, so a stream of this one finds every
// wrong parameter before the data tells the real one.
constexpr std::size_t stand_in_dimension = 2;

MomentStream make_stream(const Mechanism& mechanism, std::optional<std::uint64_t> seed) {
  return seed ? MomentStream(mechanism, InsecureTestSeed{*seed}) : MomentStream(mechanism);
}

std::vector<std::string> numbered(std::size_t dimension) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= dimension; ++i) names.push_back(fmt::format("{}", i));
  return names;
}

// The rows one after another; each release leaves the process before the next row is read.
void pump(RowReader& reader, RowIntake& intake, RunningStream& stream, const RunDescription& run,
          bool quiet) {
  Progress progress(quiet, run.mechanism.horizon().rows());
  std::vector<double> row(reader.dimension());
  const auto next = [&] {
    try {
      return intake.next(row);
    } catch (const DataError& error) {
      if (!reader.is_bad()) throw;
      // Past the horizon a row is one too many, whatever is in it.
      if (stream.rows() >= run.mechanism.horizon().rows()) return true;
      throw DataError(error.what() + intake.advice(stream.rows() >= run.mechanism.horizon().every()));
    }
  };
  while (next()) {
    stream.push(row);
    if (const Release* newest = stream.newest()) intake.learn(*newest);
    if (progress.is_shown()) progress.update(stream.rows(), reader.progress());
  }
  if (stream.rows() == 0) throw DataError(reader.place() + ": no rows");
  stream.end_input();
}

// What was released before the input failed or the process was told to end stays released.
void pump_or_flush(RowReader& reader, RowIntake& intake, RunningStream& stream, const RunDescription& run,
                   bool quiet) {
  try {
    pump(reader, intake, stream, run, quiet);
  } catch (const DataError&) {
    stream.flush();
    throw;
  } catch (const BudgetExhausted&) {
    stream.flush();
    throw;
  } catch (const Stopped&) {
    stream.stop();
    throw;
  }
}

}  // namespace

RunCommand::RunCommand(CLI::App& root)
    : app_(root.add_subcommand("run", "Private running moments of rows from a file or standard input")) {
  input_.attach(*app_);
  stream_.attach(*app_);
  state_.attach(*app_);
  const std::string group = "Output";
  add_text(*app_, "--emit", emit_, "LIST", fmt::format("{} (default mean,covariance)", emit_help))
      ->group(group);
  app_->add_flag("--raw", raw_, "Keep the covariance's bias instead of removing it")->group(group);
  app_->add_flag("--psd", psd_, "Project covariances to the nearest positive semidefinite matrix")
      ->group(group);
  add_text(*app_, "--output", output_, "FILE", "Write there instead of standard output")->group(group);
  add_text(*app_, "--report", report_, "FILE", "Write a self-contained HTML page about the run, at its end")
      ->group(group);
  add_text(*app_, "--report-title", report_title_, "TEXT", "The page's title")->group(group);
  add_text(*app_, "--report-figures", figures_, "DIR", "Write its charts as SVG files as well")->group(group);
  app_->add_flag("--dry-run", dry_run_, "Print the plan and the privacy statement; read no data")
      ->group(group);
  add_text(*app_, "--insecure-test-seed", seed_, "N", "Reproducible noise that protects NOBODY; for tests")
      ->group(group);
  app_->footer(
      "Writes one JSON object a line: first the configuration and the privacy statement, then the releases,\n"
      "t counting the rows included and noise_std standing beside every value.\n"
      "\nExamples:\n"
      "  printf 'x,y\\n0.1,0.2\\n0.3,-0.1\\n' | jme run --epsilon 1 --delta 1e-6 --rows 2 --norm-bound 1\n"
      "  seq 1 2000 | jme run --no-header --bounds 1=0:5000 --epsilon 1 --delta 1e-6 --rows 2000 --every "
      "500\n"
      "  jme run day.csv --bounds temp=-20:45,co=0:100 --epsilon 1 --delta 1e-6 --rows 1e5 --every 100 "
      "--dry-run");
}

ExitCode RunCommand::run() const {
  if (!input_.file && !dry_run_ && ::isatty(STDIN_FILENO) == 1) {
    std::fputs(app_->help("jme").c_str(), stderr);
    print_error("no FILE was given and standard input is a terminal");
    return ExitCode::usage;
  }

  // Everything the flags can get wrong, before anything is opened.
  InputFlags::Input input = input_.input();
  StreamFlags::FromColumns known = input.from_columns();
  const bool dimension_known = known.dimension || stream_.dimension;
  if (!dimension_known) known.dimension = stand_in_dimension;
  StreamConfig config = stream_.config(known);
  EmitOptions emit{.values = emit_ ? parse_emit(*emit_) : default_emit(config.second),
                   .bias = raw_ ? Bias::kept : Bias::removed,
                   .psd = psd_};
  check_emit(emit, config, input.bounds_text.has_value());
  input.check_missing(config);
  if (!input.options.columns.empty()) find_columns(emit, input.options.columns);
  std::optional<std::uint64_t> seed;
  if (seed_) seed = parse_count("insecure-test-seed", *seed_, 0);
  if (output_ && input.path != "-" && same_file(*output_, input.path)) {
    throw InvalidParameter("output", *output_, "another file than the input");
  }
  const std::optional<DurableOptions> durable = state_.options();
  if (report_title_ && !report_) throw InvalidParameter("report-title", "is used together with report");
  if (figures_ && !report_) throw InvalidParameter("report-figures", "is used together with report");
  std::optional<ReportFile> report_file;
  if (report_) report_file.emplace(*report_);
  std::optional<FigureFolder> figures;
  if (figures_) figures.emplace(*figures_);
  for (const Text& other : {input.path == "-" ? Text() : Text(input.path), output_}) {
    if (report_ && other && (*other == *report_ || same_file(*other, *report_))) {
      throw InvalidParameter("report", *report_, "another file than the input and the output");
    }
  }
  Mechanism mechanism(config);
  MomentStream stream = make_stream(mechanism, seed);
  if (seed) print_warning("--insecure-test-seed: this noise can be guessed and protects nobody");

  const auto adopt = [&](std::size_t dimension) {
    if (dimension == config.dimension) return;
    if (dimension_known) {
      throw InvalidParameter("dimension", static_cast<double>(config.dimension),
                             fmt::format("{}, the number of columns", dimension));
    }
    config.dimension = dimension;
    config.shape = mechanism.shape_first();
    if (mechanism.has_second()) config.shape_second = mechanism.shape_second();
    mechanism = Mechanism(config);
    stream = make_stream(mechanism, seed);
  };

  const auto describe = [&](const ColumnBounds& bounds) -> RunDescription {
    return {.mechanism = mechanism,
            .bounds = bounds,
            .emit = emit,
            .bounds_text = input.bounds_text.value_or(""),
            .insecure_seed = seed,
            .missing = input.missing_text.value_or("")};
  };

  if (dry_run_) {
    std::vector<std::string> names = input.options.columns;
    if (input.has_header_file() && (!dimension_known || std::filesystem::is_regular_file(input.path))) {
      // Only the header: a misspelt column shows now and not on the day of the run.
      const std::vector<std::string> found = RowReader(input.path, input.options).columns();
      if (names.empty()) names = found;
      adopt(found.size());
    } else if (!dimension_known) {
      throw InvalidParameter("dimension",
                             "must be given (or columns, or bounds) for a dry run without a file that "
                             "has a header: no row is read to find out");
    } else if (input.path != "-" && !std::filesystem::exists(input.path)) {
      print_note(fmt::format("{}: not there yet, so its columns were not checked", input.path));
    }
    if (names.empty()) names = numbered(config.dimension);
    find_columns(emit, names);
    const ColumnBounds bounds = input.bounds(names);
    static_cast<void>(input.missing(names));
    Output().write(dry_run_text(describe(bounds), names));
    return ExitCode::ok;
  }

  std::optional<LiveInput> live;
  if (durable) input.options.before_read = live.emplace().before_read();
  RowReader reader(input.path, input.options);
  adopt(reader.dimension());
  // Columns that were asked for keep the names they were asked by: those are public, while a header could be
  // a first row of data that only looks like one.
  const std::vector<std::string> names =
      input.options.columns.empty() ? reader.columns() : input.options.columns;
  find_columns(emit, names);
  const ColumnBounds bounds = input.bounds(names);
  std::optional<Output> file;
  if (output_) file.emplace(*output_);
  Output standard;
  Output& output = file ? *file : standard;
  const MissingCells missing = input.missing(names);
  if (durable && missing.uses(MissingCells::From::model)) {
    throw InvalidParameter(
        "missing", "model",
        "another rule, such as mean, with --state: rows must come out the same bit for bit "
        "when they are read again, even by a later version");
  }
  RowIntake intake(reader, bounds, missing, input.options.on_bad_row, config.norm_bound);
  const RunDescription run = describe(bounds);
  ReleaseWriter writer(units_of(bounds), emit, names);
  std::optional<ReportCollector> report;
  if (report_file) report.emplace(run, names);
  const auto publish = [&](const Release& release) {
    if (release.steps() == 1) output.write(json_line(metadata(run, names)));
    output.write(writer.line(release));
    if (report) report->add(release);
  };
  try {
    if (durable) {
      DurableRun running(run, names, *durable, state_.leave_open, *live, publish);
      pump_or_flush(reader, intake, running, run, output.is_terminal());
    } else {
      PassingStream running(stream, publish);
      pump_or_flush(reader, intake, running, run, output.is_terminal());
    }
  } catch (...) {
    intake.tell();
    throw;
  }
  output.close();
  intake.tell();
  if (report && report->last()) {
    const report::Page page = report_page({.run = run,
                                           .collected = *report,
                                           .last = *report->last(),
                                           .title = report_title_.value_or(""),
                                           .shape_was_chosen = !stream_.shape || *stream_.shape == "auto"});
    report_file->write(page.html());
    if (figures) figures->write(page.drawings());
  }
  return ExitCode::ok;
}

}  // namespace jme::cli
