#include <array>
#include <atomic>
#include <csignal>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/random/key.hpp>

#include "api.hpp"
#include "serve.hpp"

namespace jme::serve {

namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using net::awaitable;
using tcp = net::ip::tcp;
using Clock = std::chrono::steady_clock;
using Executor = net::any_io_executor;

constexpr std::size_t event_bytes = std::size_t{64} << 10;  // of releases that are sent at a time
constexpr std::chrono::seconds heartbeat{15};
constexpr std::chrono::seconds lingering{1};
constexpr std::size_t most_ignored = std::size_t{1} << 20;  // bytes that a client sends after its answer
constexpr int long_wait = 6;  // header timeouts that bodies, answers and idle connections get

net::redirect_error_t<net::use_awaitable_t<>> into(error_code& error) {
  return net::redirect_error(net::use_awaitable, error);
}

/// Something that a coroutine waits for and that any thread may announce. Only the coroutine's own executor
/// touches what is inside.
class Signal : public std::enable_shared_from_this<Signal> {
 public:
  explicit Signal(const Executor& executor) : timer_(executor) {}

  void announce() {
    net::post(timer_.get_executor(), [self = shared_from_this()] {
      self->announced_ = true;
      self->timer_.cancel();
    });
  }
  /// Until it is announced, or until `end`.
  awaitable<void> wait(Clock::time_point end) {
    if (!announced_) {
      timer_.expires_at(end);
      error_code ignored;
      co_await timer_.async_wait(into(ignored));
    }
    announced_ = false;
  }

 private:
  net::steady_timer timer_;
  bool announced_ = false;
};

/// What a request's answer is left in, by another thread.
struct Awaited : Signal {
  using Signal::Signal;
  Answer answer{};
};

/// While it lives, a signal is announced whenever a stream has new releases.
class Following {
 public:
  Following(Api& api, ServedStream& stream, const std::shared_ptr<Signal>& wake)
      : api_(api), stream_(stream), follower_(stream.follow([wake] { wake->announce(); })) {
    ++api_.followers;
  }
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;
  ~Following() {
    stream_.unfollow(follower_);
    --api_.followers;
  }

 private:
  Api& api_;
  ServedStream& stream_;
  std::uint64_t follower_;
};

class Server;

/// One connection. Requests on it are answered one after another.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Server& server, tcp::socket socket);
  ~Session();
  awaitable<void> run();
  /// From any thread: a connection that waits for a request is closed, and one that has a request ends after
  /// it.
  void end();

 private:
  using Parser = http::request_parser<http::string_body>;
  awaitable<void> linger();
  awaitable<bool> answer_one();
  awaitable<bool> read_body(Parser& parser, const Head& head, const Admitted& what);
  awaitable<bool> send(const Answer& answer, const Head& head, bool keep_alive, unsigned version);
  awaitable<void> send_events(Events events);
  [[nodiscard]] static Head head_of(const Parser& parser);

  Server& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::shared_ptr<Signal> wake_;
  bool is_idle_ = false, is_ending_ = false;
  std::size_t reserved_ = 0;  // bytes of server_.reserved
};

class Server {
 public:
  Server(Service& service, const ServeOptions& options)
      : options_(options),
        api_(service, options),
        control_(net::make_strand(context_)),
        acceptor_(control_),
        signals_(control_),
        deadline_(control_),
        pool_(options.workers) {}

  void run(Service& service, const std::function<void(const std::string&)>& ready);

  [[nodiscard]] Api& api() { return api_; }
  [[nodiscard]] const ServeOptions& options() const { return options_; }
  [[nodiscard]] net::thread_pool& pool() { return pool_; }
  /// False where bodies in memory would become too many.
  [[nodiscard]] bool reserve(std::size_t bytes) {
    if (reserved_.fetch_add(bytes) + bytes <= options_.waiting_bytes) return true;
    reserved_ -= bytes;
    return false;
  }
  void unreserve(std::size_t bytes) { reserved_ -= bytes; }
  void forget(Session* session);

 private:
  awaitable<void> accept();
  void drain();
  void check_whether_done();

  // Connections that are under way when the context is destroyed still use what stands before it.
  ServeOptions options_;
  Api api_;
  std::atomic<std::size_t> reserved_ = 0;
  std::atomic<bool> has_ended_ = false;
  std::mutex mutex_;  // of sessions_
  std::map<Session*, std::weak_ptr<Session>> sessions_;
  net::io_context context_;
  net::strand<net::io_context::executor_type> control_;  // of what follows
  tcp::acceptor acceptor_;
  net::signal_set signals_;
  net::steady_timer deadline_;
  std::optional<net::executor_work_guard<net::io_context::executor_type>> work_;
  net::thread_pool pool_;
};

std::string request_id() {
  const Nonce bytes = nonce_from_system();
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

Session::Session(Server& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {
  wake_ = std::make_shared<Signal>(stream_.get_executor());
  buffer_.max_size(server_.options().header_bytes + (std::size_t{64} << 10));
}

Session::~Session() {
  server_.unreserve(reserved_);
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
            .id = request_id()};
  for (const auto& field : request) {
    std::string name(field.name_string());
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    // A field that decides about something must stand there once: of two, a proxy might have read the other.
    const auto [place, is_new] = head.fields.emplace(std::move(name), std::string(field.value()));
    if (!is_new) place->second += ", " + std::string(field.value());
  }
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
  parser.header_limit(static_cast<std::uint32_t>(server_.options().header_bytes));
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());  // until it is known what is asked for
  error_code error;
  // The first byte may take long, the rest of a header must come soon.
  if (buffer_.size() == 0) {
    if (is_ending_) co_return false;
    is_idle_ = true;
    stream_.expires_after(long_wait * server_.options().timeout);
    const std::size_t count = co_await stream_.async_read_some(buffer_.prepare(4096), into(error));
    is_idle_ = false;
    if (error || is_ending_) co_return false;
    buffer_.commit(count);
  }
  stream_.expires_after(server_.options().timeout);
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
            ? Api::problem(431, "Request Header Fields Too Large", "the header is too long", head)
            : Api::problem(400, "Bad Request", "the request is not HTTP/1.1 as it should be", head);
    server_.api().log(head, {}, answer.status);
    co_await send(answer, head, false, 11);
    co_return false;
  }
  const Head head = head_of(parser);
  const unsigned version = parser.get().version();
  const std::variant<Admitted, Answer> admitted = server_.api().admit(head);
  if (const auto* refused = std::get_if<Answer>(&admitted)) {
    server_.api().log(head, {}, refused->status);
    co_await send(*refused, head, false, version);  // its body was not read
    co_return false;
  }
  const Admitted& what = std::get<Admitted>(admitted);
  if (!co_await read_body(parser, head, what)) co_return false;
  if (what.call == Admitted::Call::events) {
    std::variant<Events, Answer> events = server_.api().events(head, what);
    const auto* refused = std::get_if<Answer>(&events);
    server_.api().log(head, what.token, refused == nullptr ? 200 : refused->status);
    if (refused == nullptr) {
      co_await send_events(std::get<Events>(events));
      co_return false;
    }
    co_return co_await send(*refused, head, parser.get().keep_alive() && !is_ending_, version);
  }
  const auto awaited = std::make_shared<Awaited>(stream_.get_executor());
  net::post(server_.pool(), [this, self = shared_from_this(), awaited, head, what,
                             body = std::move(parser.get().body())]() mutable {
    server_.api().handle(head, what, std::move(body), [awaited](Answer answer) {
      awaited->answer = std::move(answer);
      awaited->announce();
    });
  });
  co_await awaited->wait(Clock::time_point::max());
  server_.unreserve(std::exchange(reserved_, 0));
  co_return co_await send(awaited->answer, head, parser.get().keep_alive() && !is_ending_, version);
}

awaitable<bool> Session::read_body(Parser& parser, const Head& head, const Admitted& what) {
  if (parser.is_done()) co_return true;
  const auto length = parser.content_length();
  parser.body_limit(what.most_body);
  const auto refuse = [&](int status, std::string_view title, std::string_view detail) {
    server_.api().log(head, what.token, status);
    return Api::problem(status, title, detail, head);
  };
  const std::string too_long = fmt::format("a body may have at most {} bytes here", what.most_body);
  if (length && *length > what.most_body) {
    const Answer answer = refuse(413, "Content Too Large", too_long);
    co_await send(answer, head, false, 11);
    co_return false;
  }
  reserved_ = length ? static_cast<std::size_t>(*length) : what.most_body;
  if (!server_.reserve(reserved_)) {
    reserved_ = 0;
    Answer answer = refuse(503, "Service Unavailable", "too many bodies are under way: send it again later");
    answer.fields.emplace_back("Retry-After", "1");
    co_await send(answer, head, false, 11);
    co_return false;
  }
  error_code error;
  stream_.expires_after(long_wait * server_.options().timeout);
  if (head.field("expect") == "100-continue" || head.field("expect") == "100-Continue") {
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await net::async_write(stream_, net::buffer(go_on), into(error));
    if (error) co_return false;
  }
  co_await http::async_read(stream_, buffer_, parser, into(error));
  if (!error) co_return true;
  if (error == http::error::body_limit) {
    const Answer answer = refuse(413, "Content Too Large", too_long);
    co_await send(answer, head, false, 11);
  } else if (error.category() == make_error_code(http::error::bad_chunk).category() &&
             error != http::error::partial_message && error != http::error::end_of_stream) {
    const Answer answer = refuse(400, "Bad Request", "the body is not framed as it should be");
    co_await send(answer, head, false, 11);
  }
  co_return false;
}

awaitable<bool> Session::send(const Answer& answer, const Head& head, bool keep_alive, unsigned version) {
  http::response<http::string_body> response(static_cast<http::status>(answer.status), version);
  response.set(http::field::content_type, answer.type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  response.set("Referrer-Policy", "no-referrer");
  response.set("X-Request-Id", head.id);
  for (const auto& [name, value] : answer.fields) response.set(name, value);
  response.keep_alive(keep_alive);
  response.body() = answer.body;
  response.prepare_payload();
  error_code error;
  stream_.expires_after(long_wait * server_.options().timeout);
  co_await http::async_write(stream_, response, into(error));
  co_return !error && keep_alive;
}

// Each reader copies lines that were written once, at its own pace: a slow one holds back nobody, and keeps
// no more in memory than what is being sent.
awaitable<void> Session::send_events(Events events) {
  const auto wake = wake_;
  const Following following(server_.api(), *events.stream, wake);
  std::string text =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: "
      "no-store\r\nX-Content-Type-Options: "
      "nosniff\r\nX-Accel-Buffering: no\r\nConnection: close\r\n\r\nretry: 2000\n\n";
  error_code error;
  for (;;) {
    if (!text.empty()) {
      stream_.expires_after(long_wait * server_.options().timeout);
      co_await net::async_write(stream_, net::buffer(text), into(error));
      if (error) break;
    }
    text.clear();
    for (const ReleaseLine& line : events.stream->lines().read(events.next, event_bytes)) {
      text +=
          fmt::format("id: {}\ndata: {}\n", line.t, line.text);  // the line ends with a line feed of its own
      ++events.next;
    }
    if (!text.empty()) continue;
    if (is_ending_ || server_.api().is_draining()) break;
    const Clock::time_point end = Clock::now() + heartbeat;
    co_await wake->wait(end);
    if (Clock::now() >= end) text = ": still here\n\n";
  }
}

void Server::forget(Session* session) {
  {
    const std::lock_guard lock(mutex_);
    sessions_.erase(session);
    --api_.connections;
  }
  if (api_.is_draining() && !has_ended_) net::post(control_, [this] { check_whether_done(); });
}

awaitable<void> Server::accept() {
  for (;;) {
    error_code error;
    tcp::socket socket = co_await acceptor_.async_accept(net::make_strand(context_), into(error));
    if (api_.is_draining()) co_return;
    if (error) {
      // No more files can be opened: wait for some to be closed.
      net::steady_timer pause(control_, std::chrono::milliseconds(50));
      error_code ignored;
      co_await pause.async_wait(into(ignored));
      continue;
    }
    if (api_.connections.load() >= static_cast<std::int64_t>(options_.most_connections)) {
      ++api_.refused_connections;
      continue;  // closes it
    }
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const Executor executor = socket.get_executor();
    ++api_.connections;
    const auto session = std::make_shared<Session>(*this, std::move(socket));
    {
      const std::lock_guard lock(mutex_);
      sessions_.emplace(session.get(), session);
    }
    net::co_spawn(
        executor, [session]() { return session->run(); }, net::detached);
  }
}

void Server::drain() {
  api_.drain();
  error_code ignored;
  acceptor_.close(ignored);
  std::vector<std::shared_ptr<Session>> sessions;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [session, known] : sessions_) {
      if (auto alive = known.lock()) sessions.push_back(std::move(alive));
    }
  }
  for (const auto& session : sessions) session->end();
  deadline_.expires_after(options_.drain);
  deadline_.async_wait([this](error_code error) {
    if (!error) context_.stop();
  });
  sessions.clear();
  check_whether_done();
}

void Server::check_whether_done() {
  const std::lock_guard lock(mutex_);
  if (!sessions_.empty()) return;
  deadline_.cancel();
  signals_.cancel();
  work_.reset();
}

struct Listen {
  tcp::endpoint endpoint;
  std::string host;
};

Listen listen_of(const ServeOptions& options) {
  const std::size_t colon = options.listen.rfind(':');
  std::string host = options.listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  error_code error;
  const net::ip::address address = net::ip::make_address(host, error);
  unsigned port = 65536;
  if (colon != std::string::npos) {
    const std::string_view text = std::string_view(options.listen).substr(colon + 1);
    if (!text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos) {
      port = static_cast<unsigned>(std::stoul(std::string(text)));
    }
  }
  if (error || port > 65535) {
    throw InvalidParameter("listen", options.listen,
                           "ADDRESS:PORT, such as 127.0.0.1:7411; port 0 takes a free one");
  }
  if (!address.is_loopback() && !options.behind_tls_proxy) {
    throw InvalidParameter(
        "listen", options.listen,
        "an address of this machine alone (127.0.0.1 or [::1]): this server speaks HTTP without TLS, "
        "so tokens and rows would cross the network in the clear; put a proxy with TLS in front and "
        "say so with behind-tls-proxy");
  }
  return {.endpoint = {address, static_cast<std::uint16_t>(port)},
          .host = address.is_v6() ? "[" + host + "]" : host};
}

void Server::run(Service& service, const std::function<void(const std::string&)>& ready) {
  const Listen where = listen_of(options_);
  error_code error;
  acceptor_.open(where.endpoint.protocol());
  acceptor_.set_option(tcp::acceptor::reuse_address(true));
  acceptor_.bind(where.endpoint, error);
  if (!error) acceptor_.listen(net::socket_base::max_listen_connections, error);
  if (error) throw Error(fmt::format("{} cannot be listened at: {}", options_.listen, error.message()));
  const unsigned port = acceptor_.local_endpoint().port();
  api_.set_port(port);
  signals_.add(SIGTERM);
  signals_.add(SIGINT);
  signals_.async_wait([this](error_code failed, int) {
    if (!failed) drain();
  });
  work_.emplace(context_.get_executor());
  net::co_spawn(
      control_, [this] { return accept(); }, net::detached);
  const std::string address = fmt::format("http://{}:{}", where.host, port);
  service.say_where(address);
  ready(address);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < options_.threads; ++i) threads.emplace_back([this] { context_.run(); });
  context_.run();
  for (std::thread& thread : threads) thread.join();
  pool_.join();
  has_ended_ = true;
}

}  // namespace

void serve(const ServeOptions& options, const std::function<void(const std::string& address)>& ready) {
  static_cast<void>(listen_of(options));  // before anything is opened
  Service service(
      {.state = options.state, .most_streams = options.most_streams, .longest_record = options.line_bytes});
  Server server(service, options);
  server.run(service, ready);
}

}  // namespace jme::serve
