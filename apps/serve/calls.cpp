#include "calls.hpp"

#include <algorithm>

namespace jme::serve {

namespace {

using Call = Admitted::Call;

constexpr ParameterDescription since{"since",
                                     "t of the last release that is known; only later ones are given"};
constexpr AnswerDescription planned{200, "It was there with the same settings, or this was a dry run",
                                    "application/json", "Planned"};
constexpr AnswerDescription taken{
    202,
    "The rows are on disk, and the releases that they closed can be read. first is the place of the first "
    "row; "
    "with slots of time there is none, and slot is when theirs ends. clamped counts the request's own cells "
    "below and above the bounds of their column",
    "application/json", "Taken"};

std::vector<CallDescription> calls_without_streams() {
  return {{Call::page,
           "GET",
           "/",
           Access::anybody,
           "A live page of the streams, for people",
           {{200, "The page", "text/html"}}},
          {Call::page, "GET", "/page/{FILE}", Access::anybody},
          {Call::health,
           "GET",
           "/healthz",
           Access::anybody,
           "Whether the process lives",
           {{200, "It does", "text/plain"}}},
          {Call::readiness,
           "GET",
           "/readyz",
           Access::anybody,
           "Whether it takes requests",
           {{200, "It does", "text/plain"}}},
          {Call::openapi,
           "GET",
           "/openapi.json",
           Access::anybody,
           "This description",
           {{200, "OpenAPI 3.1", "application/json", "Anything"}}},
          {Call::metrics,
           "GET",
           "/metrics",
           Access::reader,
           "Releases, noise and budgets for Prometheus",
           {{200, "Metrics", "text/plain"}}},
          {Call::internal_metrics,
           "GET",
           "/internal/metrics",
           Access::admin_of_all,
           "Rows and requests for Prometheus",
           {{200, "Metrics", "text/plain"}}},
          {Call::ledger,
           "GET",
           "/v1/ledger",
           Access::admin_of_all,
           "What was spent, by source",
           {{200, "The ledger", "application/json", "Ledger"}}},
          {Call::list,
           "GET",
           "/v1/streams",
           Access::any_token,
           "The streams that the token is for",
           {{200, "Streams", "application/json", "Streams"}}},
          {Call::create,
           "POST",
           "/v1/streams",
           Access::admin,
           "Creates a stream",
           {{201, "It was created", "application/json", "Planned"}, planned},
           {{"dry_run", "1: only check and plan"}},
           {"application/json"},
           "Settings"}};
}

std::vector<CallDescription> calls_of_streams() {
  return {{Call::show,
           "GET",
           "/v1/streams/{S}",
           Access::any_token,
           "A stream; with the role write or admin also its numbers of rows, where they are public",
           {{200, "The stream", "application/json", "Stream"}}},
          {Call::rows,
           "POST",
           "/v1/streams/{S}/rows",
           Access::writer,
           "Gives rows",
           {taken},
           {{"Idempotency-Key", "Known for seven days: the same key and body again take nothing", true},
            {"Content-Range", "rows FIRST-LAST/*, counted from 0, where one token writes the stream", true}},
           {"text/csv", "application/x-ndjson"}},
          {Call::block,
           "PUT",
           "/v1/streams/{S}/blocks/{ID}",
           Access::writer,
           "Gives the sums of rows of the open block or slot",
           {taken},
           {{"origin", "The job that makes the sums; all that name one name the same"}},
           {"application/octet-stream"}},
          {Call::releases,
           "GET",
           "/v1/streams/{S}/releases",
           Access::reader,
           "Releases, oldest first, one JSON object per line; a Link field leads to further ones",
           {{200, "Releases", "application/x-ndjson", "Release"}},
           {since, {"limit", "Most releases to give in one answer"}}},
          {Call::latest,
           "GET",
           "/v1/streams/{S}/latest",
           Access::reader,
           "The newest release",
           {{200, "A release", "application/json", "Release"}}},
          {Call::compare,
           "GET",
           "/v1/streams/{S}/compare",
           Access::reader,
           "How the means of two windows differ, from releases alone",
           {{200, "The comparison", "application/json", "Comparison"}},
           {{"from", "t of a release, when its slot ended, or A..B: the rows before"},
            {"to", "The same for the rows after; by default up to the newest release"}}},
          {Call::events,
           "GET",
           "/v1/streams/{S}/events",
           Access::reader,
           "Releases as they come, as server-sent events whose id is t",
           {{200, "Events", "text/event-stream"}},
           {since, {"Last-Event-ID", "t of the last event that was seen", true}}}};
}

}  // namespace

const std::vector<CallDescription>& call_descriptions() {
  static const std::vector<CallDescription> all = [] {
    std::vector<CallDescription> calls = calls_without_streams();
    std::vector<CallDescription> more = calls_of_streams();
    calls.insert(calls.end(), more.begin(), more.end());
    return calls;
  }();
  return all;
}

Access access_to(Call call) {
  const auto& all = call_descriptions();
  return std::find_if(all.begin(), all.end(), [&](const CallDescription& one) { return one.call == call; })
      ->access;
}

}  // namespace jme::serve
