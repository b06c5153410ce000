#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "api.hpp"
#include "plan_queue.hpp"
#include "room.hpp"
#include "serve.hpp"
#include "signal.hpp"

namespace jme::serve {

namespace beast = boost::beast;
namespace http = beast::http;
using tcp = net::ip::tcp;

class Session;

/// What connections share.
struct Surroundings {
  const ServeOptions& options;
  Api& api;
  net::thread_pool& writers;             ///< for bodies of rows, which go to disk
  net::thread_pool& readers;             ///< for releases, lists and metrics
  PlanQueue& plans;                      ///< for plans and new streams
  Room& bodies;                          ///< of requests that are in memory
  Room& answers;                         ///< that are being sent, so that readers hold back no writer
  Room& followers;                       ///< connections that wait for events
  std::function<void(Session*)> forget;  ///< called when a connection has ended
};

/// One connection. Requests on it are answered one after another.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(const Surroundings& server, tcp::socket socket);
  ~Session();
  awaitable<void> run();
  /// From any thread: a connection that waits for a request is closed, and one that has a request ends after
  /// it.
  void end();

 private:
  using Parser = http::request_parser<http::string_body>;
  awaitable<void> linger();
  awaitable<bool> answer_one();
  awaitable<std::optional<Answer>> answer_of(const Head& head, const Admitted& what, std::string body);
  awaitable<std::optional<Answer>> planned(const Head& head, const Admitted& what, std::string body);
  [[nodiscard]] bool client_is_gone();
  awaitable<bool> read_body(Parser& parser, const Head& head, const Admitted& what);
  awaitable<bool> send(Answer answer, const Head& head, bool keep_alive);
  awaitable<void> send_events(const Head& head, const Admitted& what, Events events);
  [[nodiscard]] static Head head_of(const Parser& parser);

  const Surroundings& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::shared_ptr<Signal> wake_;
  bool is_idle_ = false, is_ending_ = false;
  std::optional<Room::Part> body_;  // of server_.bodies, by this connection
};

}  // namespace jme::serve
