#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "message.hpp"

namespace jme::serve {

/// Who may make a call.
enum class Access {
  anybody,       ///< no token is needed, and the audit log has nothing of it
  any_token,     ///< everybody where releases are public
  reader,        ///< the role read or admin; everybody where releases are public
  writer,        ///< the role write or admin
  admin,         ///< the role admin
  admin_of_all,  ///< the role admin for all streams
};

struct ParameterDescription {
  std::string_view name, about;
  bool is_header = false;  ///< else of the query
};

struct AnswerDescription {
  int status;
  std::string_view about, type;
  std::string_view schema{};  ///< one of openapi.cpp; empty: text
};

/// A call, described once. Routing, authorisation and the OpenAPI document are made from these.
struct CallDescription {
  Admitted::Call call;
  std::string_view method;
  std::string_view path;  ///< {S} is the name of a stream, {ID} that of a block, {FILE} that of a file
  Access access;
  std::string_view about{};  ///< empty: not in the OpenAPI document
  std::vector<AnswerDescription> answers{};
  std::vector<ParameterDescription> parameters{};
  std::vector<std::string_view> bodies{};  ///< types that a body may have; none: there is no body
  std::string_view body_schema{};          ///< empty: text
};

/// In the order of the OpenAPI document.
[[nodiscard]] const std::vector<CallDescription>& call_descriptions();
[[nodiscard]] Access access_to(Admitted::Call call);

}  // namespace jme::serve
