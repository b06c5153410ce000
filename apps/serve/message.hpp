#pragma once

#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jme/access/tokens.hpp>

namespace jme {
class ServedStream;
}

namespace jme::serve {

/// A request without its body: what decides whether the body is read.
struct Head {
  std::string method, target;
  std::map<std::string, std::string, std::less<>> fields{};  ///< names in small letters
  std::string id{};                                          ///< of the request, given by the server
  unsigned version = 11;                                     ///< 11: HTTP/1.1

  [[nodiscard]] std::string_view field(std::string_view name) const;
  /// "GET http://host/path" (RFC 9112, 3.2.2) means "GET /path" to this host, whatever the Host field says.
  void read_absolute_form();
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
    compare,
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

/// An answer in the form of RFC 9457.
[[nodiscard]] Answer problem(int status, std::string_view title, std::string_view detail, const Head& head,
                             std::string_view field = {});
/// The same for a stream that is there and cannot be read.
[[nodiscard]] Answer unusable(const Head& head);
/// The same for what went wrong inside.
[[nodiscard]] Answer failure(const Head& head, const std::exception_ptr& error);

}  // namespace jme::serve
