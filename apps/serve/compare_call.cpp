#include "compare_call.hpp"

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/inquiry/compare_answer.hpp>
#include <jme/output/json_line.hpp>

#include "write_call.hpp"

namespace jme::serve {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t bytes_at_a_time = std::size_t{1} << 20;
/// Whose releases are all read for one answer.
constexpr std::size_t most_releases = 20'000;

void add_all(ReleasedRun& releases, const LineLog& lines) {
  const std::size_t count = lines.size();
  if (count > most_releases) {
    throw InvalidParameter(
        "from",
        "must be t of releases, in a stream that sums all rows so far: this one has too many "
        "releases to read them all; jme compare does");
  }
  for (std::size_t done = 0; done < count;) {
    for (const ReleaseLine& line : lines.read(done, bytes_at_a_time, count - done)) {
      releases.add(Json::parse(line.text));
      ++done;
    }
  }
}

/// Sums of all rows so far: releases at the ends of the windows are enough. Empty where a moment is no t.
std::vector<std::uint64_t> ends_of(const CompareQuestion& question) {
  std::vector<std::uint64_t> ends;
  std::string text = question.from + ".." + question.to.value_or("0");
  for (;;) {
    const std::size_t dots = text.find("..");
    const auto t = whole_number(text.substr(0, dots));
    if (!t) return {};
    ends.push_back(*t);
    if (dots == std::string::npos) return ends;
    text = text.substr(dots + 2);
  }
}

bool add_ends(ReleasedRun& releases, const LineLog& lines, const CompareQuestion& question) {
  const Workload::Kind kind = releases.run().mechanism().workload_first().kind();
  const std::vector<std::uint64_t> ends = ends_of(question);
  if ((kind != Workload::Kind::prefix && kind != Workload::Kind::mean) || ends.empty()) return false;
  std::map<std::size_t, std::string> found;
  const auto take = [&](std::size_t index) { found[index] = lines.read(index, 0).front().text; };
  const std::size_t count = lines.size();
  for (const std::uint64_t t : ends) {
    const std::size_t index = t == 0 ? count : lines.index_after(t - 1);
    if (index < count) take(index);
  }
  if (count > 0) take(count - 1);
  if (count > 0) take(0);  // so that a message names the releases that there are
  for (const auto& [index, text] : found) releases.add(Json::parse(text));
  return true;
}

}  // namespace

Answer compare_call(const Head& head, const Admitted& what, const ServedStream& stream) {
  const auto from = what.query.find("from"), to = what.query.find("to");
  if (from == what.query.end())
    return problem(400, "Bad Request", "must be given: t of a release", head, "from");
  CompareQuestion question{.from = from->second};
  if (to != what.query.end()) question.to = to->second;
  ReleasedRun releases(stream.run());
  if (stream.lines().size() == 0) return problem(404, "Not Found", "the stream has no release yet", head);
  if (!add_ends(releases, stream.lines(), question)) add_all(releases, stream.lines());
  return {.body = json_line(compare_json(releases, question))};
}

}  // namespace jme::serve
