#include "stream_flags.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <jme/data/npy.hpp>
#include <jme/pipeline/run_fields.hpp>

#include "exit_codes.hpp"

namespace jme::cli {

namespace {

std::string text_of(const SettingNote& note) {
  switch (note.kind) {
    case SettingNote::Kind::needs_participations:
      return "--separation is used with --participations of 2 or more only";
    case SettingNote::Kind::beyond_horizon:
      return fmt::format("--participations: only {} fit into the horizon, so that many are protected",
                         note.count);
    case SettingNote::Kind::other_method:
      break;
  }
  const char* method = note.field == "alpha" ? "ime" : note.field == "tau" ? "cs" : "jme and lambda-jme";
  return fmt::format("--{} is used by --method {} only", note.field, method);
}

/// A word as a shell reads it.
std::string shell_word(std::string word) {
  const bool is_plain = !word.empty() && word.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789.,:=@/_+-") == std::string::npos;
  if (is_plain) return word;
  for (std::size_t at = 0; (at = word.find('\'', at)) != std::string::npos; at += 4) {
    word.replace(at, 1, "'\\''");
  }
  return '\'' + word + '\'';
}

}  // namespace

void tell_unused(const RunSettings& given, const RunSettings& settings, const StreamConfig& config) {
  for (const SettingNote& note : notes_on(given, settings, config)) print_note(text_of(note));
}

std::string with_choice(const RunSettings& settings, const PlanCandidate& candidate) {
  const Text& balance = settings["balance"];
  std::string command;
  const auto add = [&](std::string_view flag, const Text& value) {
    if (!value) return;
    command += fmt::format("{}--{} {}", command.empty() ? "" : " ", flag, shell_word(*value));
  };
  add("epsilon", settings["epsilon"]);
  add("delta", settings["delta"]);
  add("sigma", settings["sigma"]);
  add("adjacency", settings["adjacency"]);
  if (settings["rows_per_person"]) command += (command.empty() ? "" : " ") + std::string("--person COLUMN");
  add("rows-per-person", settings["rows_per_person"]);
  add("participations", settings["participations"]);
  add("separation", settings["separation"]);
  add("rows", settings["rows"]);
  add("steps", settings["steps"]);
  add("every", settings["every"]);
  add("dimension", settings["dimension"]);
  add("norm-bound", settings["norm_bound"]);
  add("geometry", settings["geometry"]);
  add("missing", settings["missing"]);
  if (settings.is_on("private_count") && !settings["rows_per_person"]) command += " --private-count";
  add("workload", settings["workload"]);
  add("workload2", settings["workload2"]);
  add("second", settings["second"]);
  const bool weighted = balance && *balance != "free" && *balance != "balanced";
  if (weighted) {
    add("balance", settings["balance"]);
  } else {
    add("method", std::string(name(candidate.method)));
  }
  add("shape", candidate.shape.name());
  if (candidate.shape_second) add("shape2", candidate.shape_second->name());
  if (candidate.method == Method::jme || candidate.method == Method::lambda_jme)
    add("lambda", settings["lambda"]);
  if (candidate.method == Method::ime) add("alpha", settings["alpha"]);
  if (candidate.method == Method::cs) add("tau", settings["tau"]);
  add("objective", settings["objective"]);
  add("threads", settings["threads"]);
  return command;
}

std::string as_flags(const std::string& file, const RunSettings& settings) {
  std::string command = shell_word(file);
  for (const RunField& field : run_fields()) {
    const Text& value = settings[field.name];
    if (!value || (field.type == Field::Type::flag && *value != "true")) continue;
    std::string flag = field.name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    command += " --" + flag;
    if (field.type != Field::Type::flag) command += ' ' + shell_word(*value);
  }
  return command;
}

}  // namespace jme::cli
