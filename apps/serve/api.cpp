#include "api.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/cancellation.hpp>
#include <jme/base/errors.hpp>
#include <jme/inquiry/ledger_json.hpp>
#include <jme/output/json_line.hpp>
#include <jme/store/ledger.hpp>

#include "compare_call.hpp"
#include "page.hpp"
#include "stream_json.hpp"
#include "write_call.hpp"

namespace jme::serve {

namespace {

using Json = nlohmann::ordered_json;
using Call = Admitted::Call;

// Of the audit log: some hundred bytes each.
constexpr double most_lines_of_strangers = 1000, lines_of_strangers_per_second = 10;
constexpr std::size_t most_answer = std::size_t{4} << 20;  // bytes of releases in one answer

/// The release that this writer knows last; 0 where it says none. None where it is not a number.
std::optional<std::uint64_t> known_release(const Head& head, const Admitted& what) {
  const auto since = what.query.find("since");
  const std::string_view last = head.field("last-event-id");
  if (what.call == Call::events && !last.empty()) return whole_number(last);
  return since == what.query.end() ? std::optional<std::uint64_t>(0) : whole_number(since->second);
}

std::string_view field_of_since(const Head& head, const Admitted& what) {
  return what.call == Call::events && !head.field("last-event-id").empty() ? "last-event-id" : "since";
}

}  // namespace

Api::Api(Service& service, const ServeOptions& options)
    : service_(service),
      options_(options),
      gate_(options),
      audit_(options.state),
      lines_of_strangers_(most_lines_of_strangers, lines_of_strangers_per_second) {}

void Api::log(const Head& head, const std::optional<TokenInfo>& token, int status,
              std::optional<std::uint64_t> rows) {
  std::uint64_t left_out = 0;
  {
    const std::lock_guard lock(counts_mutex_);
    ++answers_[status];
    if (!token && lines_of_strangers_.wait(Rate::Clock::now()) > 0) {
      ++left_out_;
      return;
    }
    if (!token) left_out = std::exchange(left_out_, 0);
  }
  // Strangers may have put anything into the query, such as a token that belongs into a header.
  const std::string target = token ? head.target : head.target.substr(0, head.target.find('?'));
  try {
    audit_.add({.request = head.id,
                .token = token ? token->id : "",
                .action = head.method + ' ' + target.substr(0, 256),
                .status = status,
                .rows = rows,
                .left_out = left_out});
    audit_fails_ = false;
  } catch (const std::exception&) {
    audit_fails_ = true;  // shown by /readyz
  }
}

void Api::handle(const Head& head, const Admitted& what, std::string body, const Reply& reply) {
  try {
    if (what.call == Call::rows || what.call == Call::block) return write(head, what, std::move(body), reply);
    Answer result = answer(head, what, body);
    if (!is_public(what.call)) log(head, what.token, result.status);
    reply(std::move(result));
  } catch (...) {
    Answer result = failure(head, std::current_exception());
    log(head, what.token, result.status);
    reply(std::move(result));
  }
}

void Api::write(const Head& head, const Admitted& what, std::string body, const Reply& reply) {
  const auto refuse = [&](Answer refused) {
    log(head, what.token, refused.status);
    reply(std::move(refused));
  };
  ServedStream* const stream = service_.find(what.stream);
  if (stream == nullptr) return refuse(no_stream(head, what));
  std::variant<WriteRequest, Answer> request = write_request(head, what, std::move(body));
  if (auto* refused = std::get_if<Answer>(&request)) return refuse(std::move(*refused));
  stream->submit(std::move(std::get<WriteRequest>(request)),
                 [this, head, token = what.token, reply, &run = stream->run()](
                     const WriteAnswer& taken, const std::exception_ptr& error) {
                   if (error) {
                     Answer refused = failure(head, error);
                     log(head, token, refused.status);
                     return reply(std::move(refused));
                   }
                   // How many rows a slot has is private, in this file too.
                   log(head, token, 202,
                       run.clock() ? std::nullopt : std::optional(taken.repeated ? 0 : taken.rows));
                   reply({.status = 202, .body = json_line(taken_json(taken, run.columns()))});
                 });
}

Answer Api::create(const Head& head, const Admitted& what, const std::string& body) {
  const auto asked = what.query.find("dry_run");
  const bool dry_run = asked != what.query.end() && asked->second != "0";
  // A token for one stream may make this one only.
  if (!what.token->is_for(every_stream)) {
    const Json object = Json::parse(body, nullptr, false);
    const bool is_its_own = object.is_object() && object.contains("name") && object["name"].is_string() &&
                            what.token->is_for(object["name"].get<std::string>());
    if (!is_its_own) return problem(403, "Forbidden", "the token is for another stream", head);
  }
  const CreatedStream created = service_.create(body, dry_run);
  // A stream that was created is answered for, and logged as created, even if its client has gone by now.
  std::optional<Cancellable> to_its_end;
  if (created.outcome != CreatedStream::Outcome::dry_run) to_its_end.emplace(std::stop_token());
  Json object{{"name", created.name}};
  object.update(service_.plan_json_of(created));
  Answer result{.status = created.outcome == CreatedStream::Outcome::created ? 201 : 200,
                .body = json_line(object)};
  if (result.status == 201) result.fields.emplace_back("Location", "/v1/streams/" + created.name);
  return result;
}

Answer Api::list(const Admitted& what) const {
  std::string streams;
  for (const ServedStream* stream : service_.streams()) {
    if (what.token && !what.token->is_for(stream->name()) && !options_.public_releases) continue;
    if (!streams.empty()) streams += ',';
    streams += stream_text(*stream, what.token);
  }
  for (const auto& [name, why] : service_.unreadable()) {
    if (what.token && !what.token->is_for(name) && !options_.public_releases) continue;
    if (!streams.empty()) streams += ',';
    streams += unreadable_json(name, why, what.token).dump();
  }
  return {.body = "{\"streams\":[" + streams + "]}\n"};
}

Answer Api::releases(const Head& head, const Admitted& what, const ServedStream& stream) const {
  const LineLog& lines = stream.lines();
  if (what.call == Call::latest) {
    const std::size_t count = lines.size();
    if (count == 0) return problem(404, "Not Found", "the stream has no release yet", head);
    return {.body = lines.read(count - 1, 0).front().text};
  }
  const auto since = known_release(head, what);
  if (!since)
    return problem(400, "Bad Request", "must be the t of a release", head, field_of_since(head, what));
  const auto limit = what.query.find("limit");
  const auto most =
      limit == what.query.end() ? std::optional<std::uint64_t>(SIZE_MAX) : whole_number(limit->second);
  if (!most || *most == 0) {
    return problem(400, "Bad Request", "must be a number of releases, at least 1", head, "limit");
  }
  Answer result{.type = "application/x-ndjson"};
  const std::size_t begin = lines.index_after(*since);
  const std::vector<ReleaseLine> found = lines.read(begin, most_answer, *most);
  for (const ReleaseLine& line : found) result.body += line.text;
  if (begin + found.size() < lines.size()) {
    const std::string same = limit == what.query.end() ? "" : "&limit=" + limit->second;
    result.fields.emplace_back("Link", fmt::format("</v1/streams/{}/releases?since={}{}>; rel=\"next\"",
                                                   stream.name(), found.back().t, same));
  }
  return result;
}

std::variant<Events, Answer> Api::events(const Head& head, const Admitted& what) {
  ServedStream* const stream = service_.find(what.stream);
  if (stream == nullptr) return no_stream(head, what);
  if (!stream->standing().is_known) return unusable(head);
  const auto since = known_release(head, what);
  if (!since)
    return problem(400, "Bad Request", "must be the t of a release", head, field_of_since(head, what));
  return Events{.stream = stream, .next = stream->lines().index_after(*since)};
}

Answer Api::answer(const Head& head, const Admitted& what, const std::string& body) {
  switch (what.call) {
    case Call::health:
      return {.type = "text/plain", .body = "ok\n"};
    case Call::readiness:
      if (draining_) return problem(503, "Service Unavailable", "the server is ending", head);
      if (const std::string why = gate_.problem_of_tokens(); !why.empty()) {
        return problem(503, "Service Unavailable", "the tokens cannot be read: " + why, head);
      }
      if (audit_fails_) return problem(503, "Service Unavailable", "the audit log cannot be written", head);
      return {.type = "text/plain", .body = "ready\n"};
    case Call::openapi:
      return {.body = openapi()};
    case Call::page:
      return page(head, what.file, options_.public_releases);
    case Call::metrics:
      return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics(what)};
    case Call::internal_metrics:
      return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = internal_metrics()};
    case Call::ledger:
      return {.body = json_line(ledger_json(Ledger::read(service_.state())))};
    case Call::list:
      return list(what);
    case Call::create:
      return create(head, what, body);
    default:
      break;
  }
  const ServedStream* const stream = service_.find(what.stream);
  const auto unreadable = service_.unreadable().find(what.stream);
  if (what.call == Call::show && unreadable != service_.unreadable().end()) {
    return {.body = json_line(unreadable_json(unreadable->first, unreadable->second, what.token))};
  }
  if (stream == nullptr) return no_stream(head, what);
  if (what.call == Call::show) return {.body = stream_text(*stream, what.token) + '\n'};
  if (!stream->standing().is_known) return unusable(head);
  if (what.call == Call::compare) return compare_call(head, what, *stream);
  return releases(head, what, *stream);
}

Answer Api::no_stream(const Head& head, const Admitted& what) const {
  if (service_.unreadable().contains(what.stream)) return unusable(head);
  return problem(404, "Not Found", "there is no such stream", head);
}

std::string Api::metrics(const Admitted& what) const {
  std::vector<const ServedStream*> streams;
  for (const ServedStream* stream : service_.streams()) {
    if (what.token && !what.token->is_for(stream->name()) && !options_.public_releases) continue;
    streams.push_back(stream);
  }
  return metrics_text(streams);
}

std::string Api::internal_metrics() const {
  std::string text = internal_metrics_text(service_.streams(), service_.unreadable());
  const auto family = [&](const char* name, const char* type, const char* help) {
    text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  };
  const auto one = [&](const char* name, const char* type, const char* help, std::int64_t value) {
    family(name, type, help);
    text += fmt::format("{} {}\n", name, value);
  };
  one("jme_connections", "gauge", "Open connections.", connections);
  one("jme_event_readers", "gauge", "Connections that wait for events.", followers);
  one("jme_connections_refused_total", "counter", "Connections beyond the limit.", refused_connections);
  family("jme_answers_total", "counter", "Answers since the start.");
  const std::lock_guard lock(counts_mutex_);
  for (const auto& [status, count] : answers_) {
    text += fmt::format("jme_answers_total{{status=\"{}\"}} {}\n", status, count);
  }
  return text;
}

}  // namespace jme::serve
