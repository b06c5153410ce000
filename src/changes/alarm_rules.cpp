#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/changes/alarms.hpp>

namespace jme {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

InvalidParameter wrong(std::string_view text) {
  return {"alarm", text, alarm_help};
}

double number(std::string_view text, std::string_view rule) {
  try {
    const double value = parse_real("alarm", trimmed(text));
    if (std::isfinite(value)) return value;
  } catch (const InvalidParameter&) {
  }
  throw wrong(rule);
}

}  // namespace

AlarmRule parse_alarm(std::string_view text) {
  constexpr std::string_view moment = ".mean";
  // A column's name may hold anything, so the last such word ends it.
  const std::size_t end = text.rfind(moment);
  if (end == std::string_view::npos || end == 0) throw wrong(text);
  AlarmRule rule{.text = std::string(trimmed(text)),
                 .kind = AlarmRule::Kind::changes,
                 .column = std::string(trimmed(text.substr(0, end)))};
  std::string_view rest = trimmed(text.substr(end + moment.size()));
  if (rest.starts_with('>') || rest.starts_with('<')) {
    rule.kind = rest.front() == '>' ? AlarmRule::Kind::above : AlarmRule::Kind::below;
    rule.limit = number(rest.substr(1), text);
    return rule;
  }
  constexpr std::string_view changes = "changes";
  if (!rest.starts_with(changes)) throw wrong(text);
  rest = trimmed(rest.substr(changes.size()));
  if (rest.empty()) return rule;
  if (!rest.starts_with("sd ")) throw wrong(text);
  rule.sd = number(rest.substr(3), text);
  if (!(*rule.sd > 0)) throw wrong(text);
  return rule;
}

std::vector<AlarmRule> parse_alarms(std::string_view text) {
  std::vector<AlarmRule> rules;
  for (const std::string& part : parse_list("alarm", text)) rules.push_back(parse_alarm(part));
  return rules;
}

void find_columns(AlarmOptions& options, const std::vector<std::string>& columns) {
  for (AlarmRule& rule : options.rules) {
    const auto found = std::find(columns.begin(), columns.end(), rule.column);
    if (found == columns.end()) {
      std::string names;
      for (const std::string& name : columns) names += (names.empty() ? "" : ", ") + name;
      throw InvalidParameter("alarm", rule.text, "about one of the columns: " + names);
    }
    rule.index = static_cast<std::size_t>(found - columns.begin());
  }
}

void check_alarms(const AlarmOptions& options, const StreamConfig& config) {
  if (!(options.level > 0 && options.level < 1)) {
    throw InvalidParameter("alarm-level", options.level, "a number in (0, 1)");
  }
  for (const AlarmRule& rule : options.rules) {
    if (rule.kind != AlarmRule::Kind::changes) continue;
    if (config.private_count || config.observed || config.slot_seconds) {
      throw InvalidParameter(
          "alarm", rule.text,
          "left out where the number of rows is private (slots of time, person, "
          "private-count, missing observed): more or fewer rows alone would raise it; "
          "COLUMN.mean > LIMIT can be watched there, and jme compare compares two windows");
    }
    if (squares_noisy_rows(config.method)) {
      throw InvalidParameter("alarm", rule.text, "left out with the methods pp and pp-debiased");
    }
  }
}

std::string alarm_guarantee(const AlarmOptions& options) {
  bool limits = false, changes = false, bounded = false;
  for (const AlarmRule& rule : options.rules) {
    const bool is_change = rule.kind == AlarmRule::Kind::changes;
    limits = limits || !is_change;
    changes = changes || is_change;
    bounded = bounded || rule.sd.has_value();
  }
  std::string text = fmt::format(
      "An alarm without a cause is raised with probability at most {} in the whole run, over all {} rule{} "
      "and "
      "all releases together.",
      options.level, options.rules.size(), options.rules.size() == 1 ? "" : "s");
  if (limits) {
    text +=
        " A limit has a cause in a release where the true mean of the rows that count in it is beyond the "
        "limit; "
        "the noise is normal, so this is exact.";
  }
  if (changes) {
    text +=
        " A change has a cause where the expected value of independent rows is not the same in the whole "
        "run; it "
        "holds for rows of any law within their bounds";
    text += bounded
                ? ", and for rules with sd where the rows' standard deviation is at most that number and the "
                  "sums of blocks are nearly normal."
                : ".";
  }
  return text;
}

}  // namespace jme
