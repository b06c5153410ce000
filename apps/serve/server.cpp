#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/strand.hpp>
#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "machine.hpp"
#include "serve.hpp"
#include "session.hpp"

namespace jme::serve {

namespace {

constexpr std::size_t most_waiting_plans = 16;

class Server {
 public:
  Server(Service& service, net::thread_pool& writers, const ServeOptions& options,
         std::size_t most_connections)
      : options_(options),
        most_connections_(most_connections),
        api_(service, options),
        writers_(writers),
        readers_(options.workers),
        bodies_(options.waiting_bytes),
        answers_(options.waiting_bytes),
        followers_(most_connections_),
        plans_(most_waiting_plans),
        control_(net::make_strand(context_)),
        acceptor_(control_),
        signals_(control_),
        deadline_(control_) {}

  void run(Service& service, const std::function<void(const std::string&)>& ready);

 private:
  void forget(Session* session);
  awaitable<void> accept();
  void drain();
  void check_whether_done();

  // Connections that are under way when the context is destroyed still use what stands before it.
  ServeOptions options_;
  std::size_t most_connections_;
  Api api_;
  net::thread_pool& writers_;
  net::thread_pool readers_;
  Room bodies_, answers_, followers_;
  PlanQueue plans_;
  std::atomic<bool> has_ended_ = false;
  std::mutex mutex_;  // of sessions_
  std::map<Session*, std::weak_ptr<Session>> sessions_;
  Surroundings surroundings_{.options = options_,
                             .api = api_,
                             .writers = writers_,
                             .readers = readers_,
                             .plans = plans_,
                             .bodies = bodies_,
                             .answers = answers_,
                             .followers = followers_,
                             .forget = [this](Session* session) { forget(session); }};
  net::io_context context_;
  net::strand<net::io_context::executor_type> control_;  // of what follows
  tcp::acceptor acceptor_;
  net::signal_set signals_;
  net::steady_timer deadline_;
  std::optional<net::executor_work_guard<net::io_context::executor_type>> work_;
};

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
    if (api_.connections.load() >= static_cast<std::int64_t>(most_connections_)) {
      ++api_.refused_connections;
      continue;  // closes it
    }
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const Executor executor = socket.get_executor();
    ++api_.connections;
    const auto session = std::make_shared<Session>(surroundings_, std::move(socket));
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
  api_.set_place(where.endpoint.address().is_loopback() ? where.host : "", port);
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
  plans_.end();
  readers_.join();
  writers_.join();
  has_ended_ = true;
}

}  // namespace

void serve(const ServeOptions& options, const std::function<void(const std::string& address)>& ready) {
  static_cast<void>(listen_of(options));      // before anything is opened
  net::thread_pool writers(options.workers);  // outlives whoever gives it work
  const auto later = [&writers](std::function<void()> work) { net::post(writers, std::move(work)); };
  const OpenFiles files = open_files(options, Service::files_of_stream);
  // The other half is for bodies, rows and answers under way, and for who reads long releases.
  const std::size_t memory = options.memory.value_or(memory_of_machine() / 2);
  Service service({.state = options.state,
                   .most_streams = options.most_streams,
                   .memory = {.per_stream = options.memory_per_stream.value_or(memory / 2),
                              .total = memory,
                              .writers = options.workers},
                   .most_files = files.of_streams,
                   // A cell of a whole row has at least one byte in a body, and eight in memory.
                   .limits = {.longest_record = options.line_bytes, .most_bytes = 8 * options.body_bytes},
                   .most_waiting_rows = options.waiting_bytes,
                   .later = later});
  Server server(service, writers, options, files.connections);
  server.run(service, ready);
}

}  // namespace jme::serve
