#include "session.hpp"

#include <array>
#include <cerrno>
#include <limits>
#include <utility>
#include <variant>

#include <boost/asio/write.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/format.h>
#include <sys/socket.h>

#include <jme/random/key.hpp>

#include "event_text.hpp"

namespace jme::serve {

namespace {

constexpr std::chrono::seconds heartbeat{15};
constexpr std::chrono::seconds lingering{1};
constexpr std::size_t most_ignored = std::size_t{1} << 20;  // bytes that a client sends after its answer
constexpr std::size_t short_answer = std::size_t{64}
                                     << 10;       // bytes of an answer that every connection may have
constexpr std::chrono::milliseconds glance{250};  // how often a client that waits for a plan is looked for
constexpr int long_wait = 6;  // header timeouts that bodies, answers and idle connections get

std::string request_id() {
  const Nonce bytes = nonce_from_system();
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

std::string owner_of(const Admitted& what) {
  return what.token ? what.token->id : "";
}

Answer later(Answer answer) {
  answer.fields.emplace_back("Retry-After", "1");
  return answer;
}

template <class Response>
void set_common_fields(Response& response, const Head& head) {
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  response.set("Referrer-Policy", "no-referrer");
  response.set("X-Request-Id", head.id);
}

}  // namespace

Session::Session(const Surroundings& server, tcp::socket socket)
    : server_(server), stream_(std::move(socket)) {
  wake_ = std::make_shared<Signal>(stream_.get_executor());
  buffer_.max_size(server_.options.header_bytes + (std::size_t{64} << 10));
}

Session::~Session() {
  server_.forget(this);
}

void Session::end() {
  net::post(stream_.get_executor(), [self = shared_from_this()] {
    self->is_ending_ = true;
    if (self->is_idle_) self->stream_.cancel();
    self->wake_->announce();
  });
}

Head Session::head_of(const Parser& parser) {
  const auto& request = parser.get();
  Head head{.method = std::string(request.method_string()),
            .target = std::string(request.target()),
            .id = request_id(),
            .version = request.version()};
  for (const auto& field : request) {
    std::string name(field.name_string());
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    // A field that decides about something must stand there once: of two, a proxy might have read the other.
    const auto [place, is_new] = head.fields.emplace(std::move(name), std::string(field.value()));
    if (!is_new) place->second += ", " + std::string(field.value());
  }
  head.read_absolute_form();
  return head;
}

awaitable<void> Session::run() {
  const auto self = shared_from_this();  // until the coroutine ends
  try {
    while (co_await answer_one()) {
    }
  } catch (const std::exception&) {
    // The connection is of no use any more; the server goes on.
  }
  co_await linger();
}

// A client that is still sending would be told of a broken connection, and might not see its answer.
awaitable<void> Session::linger() {
  error_code error;
  stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  stream_.expires_after(lingering);
  std::array<char, 4096> ignored;
  for (std::size_t left = most_ignored; !error && left >= ignored.size();) {
    left -= co_await stream_.async_read_some(net::buffer(ignored), into(error));
  }
}

awaitable<bool> Session::answer_one() {
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(server_.options.header_bytes));
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());  // until it is known what is asked for
  error_code error;
  // The first byte may take long, the rest of a header must come soon.
  if (buffer_.size() == 0) {
    if (is_ending_) co_return false;
    is_idle_ = true;
    stream_.expires_after(long_wait * server_.options.timeout);
    const std::size_t count = co_await stream_.async_read_some(buffer_.prepare(4096), into(error));
    is_idle_ = false;
    if (error || is_ending_) co_return false;
    buffer_.commit(count);
  }
  stream_.expires_after(server_.options.timeout);
  co_await http::async_read_header(stream_, buffer_, parser, into(error));
  if (error) {
    Head head{.method = "?", .target = "", .id = request_id()};
    const bool was_late = error == beast::error::timeout;
    const bool is_gone = error == http::error::end_of_stream || error == http::error::partial_message ||
                         error.category() == net::error::get_system_category() ||
                         error.category() == net::error::get_misc_category();
    if (was_late || is_gone) co_return false;
    const Answer answer =
        error == http::error::header_limit || error == http::error::buffer_overflow
            ? problem(431, "Request Header Fields Too Large",
                      fmt::format("the header is longer than {} bytes", server_.options.header_bytes), head)
            : problem(400, "Bad Request", "the request is not HTTP/1.1 as it should be", head);
    server_.api.log(head, {}, answer.status);
    co_await send(answer, head, false);
    co_return false;
  }
  const Head head = head_of(parser);
  const std::variant<Admitted, Answer> admitted = server_.api.admit(head);
  if (const auto* refused = std::get_if<Answer>(&admitted)) {
    server_.api.log(head, {}, refused->status);
    co_await send(*refused, head, false);  // its body was not read
    co_return false;
  }
  const Admitted& what = std::get<Admitted>(admitted);
  if (!co_await read_body(parser, head, what)) co_return false;
  if (what.call == Admitted::Call::events) {
    std::variant<Events, Answer> events = server_.api.events(head, what);
    std::optional<Room::Part> place;
    if (std::holds_alternative<Events>(events) && !(place = server_.followers.take(1, owner_of(what)))) {
      events = later(problem(503, "Service Unavailable",
                             "too many connections wait for events, or too many of this token", head));
    }
    const auto* refused = std::get_if<Answer>(&events);
    server_.api.log(head, what.token, refused == nullptr ? 200 : refused->status);
    if (refused == nullptr) {
      co_await send_events(head, what, std::get<Events>(events));
      co_return false;
    }
    co_return co_await send(*refused, head, parser.get().keep_alive() && !is_ending_);
  }
  std::optional<Answer> answered = co_await answer_of(head, what, std::move(parser.get().body()));
  body_.reset();
  if (!answered) co_return false;
  Answer answer = std::move(*answered);
  // Clients that ask for much and read slowly keep it in memory until they have read it.
  std::optional<Room::Part> part;
  if (answer.body.size() > short_answer &&
      !(part = server_.answers.take(answer.body.size(), owner_of(what)))) {
    answer =
        later(problem(503, "Service Unavailable",
                      "too many answers are under way, or too many of this token: ask again later", head));
    server_.api.log(head, what.token, answer.status);
  }
  co_return co_await send(std::move(answer), head, parser.get().keep_alive() && !is_ending_);
}

// Each kind of call has threads of its own, so that none waits for another one: health needs none, readers
// hold back no writer, and a plan holds back neither.
awaitable<std::optional<Answer>> Session::answer_of(const Head& head, const Admitted& what,
                                                    std::string body) {
  using Call = Admitted::Call;
  if (what.call == Call::create) co_return co_await planned(head, what, std::move(body));
  const auto awaited = std::make_shared<Awaited>(stream_.get_executor());
  auto handle = [&api = server_.api, self = shared_from_this(), awaited, head, what,
                 body = std::move(body)]() mutable {
    api.handle(head, what, std::move(body), [awaited](Answer answer) {
      awaited->answer = std::move(answer);
      awaited->announce();
    });
  };
  if (what.call == Call::health) {
    handle();
  } else {
    const bool writes = what.call == Call::rows || what.call == Call::block;
    net::post(writes ? server_.writers : server_.readers, std::move(handle));
  }
  co_await awaited->wait(Clock::time_point::max());
  co_return std::move(awaited->answer);
}

// None where the client has gone: nobody else waits for a plan, so that it is stopped.
awaitable<std::optional<Answer>> Session::planned(const Head& head, const Admitted& what, std::string body) {
  const auto awaited = std::make_shared<Awaited>(stream_.get_executor());
  std::stop_source stop;
  const bool has_place = server_.plans.submit(
      {.owner = owner_of(what), .stop = stop, .work = [&api = server_.api, awaited, head, what, body] {
         api.handle(head, what, body, [awaited](Answer answer) {
           awaited->answer = std::move(answer);
           awaited->announce();
         });
       }});
  if (!has_place) {
    Answer refused = later(problem(503, "Service Unavailable",
                                   "too many plans wait, or too many of this token: ask again later", head));
    server_.api.log(head, what.token, refused.status);
    co_return refused;
  }
  while (!co_await awaited->wait(Clock::now() + glance)) {
    if (!client_is_gone()) continue;
    stop.request_stop();
    co_return std::nullopt;
  }
  co_return std::move(awaited->answer);
}

bool Session::client_is_gone() {
  char next = 0;
  const ssize_t count = ::recv(stream_.socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

awaitable<bool> Session::read_body(Parser& parser, const Head& head, const Admitted& what) {
  if (parser.is_done()) co_return true;
  const auto length = parser.content_length();
  parser.body_limit(what.most_body);
  const auto refuse = [&](int status, std::string_view title, std::string_view detail) {
    server_.api.log(head, what.token, status);
    return problem(status, title, detail, head);
  };
  const std::string too_long = fmt::format("a body may have at most {} bytes here", what.most_body);
  if (length && *length > what.most_body) {
    co_await send(refuse(413, "Content Too Large", too_long), head, false);
    co_return false;
  }
  body_ = server_.bodies.take(length ? static_cast<std::size_t>(*length) : what.most_body, owner_of(what));
  if (!body_) {
    co_await send(
        later(refuse(503, "Service Unavailable",
                     "too many bodies are under way, or too many of this token: send it again later")),
        head, false);
    co_return false;
  }
  error_code error;
  stream_.expires_after(long_wait * server_.options.timeout);
  if (head.field("expect") == "100-continue" || head.field("expect") == "100-Continue") {
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await net::async_write(stream_, net::buffer(go_on), into(error));
    if (error) co_return false;
  }
  co_await http::async_read(stream_, buffer_, parser, into(error));
  if (!error) co_return true;
  if (error == http::error::body_limit) {
    co_await send(refuse(413, "Content Too Large", too_long), head, false);
  } else if (error.category() == make_error_code(http::error::bad_chunk).category() &&
             error != http::error::partial_message && error != http::error::end_of_stream) {
    co_await send(refuse(400, "Bad Request", "the body is not framed as it should be"), head, false);
  }
  co_return false;
}

awaitable<bool> Session::send(Answer answer, const Head& head, bool keep_alive) {
  http::response<http::string_body> response(static_cast<http::status>(answer.status), head.version);
  set_common_fields(response, head);
  response.set(http::field::content_type, answer.type);
  for (const auto& [name, value] : answer.fields) response.set(name, value);
  response.keep_alive(keep_alive);
  if (answer.status != 304) response.content_length(answer.body.size());
  if (head.method != "HEAD") response.body() = std::move(answer.body);
  error_code error;
  stream_.expires_after(long_wait * server_.options.timeout);
  co_await http::async_write(stream_, response, into(error));
  co_return !error && keep_alive;
}

// Each reader copies lines that were written once, at its own pace: a slow one holds back nobody. Whoever was
// let in with a token is let go when that is revoked or expires: nothing is sent from then on.
awaitable<void> Session::send_events(const Head& head, const Admitted& what, Events events) {
  const auto wake = wake_;
  const Following following(server_.api, *events.stream, wake);
  http::response<http::empty_body> beginning(http::status::ok, head.version);
  set_common_fields(beginning, head);
  beginning.set(http::field::content_type, "text/event-stream");
  beginning.set("X-Accel-Buffering", "no");
  beginning.keep_alive(false);
  error_code error;
  stream_.expires_after(long_wait * server_.options.timeout);
  co_await http::async_write(stream_, beginning, into(error));
  std::string text = "retry: 2000\n\n";
  EventText releases(events);
  while (!error) {
    if (!text.empty()) {
      stream_.expires_after(long_wait * server_.options.timeout);
      co_await net::async_write(stream_, net::buffer(text), into(error));
      if (error) break;
    }
    if (!server_.api.may_go_on(what)) break;
    text = releases.next();
    if (!text.empty()) continue;
    if (is_ending_ || server_.api.is_draining()) break;
    const Clock::time_point end = Clock::now() + heartbeat;
    co_await wake->wait(end);
    if (Clock::now() >= end) text = ": still here\n\n";
  }
}

}  // namespace jme::serve
