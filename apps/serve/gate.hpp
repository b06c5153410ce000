#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <jme/access/tokens.hpp>

#include "message.hpp"
#include "rate.hpp"
#include "serve.hpp"

namespace jme::serve {

/// Calls that need no token and are not in the audit log.
[[nodiscard]] bool is_public(Admitted::Call call);

/// Decides, before any body is read, whether a request may be made: by its place, its token and how often
/// that token comes. May be used by several threads.
class Gate {
 public:
  explicit Gate(const ServeOptions& options);

  /// Where the server can be reached under its own names: at this address, which is one of this machine alone
  /// or none, and this port.
  void set_place(const std::string& address, unsigned port);
  /// Who asks for what, or why not.
  [[nodiscard]] std::variant<Admitted, Answer> admit(const Head& head);
  /// Why tokens cannot be recognised now; empty where they can.
  [[nodiscard]] std::string problem_of_tokens() { return tokens_.problem(); }
  /// Whether what was admitted before may go on: its token was neither revoked since nor has it expired.
  [[nodiscard]] bool may_go_on(const Admitted& what);

 private:
  [[nodiscard]] bool is_our_name(std::string_view host) const;
  [[nodiscard]] std::optional<Answer> refuse_place(const Head& head) const;
  [[nodiscard]] static std::optional<Answer> refuse_framing(const Head& head);
  [[nodiscard]] double must_wait(const std::string& who);
  [[nodiscard]] std::optional<Answer> refuse_role(const Head& head, const Admitted& what) const;

  ServeOptions options_;
  TokenCheck tokens_;
  std::vector<std::string> names_;     // of this server, in small letters
  std::mutex mutex_;                   // of rates_
  std::map<std::string, Rate> rates_;  // by the id of a token
};

}  // namespace jme::serve
