#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include <jme/base/errors.hpp>
#include <jme/data/input_reader.hpp>
#include <jme/mechanism/weak_budget.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/pipeline/bounds_search.hpp>
#include <jme/pipeline/check.hpp>

#include "commands.hpp"
#include "field_flags.hpp"
#include "input.hpp"
#include "notes.hpp"
#include "output.hpp"
#include "row_pump.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

std::string table(const FoundBounds& found) {
  std::vector<std::vector<std::string>> rows{{"column", "low", "high", "cells outside"}};
  for (std::size_t i = 0; i < found.columns.size(); ++i) {
    const FoundRange& range = found.ranges[i];
    if (range.kind == FoundRange::Kind::not_found) {
      rows.push_back({found.columns[i], "-", "-", "-"});
      continue;
    }
    rows.push_back({found.columns[i], fmt::format("{:.6g}", range.low), fmt::format("{:.6g}", range.high),
                    fmt::format("{:.1f}% +- {:.1f}%", 100 * range.outside, 100 * range.outside_std)});
  }
  return aligned(rows, {Align::left, Align::right, Align::right, Align::right});
}

}  // namespace

BoundsCommand::BoundsCommand(CLI::App& root)
    : app_(root.add_subcommand("bounds", "Ranges of columns that nobody knows, found privately")) {
  add_text(*app_, "FILE", file_, "", "CSV, NDJSON or .npy, also .gz and .xz; - (default) is standard input");
  add_fields(*app_, given_, Field::searches);
  add_text(*app_, "--output", output_, "FILE", "Write there what was found, as one JSON object")
      ->group("Output");
  app_->add_flag("--json", json_, "Print what --output writes: one JSON object")->group("Output");
  app_->footer(
      "Prints the range of every column and the share of its cells outside, with noise. The whole budget is\n"
      "spent by one search. It refuses before it reads anything where the noise would hide every range.\n"
      "With --state it is on the ledger before it looks, and the same search again gives the same ranges.\n"
      "\nExamples:\n"
      "  seq 1 9000 | jme bounds --no-header --columns 1 --epsilon 1 --delta 1e-6 --first 5000");
}

ExitCode BoundsCommand::run() const {
  if (!file_ && ::isatty(STDIN_FILENO) == 1) {
    std::fputs(app_->help("jme").c_str(), stderr);
    print_error("no FILE was given and standard input is a terminal");
    return ExitCode::usage;
  }
  // Finds everything that can be wrong in the settings before anything is opened.
  Input input = read_input(file_, given_);
  check(given_, {.name = "a file", .front = Field::searches, .has_header = input.has_header()});
  const BoundsSearchConfig config = bounds_search_config(given_);
  input.options.columns = config.columns;
  input.options.on_bad_row = config.on_bad_row;
  input.options.person = config.person;
  BoundsSearch search(config);
  if (output_ && input.path != "-" && same_file(*output_, input.path)) {
    throw InvalidParameter("output", *output_, "another file than the input");
  }
  if (config.insecure_seed) {
    print_warning("--insecure-test-seed: this noise can be guessed and protects nobody");
  }
  const ApproxDp& spends = config.search.budget;
  for (const std::string& note :
       notes_on_budget({.epsilon = spends.epsilon, .delta = spends.delta}, config.search.records)) {
    print_note(note);
  }
  tell_terminal(input);
  const auto reader = open_input(input.path, input.options, reading_threads(thread_count(given_)));
  read_searched(*reader, search, Count::is_public);
  // A file that cannot be opened is found before anything is spent.
  std::optional<Output> file;
  if (output_) file.emplace(*output_);
  const FoundBounds found = search.find();
  const std::string object = json_line(found_bounds_json(found));
  if (file) {
    file->write(object);
    file->close();
  }
  Output().write(json_ ? object : table(found) + '\n' + wrapped(search_statement(found.origin), 100));
  tell(found);
  return ExitCode::ok;
}

}  // namespace jme::cli
