#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/access/tokens.hpp>
#include <jme/base/errors.hpp>
#include <jme/inquiry/ledger_json.hpp>
#include <jme/output/json_line.hpp>

#include "commands.hpp"
#include "output.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

/// "90s", "12h", "30d"; none: "never".
std::optional<std::int64_t> seconds_of(const std::string& text) {
  if (text == "never") return std::nullopt;
  const auto refuse = [&] {
    throw InvalidParameter("expires", text,
                           "a whole number of seconds, minutes, hours or days, such as 12h or 30d, or never");
  };
  std::int64_t unit = 0;
  switch (text.empty() ? ' ' : text.back()) {
    case 's':
      unit = 1;
      break;
    case 'm':
      unit = 60;
      break;
    case 'h':
      unit = 3600;
      break;
    case 'd':
      unit = 86'400;
      break;
    default:
      refuse();
  }
  const std::string digits = text.substr(0, text.size() - 1);
  if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string::npos)
    refuse();
  return std::stoll(digits) * unit;
}

std::string expiry_words(const TokenInfo& token) {
  if (!token.expires) return "never";
  return utc_text(*token.expires) + (token.has_expired(std::time(nullptr)) ? " (expired)" : "");
}

}  // namespace

TokenCommand::TokenCommand(CLI::App& root)
    : app_(root.add_subcommand("token", "Tokens for jme serve: add, renew, list, revoke")) {
  add_text(*app_, "ACTION", action_, "", "add, renew, list or revoke")->required();
  add_text(*app_, "ID", id_, "", "renew, revoke: the token's id, as list shows it");
  add_text(*app_, "--state", state_, "DIR", "Folder that is, or will be, given to jme serve")->required();
  add_text(*app_, "--stream", stream_, "NAME", "add: the stream it is for, or '*' for all");
  add_text(*app_, "--role", role_, "ROLE",
           "add: write (give rows), read (see releases) or admin (everything, also create streams)");
  add_text(*app_, "--expires", expires_, "TIME",
           "add, renew: refuse it after this time, such as 12h or 30d, or never (default: never; renew: to "
           "be given where the token has an end)");
  app_->add_flag("--json", json_, "list: one JSON object");
  app_->footer(
      "A token is printed once, when it is made: the folder keeps a salted hash of it. All of this works "
      "while the\n"
      "server runs, and counts from its next request on. renew prints another token in place of one that may "
      "be known\n"
      "to others or is about to end: what the old one wrote belongs to the new one, which can send it "
      "again.\n"
      "\nExamples:\n"
      "  d=$(mktemp -d); jme token add --state $d --stream air --role write --expires 30d; jme token list "
      "--state $d");
}

ExitCode TokenCommand::run() const {
  TokenFile tokens(*state_);
  const auto refuse_others = [&](bool with_id) {
    if (id_ && !with_id) throw InvalidParameter("id", "is for renew and revoke");
    if (stream_) throw InvalidParameter("stream", "is for add");
    if (role_) throw InvalidParameter("role", "is for add");
    if (expires_ && *action_ != "renew") throw InvalidParameter("expires", "is for add and renew");
  };
  const auto expires = [&]() -> std::optional<std::int64_t> {
    const auto seconds = expires_ ? seconds_of(*expires_) : std::nullopt;
    return seconds ? std::optional(std::time(nullptr) + *seconds) : std::nullopt;
  };
  const InvalidParameter unknown("id", id_.value_or(""), "the id of a token, as list shows it");
  if (*action_ == "add") {
    if (id_) throw InvalidParameter("id", "is for renew and revoke");
    if (!stream_) throw InvalidParameter("stream", "must be given: a stream's name, or '*' for all");
    if (!role_) throw InvalidParameter("role", "must be given: write, read or admin");
    Output().write(tokens.add(parse_role(*role_), *stream_, expires()) + '\n');
    return ExitCode::ok;
  }
  if (*action_ == "renew") {
    refuse_others(true);
    if (!id_) throw InvalidParameter("id", "must be given: the id that list shows");
    for (const TokenInfo& known : tokens.list()) {
      if (known.id == *id_ && known.expires && !expires_) {
        throw InvalidParameter("expires",
                               "must be given, as the token had an end: a time such as 30d, or never");
      }
    }
    const std::optional<std::string> token = tokens.renew(*id_, expires());
    if (!token) throw unknown;
    Output().write(*token + '\n');
    return ExitCode::ok;
  }
  if (*action_ == "revoke") {
    refuse_others(true);
    if (!id_) throw InvalidParameter("id", "must be given: the id that list shows");
    if (!tokens.revoke(*id_)) throw unknown;
    return ExitCode::ok;
  }
  if (*action_ != "list") throw InvalidParameter("action", *action_, "add, renew, list or revoke");
  refuse_others(false);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows{{"id", "role", "stream", "made", "expires"}};
  for (const TokenInfo& token : tokens.list()) {
    rows.push_back({token.id, std::string(name(token.role)), token.stream, utc_text(token.created),
                    expiry_words(token)});
    all.push_back({{"id", token.id},
                   {"role", name(token.role)},
                   {"stream", token.stream},
                   {"created", utc_text(token.created)},
                   {"expires", token.expires ? nlohmann::ordered_json(utc_text(*token.expires))
                                             : nlohmann::ordered_json()}});
  }
  using enum Align;
  if (json_) {
    Output().write(json_line({{"tokens", all}}));
  } else {
    Output().write(rows.size() == 1 ? "No tokens.\n" : aligned(rows, {left, left, left, left, left}));
  }
  return ExitCode::ok;
}

}  // namespace jme::cli
