#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include <jme/access/audit_log.hpp>
#include <jme/service/service.hpp>

#include "gate.hpp"
#include "message.hpp"
#include "rate.hpp"
#include "serve.hpp"

namespace jme::serve {

/// What the server answers, without anything about sockets. May be used by several threads.
class Api {
 public:
  Api(Service& service, const ServeOptions& options);

  /// Where this server may be reached, besides the given names (Gate::set_place).
  void set_place(const std::string& address, unsigned port) { gate_.set_place(address, port); }

  /// Who asks for what, or why not. Reads no body.
  [[nodiscard]] std::variant<Admitted, Answer> admit(const Head& head) { return gate_.admit(head); }
  /// Whether what was admitted before may go on.
  [[nodiscard]] bool may_go_on(const Admitted& what) { return gate_.may_go_on(what); }
  using Reply = std::function<void(Answer)>;
  /// Does what was asked for, and calls `reply` once, perhaps from another thread.
  void handle(const Head& head, const Admitted& what, std::string body, const Reply& reply);
  /// For Call::events.
  [[nodiscard]] std::variant<Events, Answer> events(const Head& head, const Admitted& what);

  /// Writes who asked and what was answered; never throws. Of requests without a token that is known only
  /// some are written, since anybody can send them: they must not fill the disk.
  void log(const Head& head, const std::optional<TokenInfo>& token, int status,
           std::optional<std::uint64_t> rows = {});

  void drain() { draining_ = true; }
  [[nodiscard]] bool is_draining() const { return draining_; }
  std::atomic<std::int64_t> connections{0}, followers{0}, refused_connections{0};

 private:
  [[nodiscard]] Answer answer(const Head& head, const Admitted& what, const std::string& body);
  void write(const Head& head, const Admitted& what, std::string body, const Reply& reply);
  [[nodiscard]] Answer create(const Head& head, const Admitted& what, const std::string& body);
  [[nodiscard]] Answer no_stream(const Head& head, const Admitted& what) const;
  [[nodiscard]] Answer list(const Admitted& what) const;
  [[nodiscard]] Answer releases(const Head& head, const Admitted& what, const ServedStream& stream) const;
  [[nodiscard]] std::string metrics(const Admitted& what) const;
  [[nodiscard]] std::string internal_metrics() const;

  Service& service_;
  ServeOptions options_;
  Gate gate_;
  AuditLog audit_;
  std::atomic<bool> draining_ = false, audit_fails_ = false;
  mutable std::mutex counts_mutex_;  // of what follows
  std::map<int, std::uint64_t> answers_;
  Rate lines_of_strangers_;
  std::uint64_t left_out_ = 0;
};

/// The description of every call, as OpenAPI 3.1.
[[nodiscard]] std::string openapi();

}  // namespace jme::serve
