#include "message.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <jme/base/cancellation.hpp>
#include <jme/base/errors.hpp>
#include <jme/output/json_line.hpp>
#include <jme/service/write_request.hpp>

namespace jme::serve {

std::string_view Head::field(std::string_view name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

void Head::read_absolute_form() {
  const auto starts_with = [&](std::string_view scheme) {
    return target.size() >= scheme.size() &&
           std::equal(scheme.begin(), scheme.end(), target.begin(),
                      [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b); });
  };
  const std::size_t begin = starts_with("http://") ? 7 : starts_with("https://") ? 8 : 0;
  if (begin == 0) return;
  const std::size_t end = std::min(target.find_first_of("/?", begin), target.size());
  fields["host"] = target.substr(begin, end - begin);
  target.erase(0, end);
  if (!target.starts_with('/')) target.insert(0, "/");
}

Answer problem(int status, std::string_view title, std::string_view detail, const Head& head,
               std::string_view field) {
  nlohmann::ordered_json object{
      {"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}};
  if (!field.empty()) {
    // Fields of a header are spelled as those of a body, and as the errors of the library spell both.
    std::string spelled(field);
    std::replace(spelled.begin(), spelled.end(), '-', '_');
    object["field"] = std::move(spelled);
  }
  object["request"] = head.id;
  return {.status = status, .type = "application/problem+json", .body = json_line(object)};
}

Answer unusable(const Head& head) {
  return problem(503, "Service Unavailable", "the state of this stream cannot be used: its owner can see why",
                 head);
}

Answer failure(const Head& head, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InvalidParameter& e) {
    return problem(422, "Unprocessable Content", e.what(), head, e.field());
  } catch (const DataError& e) {
    return problem(422, "Unprocessable Content", e.what(), head, "body");
  } catch (const TooManyRows& e) {
    return problem(413, "Content Too Large", e.what(), head, "body");
  } catch (const Busy& e) {
    Answer answer = problem(503, "Service Unavailable", e.what(), head);
    answer.fields.emplace_back("Retry-After", "1");
    return answer;
  } catch (const Cancelled& e) {
    return problem(503, "Service Unavailable", e.what(), head);
  } catch (const NotYours& e) {
    return problem(403, "Forbidden", e.what(), head);
  } catch (const OtherBody& e) {
    return problem(409, "Conflict", e.what(), head, "body");
  } catch (const Conflict& e) {
    return problem(409, "Conflict", e.what(), head);
  } catch (const BudgetExhausted& e) {
    return problem(409, "Budget or horizon used up", e.what(), head);
  } catch (const StorageFailed&) {
    return problem(507, "Insufficient Storage",
                   "the state could not be written: send the same request again, which takes nothing twice "
                   "where it has an idempotency key, a range of rows or the id of a block",
                   head);
  } catch (const TooFewResources& e) {
    return problem(507, "Insufficient Storage", e.what(), head);
  } catch (const StateError&) {
    return unusable(head);
  } catch (const std::exception&) {
    return problem(500, "Internal Server Error", "the request failed inside the server", head);
  }
}

}  // namespace jme::serve
