#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <jme/access/tokens.hpp>

#include "message.hpp"
#include "serve.hpp"

namespace jme::serve {

/// Calls that need no token and are not in the audit log.
[[nodiscard]] bool is_public(Admitted::Call call);

/// Decides, before any body is read, whether a request may be made: by its place, its token and how often
/// that token comes. May be used by several threads.
class Gate {
 public:
  explicit Gate(const ServeOptions& options);

  /// Where the server can be reached under its own names.
  void set_port(unsigned port) { port_ = port; }
  /// Who asks for what, or why not.
  [[nodiscard]] std::variant<Admitted, Answer> admit(const Head& head);

 private:
  struct Bucket {
    double tokens = 0;
    std::chrono::steady_clock::time_point at{};
  };
  [[nodiscard]] bool is_our_name(std::string_view host) const;
  [[nodiscard]] std::optional<Answer> refuse_place(const Head& head) const;
  [[nodiscard]] std::optional<double> must_wait(const std::string& who);
  [[nodiscard]] std::optional<Answer> refuse_role(const Head& head, const Admitted& what) const;

  ServeOptions options_;
  TokenCheck tokens_;
  unsigned port_ = 0;
  std::mutex mutex_;  // of buckets_
  std::map<std::string, Bucket> buckets_;
};

}  // namespace jme::serve
