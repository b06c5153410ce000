#include "gate.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "calls.hpp"
#include "routes.hpp"

namespace jme::serve {

namespace {

using Call = Admitted::Call;

constexpr std::size_t most_settings = std::size_t{64} << 10;  // bytes of a stream's settings

bool is_write(std::string_view method) {
  return method != "GET" && method != "HEAD";
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return small;
}

/// Everybody may where releases are public.
bool reads_releases(Access access) {
  return access == Access::any_token || access == Access::reader;
}

}  // namespace

bool is_public(Call call) {
  return access_to(call) == Access::anybody;
}

Gate::Gate(const ServeOptions& options) : options_(options), tokens_(options.state) {}

void Gate::set_place(const std::string& address, unsigned port) {
  names_.clear();
  for (const std::string& name :
       {std::string("127.0.0.1"), std::string("localhost"), std::string("[::1]"), address}) {
    if (name.empty()) continue;
    names_.push_back(name);
    names_.push_back(fmt::format("{}:{}", name, port));
  }
  for (const std::string& name : options_.hosts) names_.push_back(in_small_letters(name));
}

bool Gate::is_our_name(std::string_view host) const {
  return std::find(names_.begin(), names_.end(), in_small_letters(host)) != names_.end();
}

// A page of another site must not reach this server through the browser of somebody who can: neither under a
// name that now leads here, nor by a form or script of its own.
std::optional<Answer> Gate::refuse_place(const Head& head) const {
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

// Framing is undone by the parser. What a proxy in front might read in another way, or a body was put into
// besides, is refused.
std::optional<Answer> Gate::refuse_framing(const Head& head) {
  const std::string_view coding = head.field("transfer-encoding"), length = head.field("content-length");
  if (!coding.empty() && (coding != "chunked" || head.version < 11)) {
    return problem(400, "Bad Request", "must be chunked, in HTTP/1.1, or be left out", head,
                   "transfer-encoding");
  }
  if (length.find_first_not_of("0123456789") != std::string_view::npos) {
    return problem(400, "Bad Request", "must be given once", head, "content-length");
  }
  return std::nullopt;
}

bool Gate::may_go_on(const Admitted& what) {
  try {
    return !what.token || tokens_.is_still_good(*what.token, std::time(nullptr));
  } catch (const std::exception&) {
    return false;
  }
}

double Gate::must_wait(const std::string& who) {
  const std::lock_guard lock(mutex_);
  if (rates_.size() > 10'000) rates_.clear();
  const Rate fresh(std::max(1.0, options_.requests_per_second), options_.requests_per_second);
  return rates_.emplace(who, fresh).first->second.wait(Rate::Clock::now());
}

std::optional<Answer> Gate::refuse_role(const Head& head, const Admitted& what) const {
  const auto forbidden = [&](std::string_view why) { return problem(403, "Forbidden", why, head); };
  const Access access = access_to(what.call);
  const bool is_open = options_.public_releases && reads_releases(access);
  if (!what.token) {
    if (access == Access::anybody || is_open) return std::nullopt;
    Answer answer = problem(401, "Unauthorized", "a token is needed: Authorization: Bearer TOKEN", head);
    answer.fields.emplace_back("WWW-Authenticate", "Bearer");
    return answer;
  }
  const TokenInfo& token = *what.token;
  if (!what.stream.empty() && !token.is_for(what.stream) && !is_open) {
    return forbidden("the token is for another stream");
  }
  switch (access) {
    case Access::admin_of_all:
      if (token.role != Role::admin || token.stream != every_stream) {
        return forbidden("this needs a token with the role admin for all streams");
      }
      break;
    case Access::admin:
      if (token.role != Role::admin) return forbidden("this needs a token with the role admin");
      break;
    case Access::writer:
      if (token.role == Role::read) return forbidden("this needs a token with the role write");
      break;
    case Access::reader:
      if (token.role == Role::write && !is_open) return forbidden("this needs a token with the role read");
      break;
    case Access::any_token:
    case Access::anybody:
      break;
  }
  return std::nullopt;
}

std::variant<Admitted, Answer> Gate::admit(const Head& head) {
  if (std::optional<Answer> refused = refuse_place(head)) return *refused;
  if (std::optional<Answer> refused = refuse_framing(head)) return *refused;
  Route route = find_route(head.method, head.target);
  if (route.status == 405) {
    Answer answer = problem(405, "Method Not Allowed", "this path has other methods: " + route.allowed, head);
    answer.fields.emplace_back("Allow", route.allowed);
    return answer;
  }
  if (route.status == 404) return problem(404, "Not Found", "there is nothing at this path", head);
  Admitted what = std::move(route.what);
  const std::string_view authorization = head.field("authorization");
  constexpr std::string_view bearer = "bearer ";
  if (!authorization.empty() && !is_public(what.call)) {
    const bool is_bearer = in_small_letters(authorization.substr(0, bearer.size())) == bearer;
    try {
      if (is_bearer) {
        what.token = tokens_.find(authorization.substr(bearer.size()), std::time(nullptr));
      }
    } catch (const std::exception&) {
      return problem(500, "Internal Server Error", "the server's tokens cannot be read", head);
    }
    if (!what.token) {
      Answer answer = problem(
          401, "Unauthorized",
          is_bearer ? "the token is unknown, revoked or expired" : "must be Authorization: Bearer TOKEN",
          head);
      answer.fields.emplace_back("WWW-Authenticate", "Bearer error=\"invalid_token\"");
      return answer;
    }
  }
  if (std::optional<Answer> refused = refuse_role(head, what)) return *refused;
  if (route.status == 400) {
    return problem(
        400, "Bad Request",
        fmt::format("the address has a parameter that this call does not know, or one twice; it knows {}",
                    route.allowed.empty() ? "none" : route.allowed),
        head, "query");
  }
  if (!is_public(what.call)) {
    if (const double wait = must_wait(what.token ? what.token->id : ""); wait > 0) {
      Answer answer = problem(429, "Too Many Requests", "this token makes more requests than it may", head);
      answer.fields.emplace_back("Retry-After", fmt::format("{:.0f}", std::ceil(wait)));
      return answer;
    }
  }
  if (access_to(what.call) == Access::admin) what.most_body = most_settings;
  if (access_to(what.call) == Access::writer) what.most_body = options_.body_bytes;
  return what;
}

}  // namespace jme::serve
