#include "routes.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <jme/access/tokens.hpp>

namespace jme::serve {

namespace {

using Call = Admitted::Call;

/// S stands for the name of a stream, ID for that of a block, FILE for that of a file of the page.
struct Known {
  std::string_view method, path;
  Call call;
};
constexpr std::array routes{
    Known{"GET", "/healthz", Call::health},
    Known{"GET", "/readyz", Call::readiness},
    Known{"GET", "/openapi.json", Call::openapi},
    Known{"GET", "/", Call::page},
    Known{"GET", "/page/FILE", Call::page},
    Known{"GET", "/metrics", Call::metrics},
    Known{"GET", "/internal/metrics", Call::internal_metrics},
    Known{"GET", "/v1/ledger", Call::ledger},
    Known{"GET", "/v1/streams", Call::list},
    Known{"POST", "/v1/streams", Call::create},
    Known{"GET", "/v1/streams/S", Call::show},
    Known{"POST", "/v1/streams/S/rows", Call::rows},
    Known{"PUT", "/v1/streams/S/blocks/ID", Call::block},
    Known{"GET", "/v1/streams/S/releases", Call::releases},
    Known{"GET", "/v1/streams/S/latest", Call::latest},
    Known{"GET", "/v1/streams/S/events", Call::events},
};

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = path.find('/');
    parts.push_back(path.substr(0, end));
    if (end == std::string_view::npos) return parts;
    path.remove_prefix(end + 1);
  }
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == ':';
  });
}

bool fits(const std::vector<std::string_view>& pattern, const std::vector<std::string_view>& path,
          Admitted& what) {
  if (pattern.size() != path.size()) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (pattern[i] == "S") {
      if (!is_stream_name(path[i])) return false;
      what.stream = path[i];
    } else if (pattern[i] == "ID") {
      if (!is_plain_name(path[i])) return false;
      what.block = path[i];
    } else if (pattern[i] == "FILE") {
      if (!is_plain_name(path[i])) return false;
      what.file = path[i];
    } else if (pattern[i] != path[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace

Route find_route(std::string_view method, std::string_view target) {
  const std::size_t mark = target.find('?');
  const auto path = parts_of(target.substr(0, mark));
  Route route{.status = 404};
  for (const Known& known : routes) {
    Admitted what{.call = known.call};
    if (!fits(parts_of(known.path), path, what)) continue;
    if (known.method != method) {
      route.status = 405;
      route.allowed += (route.allowed.empty() ? "" : ", ") + std::string(known.method);
      continue;
    }
    if (mark != std::string_view::npos) {
      std::string_view query = target.substr(mark + 1);
      while (!query.empty()) {
        const std::string_view one = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), one.size() + 1));
        const std::size_t equals = one.find('=');
        const std::string_view value = equals == std::string_view::npos ? "" : one.substr(equals + 1);
        what.query.emplace(one.substr(0, equals), value);
      }
    }
    return {.status = 200, .what = std::move(what)};
  }
  return route;
}

}  // namespace jme::serve
