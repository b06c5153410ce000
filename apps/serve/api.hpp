#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <jme/access/audit_log.hpp>
#include <jme/access/tokens.hpp>
#include <jme/service/service.hpp>

#include "serve.hpp"

namespace jme::serve {

/// A request without its body: what decides whether the body is read.
struct Head {
  std::string method, target;
  std::map<std::string, std::string, std::less<>> fields{};  ///< names in small letters
  std::string id{};                                          ///< of the request, given by the server

  [[nodiscard]] std::string_view field(std::string_view name) const;
};

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> fields{};
};

/// A reader who wants to be told of releases as they come.
struct Events {
  ServedStream* stream;
  std::size_t next;  ///< index of the first release to send
};

/// A request that was understood and may be made; what is left is to do it.
struct Admitted {
  enum class Call {
    health,
    readiness,
    openapi,
    page,
    metrics,
    internal_metrics,
    ledger,
    list,
    create,
    show,
    rows,
    block,
    releases,
    latest,
    events
  };
  Call call;
  std::string stream{};              ///< its name, where the path has one
  std::string block{};               ///< id of a block
  std::string file{};                ///< of the page; none: the page itself
  std::optional<TokenInfo> token{};  ///< none: anybody
  std::map<std::string, std::string, std::less<>> query{};
  std::size_t most_body = 0;  ///< bytes that a body may have
};

/// What the server answers, without anything about sockets. May be used by several threads.
class Api {
 public:
  Api(Service& service, const ServeOptions& options);

  /// Names under which this server may be reached, besides the given ones.
  void set_port(unsigned port) { port_ = port; }

  /// Who asks for what, or why not. Reads no body.
  [[nodiscard]] std::variant<Admitted, Answer> admit(const Head& head);
  using Reply = std::function<void(Answer)>;
  /// Does what was asked for, and calls `reply` once, perhaps from another thread.
  void handle(const Head& head, const Admitted& what, std::string body, const Reply& reply);
  /// For Call::events.
  [[nodiscard]] std::variant<Events, Answer> events(const Head& head, const Admitted& what);

  /// An answer in the form of RFC 9457.
  [[nodiscard]] static Answer problem(int status, std::string_view title, std::string_view detail,
                                      const Head& head, std::string_view field = {});
  /// Writes who asked and what was answered; never throws.
  void log(const Head& head, const std::optional<TokenInfo>& token, int status,
           std::optional<std::uint64_t> rows = {});

  void drain() { draining_ = true; }
  [[nodiscard]] bool is_draining() const { return draining_; }
  std::atomic<std::int64_t> connections{0}, followers{0}, refused_connections{0};

 private:
  struct Bucket {
    double tokens = 0;
    std::chrono::steady_clock::time_point at{};
  };
  [[nodiscard]] std::optional<Answer> refuse_place(const Head& head) const;
  [[nodiscard]] bool is_our_name(std::string_view host) const;
  [[nodiscard]] std::optional<double> must_wait(const std::string& who);
  [[nodiscard]] std::optional<Answer> refuse_role(const Head& head, const Admitted& what) const;
  [[nodiscard]] Answer answer(const Head& head, const Admitted& what, const std::string& body);
  void write(const Head& head, const Admitted& what, std::string body, const Reply& reply);
  [[nodiscard]] Answer failure(const Head& head, const std::exception_ptr& error) const;
  [[nodiscard]] Answer create(const Head& head, const Admitted& what, const std::string& body);
  [[nodiscard]] Answer list(const Admitted& what) const;
  [[nodiscard]] Answer releases(const Head& head, const Admitted& what, const ServedStream& stream) const;
  [[nodiscard]] std::string metrics(const Admitted& what) const;
  [[nodiscard]] std::string internal_metrics() const;

  Service& service_;
  ServeOptions options_;
  TokenCheck tokens_;
  AuditLog audit_;
  unsigned port_ = 0;
  std::atomic<bool> draining_ = false, audit_fails_ = false;
  std::mutex mutex_;  // of buckets_ and counts
  std::map<std::string, Bucket> buckets_;
  mutable std::mutex counts_mutex_;
  std::map<int, std::uint64_t> answers_;
};

/// The description of every call, as OpenAPI 3.1.
[[nodiscard]] std::string openapi();

}  // namespace jme::serve
