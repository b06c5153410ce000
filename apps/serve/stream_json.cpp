#include "stream_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/clock/time.hpp>
#include <jme/output/json_line.hpp>

namespace jme::serve {

namespace {

using Json = nlohmann::ordered_json;

/// The value of a label.
std::string label_value(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// One family of metrics: its lines must stand together.
class Family {
 public:
  Family(std::string name, std::string_view type, std::string_view help)
      : name_(std::move(name)), text_(fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help, type)) {}
  void add(const std::string& labels, double value) {
    text_ += fmt::format("{}{{{}}} {}\n", name_, labels, value);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string name_, text_;
};

std::string label(const ServedStream& stream) {
  return "stream=" + label_value(stream.name());
}

void add_vector(Family& family, const ServedStream& stream, const Json& values) {
  const std::vector<std::string>& columns = stream.run().columns();
  for (std::size_t i = 0; i < columns.size() && i < values.size(); ++i) {
    if (values[i].is_number()) {
      family.add(label(stream) + ",column=" + label_value(columns[i]), values[i].get<double>());
    }
  }
}

/// What the whole stream may spend, which is spent from its first row, or its first slot, on.
Json budget_json(const Mechanism& mechanism, std::optional<bool> spent) {
  Json budget{{"mu", mechanism.mu()}};
  if (const auto given = mechanism.config().budget.approx_dp()) {
    budget["epsilon"] = double{given->epsilon};
    budget["delta"] = double{given->delta};
  }
  budget["spent"] = spent ? Json(*spent) : Json();
  return budget;
}

Json notes_json(const ServedStream& stream, const std::vector<Note>& notes) {
  Json array = Json::array();
  for (const Note& note : notes) {
    Json one{{"kind", name(note.kind)}, {"count", note.count}};
    if (note.column) one["column"] = stream.run().columns()[*note.column];
    array.push_back(std::move(one));
  }
  return array;
}

/// All of it but what follows from the settings alone.
Json stream_json(const ServedStream& stream, const std::optional<TokenInfo>& token) {
  const StreamStanding standing = stream.standing();
  Json object{{"name", stream.name()},
              {"condition", !standing.problem.empty() ? "problem"
                            : standing.finished       ? "finished"
                                                      : "open"},
              {"releases", standing.is_known ? Json(stream.lines().size()) : Json()},
              {"t", standing.is_known ? Json(stream.lines().newest()) : Json()}};
  if (standing.slot_end) object["due"] = iso_text(*standing.slot_end);
  const bool is_reader = !token || token->role == Role::read || !token->is_for(stream.name());
  // That the first row came is for writers: readers learn of it by the first release.
  const bool is_told = !is_reader || stream.run().clock() || stream.lines().size() > 0;
  const bool is_certain = standing.is_known && (is_told || standing.problem.empty());
  object["budget"] = budget_json(stream.run().mechanism(),
                                 is_certain ? std::optional(standing.begun && is_told) : std::nullopt);
  if (is_reader) return object;
  if (standing.counts) {
    object["writer"] = {{"rows", standing.counts->rows}, {"rows_released", standing.counts->rows_released}};
    // Also about cells that others wrote.
    if (stream.notes_are_public() && token->role == Role::admin)
      object["writer"]["notes"] = notes_json(stream, standing.counts->notes);
  }
  if (token->role == Role::admin && !standing.problem.empty()) object["problem"] = standing.problem;
  return object;
}

}  // namespace

// The metadata are far longer than the rest, and are text already.
std::string stream_text(const ServedStream& stream, const std::optional<TokenInfo>& token) {
  std::string text = json_line(stream_json(stream, token));
  text.resize(text.rfind('}'));
  return text + ",\"stream\":" + stream.metadata_text() + '}';
}

Json unreadable_json(const std::string& name, const std::string& why, const std::optional<TokenInfo>& token) {
  Json object{{"name", name}, {"condition", "problem"}, {"releases", nullptr},
              {"t", nullptr}, {"budget", nullptr},      {"stream", nullptr}};
  if (token && token->role == Role::admin && token->is_for(name)) object["problem"] = why;
  return object;
}

Json taken_json(const WriteAnswer& taken, const std::vector<std::string>& columns) {
  Json object{{"rows", taken.rows}, {"unread", taken.unread}};
  for (const ClampedCells& clamped : taken.clamped) {
    object["clamped"].push_back({{"column", columns[clamped.column]},
                                 {"cells", clamped.cells},
                                 {"low", clamped.low},
                                 {"high", clamped.high}});
  }
  if (taken.first_row) object["first"] = *taken.first_row;
  if (taken.slot_end) object["slot"] = iso_text(*taken.slot_end);
  object["released"] = taken.released;
  object["repeated"] = taken.repeated;
  return object;
}

std::string metrics_text(const std::vector<const ServedStream*>& streams) {
  Family releases("jme_releases_total", "counter", "Releases of the stream.");
  Family t("jme_t", "gauge", "t of the newest release.");
  Family due("jme_next_release_timestamp_seconds", "gauge",
             "When the open slot of time ends and is released.");
  Family mu("jme_budget_mu", "gauge", "mu-GDP of the whole stream.");
  Family epsilon("jme_budget_epsilon", "gauge", "epsilon of the whole stream.");
  Family delta("jme_budget_delta", "gauge", "delta of the whole stream.");
  Family mean("jme_mean", "gauge", "Newest private mean of the column.");
  Family noise("jme_mean_noise_std", "gauge", "Standard deviation of the noise on that mean.");
  for (const ServedStream* stream : streams) {
    if (const auto end = stream->standing().slot_end) due.add(label(*stream), static_cast<double>(*end));
    const bool is_known = stream->standing().is_known;
    const std::size_t count = is_known ? stream->lines().size() : 0;
    if (is_known) {
      releases.add(label(*stream), static_cast<double>(count));
      t.add(label(*stream), static_cast<double>(stream->lines().newest()));
    }
    const Mechanism& mechanism = stream->run().mechanism();
    mu.add(label(*stream), mechanism.mu());
    if (const auto budget = mechanism.config().budget.approx_dp()) {
      epsilon.add(label(*stream), budget->epsilon);
      delta.add(label(*stream), budget->delta);
    }
    if (count == 0) continue;
    const Json newest = Json::parse(stream->lines().read(count - 1, 0).front().text);
    if (!newest.contains("mean")) continue;
    add_vector(mean, *stream, newest["mean"]);
    add_vector(noise, *stream, newest["noise_std"]["mean"]);
  }
  return releases.text() + t.text() + due.text() + mu.text() + epsilon.text() + delta.text() + mean.text() +
         noise.text();
}

std::string internal_metrics_text(const std::vector<ServedStream*>& streams,
                                  const Service::Unreadable& unreadable) {
  Family rows("jme_rows_total", "counter", "Rows that the stream took.");
  Family requests("jme_write_requests_total", "counter",
                  "Requests with rows that were taken since the start.");
  Family changed("jme_rows_changed_total", "counter",
                 "Rows that were not taken as they came, since the start.");
  Family problems("jme_problem", "gauge", "1 where the stream cannot be written.");
  for (const ServedStream* stream : streams) {
    const StreamStanding standing = stream->standing();
    problems.add(label(*stream), standing.problem.empty() ? 0 : 1);
    if (!standing.counts) continue;
    rows.add(label(*stream), static_cast<double>(standing.counts->rows));
    requests.add(label(*stream), static_cast<double>(standing.counts->requests));
    if (!stream->notes_are_public()) continue;
    for (const Note& note : standing.counts->notes) {
      if (note.column) continue;
      changed.add(label(*stream) + ",kind=" + label_value(name(note.kind)), static_cast<double>(note.count));
    }
  }
  for (const auto& [name, why] : unreadable) problems.add("stream=" + label_value(name), 1);
  return rows.text() + requests.text() + changed.text() + problems.text();
}

}  // namespace jme::serve
