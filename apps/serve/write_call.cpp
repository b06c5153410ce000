#include "write_call.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace jme::serve {

namespace {

using Call = Admitted::Call;

/// "rows 0-999/*".
std::optional<std::pair<std::uint64_t, std::uint64_t>> row_range(std::string_view text) {
  constexpr std::string_view start = "rows ", end = "/*";
  if (!text.starts_with(start) || !text.ends_with(end) || text.size() < start.size() + end.size()) {
    return std::nullopt;
  }
  text = text.substr(start.size(), text.size() - start.size() - end.size());
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = whole_number(text.substr(0, dash)), last = whole_number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

std::string media_type(std::string_view field) {
  std::string type(field.substr(0, field.find(';')));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return type;
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::variant<WriteRequest, Answer> write_request(const Head& head, const Admitted& what, std::string body) {
  WriteRequest request{.token = what.token->id, .body = std::move(body)};
  const std::string type = media_type(head.field("content-type"));
  if (what.call == Call::block) {
    request.content = WriteRequest::Content::block;
    request.repeats = WriteRequest::Repeats::by_key;
    request.key = what.block;
    if (const auto origin = what.query.find("origin"); origin != what.query.end()) {
      request.origin = origin->second;
    }
  } else if (type == "application/x-ndjson" || type == "application/ndjson" || type == "application/jsonl") {
    request.content = WriteRequest::Content::ndjson;
  } else if (type != "text/csv") {
    return problem(415, "Unsupported Media Type",
                   "rows must come as text/csv or application/x-ndjson, not compressed", head,
                   "content-type");
  }
  const std::string_view encoding = head.field("content-encoding");
  if (!encoding.empty() && encoding != "identity") {
    return problem(415, "Unsupported Media Type", "bodies must not be compressed", head, "content-encoding");
  }
  const std::string_view key = head.field("idempotency-key"), range = head.field("content-range");
  const bool has_range = head.fields.contains("content-range");
  if (what.call == Call::block) {
    // It would be a part of something: sums are whole.
    if (has_range) return problem(400, "Bad Request", "is for rows, not for sums", head, "content_range");
  } else if (head.fields.contains("idempotency-key")) {
    // An empty key is a mistake of the sender's: without one the rows would count again.
    if (key.empty() || key.size() > 256 || has_range) {
      return problem(400, "Bad Request", "must have 1 to 256 bytes, and no Content-Range beside it", head,
                     "idempotency-key");
    }
    request.repeats = WriteRequest::Repeats::by_key;
    request.key = key;
  } else if (has_range) {
    const auto numbers = row_range(range);
    if (!numbers) return problem(400, "Bad Request", "must be rows FIRST-LAST/*", head, "content_range");
    request.repeats = WriteRequest::Repeats::by_rows;
    std::tie(request.first_row, request.last_row) = *numbers;
  }
  return request;
}

}  // namespace jme::serve
