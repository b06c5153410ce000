// What shells offer: names of commands, and the values of flags that have a few words.
#include <map>
#include <set>

#include <jme/pipeline/run_fields.hpp>

#include "command_line.hpp"
#include "generated.hpp"
#include "words.hpp"

namespace jme::cli::generate {

namespace {

struct Values {
  std::vector<std::string> flags, words;
};

/// In the order of the table.
std::vector<Values> values() {
  std::vector<Values> all;
  for (const RunField& field : run_fields()) {
    if (field.words.empty()) continue;
    all.push_back({.flags = {field.flag()}, .words = field.words});
    if (!field.alias.empty()) all.back().flags.push_back("--" + field.alias);
  }
  return all;
}

/// Flags whose value is the name of a file ("FILE") or of a folder ("DIR").
std::vector<std::string> flags_with(const std::string& value) {
  std::set<std::string> flags;
  for (const CommandDescription& command : describe_commands()) {
    for (const FlagDescription& flag : command.flags) {
      if (flag.value == value) flags.insert(flag.name);
    }
  }
  return {flags.begin(), flags.end()};
}

std::vector<CommandDescription> commands() {
  std::vector<CommandDescription> all = describe_commands();
  all.push_back({.name = "help", .about = "Flags and examples of a command"});
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const CommandDescription& command : commands()) all.push_back(command.name);
  return all;
}

}  // namespace

std::string bash_completion(std::string text) {
  text = with_region(text, "commands", "  local commands='" + joined(names(), " ") + "'\n");
  std::string lines;
  for (const Values& one : values()) {
    lines += "    " + joined(one.flags, " | ") + ") values='" + joined(one.words, " ") + "' ;;\n";
  }
  const auto complete = [&](const char* value, const char* kind) {
    lines += "    " + joined(flags_with(value), " | ") + ") COMPREPLY=($(compgen " + kind +
             " -- \"$current\")) && return ;;\n";
  };
  complete("FILE", "-f");
  complete("DIR", "-d");
  return with_region(text, "values", lines);
}

std::string zsh_completion(std::string text) {
  std::string lines;
  for (const CommandDescription& command : commands()) {
    lines += "    \"" + command.name + ':' + command.about + "\"\n";
  }
  text = with_region(text, "commands", lines);
  lines.clear();
  for (const Values& one : values()) {
    lines += "    " + joined(one.flags, "|") + ") compadd " + joined(one.words, " ") + " ;;\n";
  }
  lines += "    " + joined(flags_with("FILE"), " | ") + ") _files ;;\n";
  lines += "    " + joined(flags_with("DIR"), " | ") + ") _files -/ ;;\n";
  return with_region(text, "values", lines);
}

std::string fish_completion(std::string text) {
  std::string lines = "set -l commands " + joined(names(), " ") + '\n';
  for (const CommandDescription& command : commands()) {
    lines += "complete -c jme -n \"not __fish_seen_subcommand_from $commands\" -a " + command.name +
             " -d \"" + command.about + "\"\n";
  }
  text = with_region(text, "commands", lines);
  lines.clear();
  const auto after = [&](const std::vector<std::string>& flags, const std::string& offer) {
    lines += "complete -c jme -n '__jme_after " + joined(flags, " ") + "' " + offer + '\n';
  };
  for (const Values& one : values()) after(one.flags, "-a '" + joined(one.words, " ") + "'");
  after(flags_with("FILE"), "-F");
  after(flags_with("DIR"), "-a '(__fish_complete_directories)'");
  return with_region(text, "values", lines);
}

}  // namespace jme::cli::generate
