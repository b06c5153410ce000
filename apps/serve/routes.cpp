#include "routes.hpp"

#include <algorithm>
#include <vector>

#include <jme/access/tokens.hpp>

#include "calls.hpp"

namespace jme::serve {

namespace {

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
    if (pattern[i] == "{S}") {
      if (!is_stream_name(path[i])) return false;
      what.stream = path[i];
    } else if (pattern[i] == "{ID}") {
      if (!is_plain_name(path[i])) return false;
      what.block = path[i];
    } else if (pattern[i] == "{FILE}") {
      if (!is_plain_name(path[i])) return false;
      what.file = path[i];
    } else if (pattern[i] != path[i]) {
      return false;
    }
  }
  return true;
}

/// A HEAD request is one for GET without the body; events have nothing else.
bool is_method_of(const CallDescription& known, std::string_view method) {
  return known.method == method ||
         (method == "HEAD" && known.method == "GET" && known.call != Admitted::Call::events);
}

/// False for a parameter that the call does not have: a misspelt dry_run must not create anything.
bool read_query(const CallDescription& known, std::string_view query, Admitted& what) {
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    const std::string_view name = one.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : one.substr(equals + 1);
    const bool is_known = std::ranges::any_of(known.parameters, [&](const auto& parameter) {
      return !parameter.is_header && parameter.name == name;
    });
    if (!is_known || !what.query.emplace(name, value).second) return false;
  }
  return true;
}

}  // namespace

Route find_route(std::string_view method, std::string_view target) {
  const std::size_t mark = target.find('?');
  const auto path = parts_of(target.substr(0, mark));
  Route route{.status = 404};
  for (const CallDescription& known : call_descriptions()) {
    Admitted what{.call = known.call};
    if (!fits(parts_of(known.path), path, what)) continue;
    if (!is_method_of(known, method)) {
      route.status = 405;
      route.allowed += (route.allowed.empty() ? "" : ", ") + std::string(known.method);
      if (is_method_of(known, "HEAD")) route.allowed += ", HEAD";
      continue;
    }
    const std::string_view query = mark == std::string_view::npos ? "" : target.substr(mark + 1);
    if (read_query(known, query, what)) return {.status = 200, .what = std::move(what)};
    std::string parameters;
    for (const ParameterDescription& one : known.parameters) {
      if (!one.is_header) parameters += (parameters.empty() ? "" : ", ") + std::string(one.name);
    }
    return {.status = 400, .what = std::move(what), .allowed = std::move(parameters)};
  }
  return route;
}

}  // namespace jme::serve
