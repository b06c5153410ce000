#include "api.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/inquiry/ledger_json.hpp>
#include <jme/output/json_line.hpp>
#include <jme/store/ledger.hpp>

#include "page.hpp"
#include "routes.hpp"
#include "stream_json.hpp"

namespace jme::serve {

namespace {

using Json = nlohmann::ordered_json;
using Call = Admitted::Call;

constexpr std::size_t most_settings = std::size_t{64} << 10;  // bytes of a stream's settings
constexpr std::size_t most_answer = std::size_t{4} << 20;     // bytes of releases in one answer

bool is_write(std::string_view method) {
  return method != "GET" && method != "HEAD";
}

bool is_public(Call call) {
  return call == Call::health || call == Call::readiness || call == Call::openapi || call == Call::page;
}
bool reads_releases(Call call) {
  return call == Call::releases || call == Call::latest || call == Call::events || call == Call::list ||
         call == Call::show || call == Call::metrics;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "rows 0-999/*".
std::optional<std::pair<std::uint64_t, std::uint64_t>> row_range(std::string_view text) {
  constexpr std::string_view start = "rows ", end = "/*";
  if (!text.starts_with(start) || !text.ends_with(end) || text.size() < start.size() + end.size()) {
    return std::nullopt;
  }
  text = text.substr(start.size(), text.size() - start.size() - end.size());
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = whole_number(text.substr(0, dash)), last = whole_number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

std::string media_type(std::string_view field) {
  std::string type(field.substr(0, field.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return type;
}

/// The release that this writer knows last; 0 where it says none. None where it is not a number.
std::optional<std::uint64_t> known_release(const Head& head, const Admitted& what) {
  const auto since = what.query.find("since");
  const std::string_view last = head.field("last-event-id");
  if (what.call == Call::events && !last.empty()) return whole_number(last);
  return since == what.query.end() ? std::optional<std::uint64_t>(0) : whole_number(since->second);
}

}  // namespace

std::string_view Head::field(std::string_view name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

Api::Api(Service& service, const ServeOptions& options)
    : service_(service), options_(options), tokens_(options.state), audit_(options.state) {}

Answer Api::problem(int status, std::string_view title, std::string_view detail, const Head& head,
                    std::string_view field) {
  Json object{{"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}};
  if (!field.empty()) object["field"] = field;
  object["request"] = head.id;
  return {.status = status, .type = "application/problem+json", .body = json_line(object)};
}

void Api::log(const Head& head, const std::optional<TokenInfo>& token, int status,
              std::optional<std::uint64_t> rows) {
  {
    const std::lock_guard lock(counts_mutex_);
    ++answers_[status];
  }
  try {
    audit_.add({.request = head.id,
                .token = token ? token->id : "",
                .action = head.method + ' ' + head.target.substr(0, 256),
                .status = status,
                .rows = rows});
    audit_fails_ = false;
  } catch (const std::exception&) {
    audit_fails_ = true;  // shown by /readyz
  }
}

bool Api::is_our_name(std::string_view host) const {
  const std::string port = fmt::format(":{}", port_);
  for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (host == name || (host.starts_with(name) && host.substr(name.size()) == port)) return true;
  }
  return std::find(options_.hosts.begin(), options_.hosts.end(), host) != options_.hosts.end();
}

// A page of another site must not reach this server through the browser of somebody who can: neither under a
// name that now leads here, nor by a form or script of its own.
std::optional<Answer> Api::refuse_place(const Head& head) const {
  const std::string_view host = head.field("host");
  if (!is_our_name(host)) {
    return problem(421, "Misdirected Request", "the Host field is not a name of this server", head, "host");
  }
  const std::string_view origin = head.field("origin");
  const bool is_ours =
      origin.empty() || origin == fmt::format("http://{}", host) || origin == fmt::format("https://{}", host);
  if (!is_ours || (is_write(head.method) && head.field("sec-fetch-site") == "cross-site")) {
    return problem(403, "Forbidden", "requests from pages of other sites are refused", head, "origin");
  }
  return std::nullopt;
}

std::optional<double> Api::must_wait(const std::string& who) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (buckets_.size() > 10'000) buckets_.clear();
  Bucket& bucket = buckets_[who];
  const double passed = std::chrono::duration<double>(now - bucket.at).count();
  const double most = std::max(1.0, options_.requests_per_second);  // what may come at once
  bucket.tokens = std::min(most, bucket.tokens + passed * options_.requests_per_second);
  bucket.at = now;
  if (bucket.tokens < 1) return (1 - bucket.tokens) / options_.requests_per_second;
  bucket.tokens -= 1;
  return std::nullopt;
}

std::optional<Answer> Api::refuse_role(const Head& head, const Admitted& what) const {
  const auto forbidden = [&](std::string_view why) { return problem(403, "Forbidden", why, head); };
  if (!what.token) {
    if (is_public(what.call) || (options_.public_releases && reads_releases(what.call))) return std::nullopt;
    Answer answer = problem(401, "Unauthorized", "a token is needed: Authorization: Bearer TOKEN", head);
    answer.fields.emplace_back("WWW-Authenticate", "Bearer");
    return answer;
  }
  const TokenInfo& token = *what.token;
  if (!what.stream.empty() && !token.is_for(what.stream) &&
      !(options_.public_releases && reads_releases(what.call))) {
    return forbidden("the token is for another stream");
  }
  switch (what.call) {
    case Call::ledger:
    case Call::internal_metrics:
      if (token.role != Role::admin || token.stream != every_stream) {
        return forbidden("this needs a token with the role admin for all streams");
      }
      break;
    case Call::create:
      if (token.role != Role::admin) return forbidden("this needs a token with the role admin");
      break;
    case Call::rows:
    case Call::block:
      if (token.role == Role::read) return forbidden("this needs a token with the role write");
      break;
    case Call::releases:
    case Call::latest:
    case Call::events:
      if (token.role == Role::write && !options_.public_releases) {
        return forbidden("this needs a token with the role read");
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

std::variant<Admitted, Answer> Api::admit(const Head& head) {
  if (std::optional<Answer> refused = refuse_place(head)) return *refused;
  Route route = find_route(head.method, head.target);
  if (route.status == 405) {
    Answer answer = problem(405, "Method Not Allowed", "this path has other methods: " + route.allowed, head);
    answer.fields.emplace_back("Allow", route.allowed);
    return answer;
  }
  if (route.status != 200) return problem(404, "Not Found", "there is nothing at this path", head);
  Admitted what = std::move(route.what);
  const std::string_view authorization = head.field("authorization");
  constexpr std::string_view bearer = "Bearer ";
  if (!authorization.empty() && !is_public(what.call)) {
    try {
      if (authorization.starts_with(bearer)) {
        what.token = tokens_.find(authorization.substr(bearer.size()), std::time(nullptr));
      }
    } catch (const std::exception&) {
      return problem(500, "Internal Server Error", "the server's tokens cannot be read", head);
    }
    if (!what.token) {
      Answer answer = problem(401, "Unauthorized", "the token is unknown, revoked or expired", head);
      answer.fields.emplace_back("WWW-Authenticate", "Bearer error=\"invalid_token\"");
      return answer;
    }
  }
  if (std::optional<Answer> refused = refuse_role(head, what)) return *refused;
  if (!is_public(what.call)) {
    if (const auto wait = must_wait(what.token ? what.token->id : "")) {
      Answer answer = problem(429, "Too Many Requests", "this token makes more requests than it may", head);
      answer.fields.emplace_back("Retry-After", fmt::format("{:.0f}", std::ceil(*wait)));
      return answer;
    }
  }
  if (what.call == Call::create) what.most_body = most_settings;
  if (what.call == Call::rows || what.call == Call::block) what.most_body = options_.body_bytes;
  return what;
}

Answer Api::failure(const Head& head, const std::exception_ptr& error) const {
  try {
    std::rethrow_exception(error);
  } catch (const InvalidParameter& e) {
    return problem(422, "Unprocessable Content", e.what(), head, e.field());
  } catch (const DataError& e) {
    return problem(422, "Unprocessable Content", e.what(), head, "body");
  } catch (const NotYours& e) {
    return problem(403, "Forbidden", e.what(), head);
  } catch (const Conflict& e) {
    return problem(409, "Conflict", e.what(), head);
  } catch (const BudgetExhausted& e) {
    return problem(409, "Budget or horizon used up", e.what(), head);
  } catch (const StorageFailed&) {
    return problem(507, "Insufficient Storage",
                   "the state could not be written: nothing was answered, send the same request again", head);
  } catch (const StateError&) {
    return problem(503, "Service Unavailable",
                   "the state of this stream cannot be used: its owner can see why", head);
  } catch (const std::exception&) {
    return problem(500, "Internal Server Error", "the request failed inside the server", head);
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
  if (stream == nullptr) return refuse(problem(404, "Not Found", "there is no such stream", head));
  WriteRequest request{.token = what.token->id, .body = std::move(body)};
  const std::string type = media_type(head.field("content-type"));
  if (what.call == Call::block) {
    request.content = WriteRequest::Content::block;
    request.repeats = WriteRequest::Repeats::by_key;
    request.key = what.block;
  } else if (type == "application/x-ndjson" || type == "application/ndjson" || type == "application/jsonl") {
    request.content = WriteRequest::Content::ndjson;
  } else if (type != "text/csv") {
    return refuse(problem(415, "Unsupported Media Type",
                          "rows must come as text/csv or application/x-ndjson, not compressed", head,
                          "content-type"));
  }
  const std::string_view encoding = head.field("content-encoding");
  if (!encoding.empty() && encoding != "identity") {
    return refuse(
        problem(415, "Unsupported Media Type", "bodies must not be compressed", head, "content-encoding"));
  }
  const std::string_view key = head.field("idempotency-key"), range = head.field("content-range");
  if (what.call == Call::rows && !key.empty()) {
    if (key.size() > 256 || !range.empty()) {
      return refuse(problem(400, "Bad Request", "must have at most 256 bytes, and no Content-Range beside it",
                            head, "idempotency-key"));
    }
    request.repeats = WriteRequest::Repeats::by_key;
    request.key = key;
  } else if (what.call == Call::rows && !range.empty()) {
    const auto numbers = row_range(range);
    if (!numbers)
      return refuse(problem(400, "Bad Request", "must be rows FIRST-LAST/*", head, "content-range"));
    request.repeats = WriteRequest::Repeats::by_rows;
    std::tie(request.first_row, request.last_row) = *numbers;
  }
  stream->submit(std::move(request), [this, head, token = what.token, reply](
                                         const WriteAnswer& taken, const std::exception_ptr& error) {
    if (error) {
      Answer refused = failure(head, error);
      log(head, token, refused.status);
      return reply(std::move(refused));
    }
    log(head, token, 202, taken.repeated ? 0 : taken.rows);
    reply({.status = 202,
           .body = json_line(Json{{"rows", taken.rows},
                                  {"first", taken.first_row},
                                  {"released", taken.released},
                                  {"repeated", taken.repeated}})});
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
  Json object{{"name", created.name}};
  object.update(Service::plan_json_of(*created.run));
  Answer result{.status = created.outcome == CreatedStream::Outcome::created ? 201 : 200,
                .body = json_line(object)};
  if (result.status == 201) result.fields.emplace_back("Location", "/v1/streams/" + created.name);
  return result;
}

Answer Api::list(const Admitted& what) const {
  Json streams = Json::array();
  for (const ServedStream* stream : service_.streams()) {
    if (what.token && !what.token->is_for(stream->name()) && !options_.public_releases) continue;
    streams.push_back(stream_json(*stream, what.token));
  }
  return {.body = json_line(Json{{"streams", std::move(streams)}})};
}

Answer Api::releases(const Head& head, const Admitted& what, const ServedStream& stream) const {
  const LineLog& lines = stream.lines();
  if (what.call == Call::latest) {
    const std::size_t count = lines.size();
    if (count == 0) return problem(404, "Not Found", "the stream has no release yet", head);
    return {.body = lines.read(count - 1, 0).front().text};
  }
  const auto since = known_release(head, what);
  if (!since) return problem(400, "Bad Request", "must be the t of a release", head, "since");
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
    result.fields.emplace_back("Link", fmt::format("</v1/streams/{}/releases?since={}>; rel=\"next\"",
                                                   stream.name(), found.back().t));
  }
  return result;
}

std::variant<Events, Answer> Api::events(const Head& head, const Admitted& what) {
  ServedStream* const stream = service_.find(what.stream);
  if (stream == nullptr) return problem(404, "Not Found", "there is no such stream", head);
  const auto since = known_release(head, what);
  if (!since) return problem(400, "Bad Request", "must be the t of a release", head, "since");
  return Events{.stream = stream, .next = stream->lines().index_after(*since)};
}

Answer Api::answer(const Head& head, const Admitted& what, const std::string& body) {
  switch (what.call) {
    case Call::health:
      return {.type = "text/plain", .body = "ok\n"};
    case Call::readiness:
      if (draining_) return problem(503, "Service Unavailable", "the server is ending", head);
      if (audit_fails_) return problem(503, "Service Unavailable", "the audit log cannot be written", head);
      return {.type = "text/plain", .body = "ready\n"};
    case Call::openapi:
      return {.body = openapi()};
    case Call::page:
      return page(head, what.file, options_.public_releases);
    case Call::metrics:
      return {.type = "text/plain; version=0.0.4", .body = metrics(what)};
    case Call::internal_metrics:
      return {.type = "text/plain; version=0.0.4", .body = internal_metrics()};
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
  if (stream == nullptr) return problem(404, "Not Found", "there is no such stream", head);
  if (what.call == Call::show) return {.body = json_line(stream_json(*stream, what.token))};
  return releases(head, what, *stream);
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
  std::string text = internal_metrics_text(service_.streams());
  text += "# TYPE jme_connections gauge\n" + fmt::format("jme_connections {}\n", connections.load());
  text += "# TYPE jme_event_readers gauge\n" + fmt::format("jme_event_readers {}\n", followers.load());
  text += "# TYPE jme_connections_refused_total counter\n" +
          fmt::format("jme_connections_refused_total {}\n", refused_connections.load());
  text += "# TYPE jme_answers_total counter\n";
  const std::lock_guard lock(counts_mutex_);
  for (const auto& [status, count] : answers_) {
    text += fmt::format("jme_answers_total{{status=\"{}\"}} {}\n", status, count);
  }
  return text;
}

}  // namespace jme::serve
