#include <fmt/format.h>

#include <jme/clock/time.hpp>
#include <jme/mechanism/stream_fields.hpp>

#include "base/field_rules.hpp"

namespace jme {

namespace {

using enum Field::Type;
using field_rules::above_0;
using field_rules::words;

const char* const whole = "a whole number of at least 1";

FieldValue nothing(const Mechanism& /*mechanism*/) {
  return {};
}

FieldValue count_or_unbounded(const Mechanism& mechanism, std::size_t value) {
  if (mechanism.horizon().is_unbounded()) return std::string("unbounded");
  return std::uint64_t{value};
}

template <class Named>
FieldValue name_of(const Named& named) {
  if (named.kind() == Named::Kind::custom) return MatrixName{named.name()};
  return named.name();
}

/// As it is written: 3, 3/day or 3/day:30.
FieldValue rows_per_person(const Mechanism& mechanism) {
  const StreamConfig& config = mechanism.config();
  const Participation& participation = config.participation;
  if (!config.persons_are_limited) return {};
  if (!participation.windows) return std::uint64_t{participation.rows};
  const RowWindows& windows = *participation.windows;
  std::string text = fmt::format("{}/{}", windows.rows, window_words(config));
  if (!windows.are_units) text += fmt::format(":{}", participation.rows);
  return text;
}

std::vector<StreamField> privacy_fields() {
  const std::string privacy = "Privacy", horizon = "Horizon (public)", rows = "Rows (public)";
  return {
      {{"epsilon", real, "", above_0, privacy, "E", "Privacy loss, with delta"},
       [](const Mechanism& m) -> FieldValue {
         const auto target = m.config().budget.approx_dp();
         return target ? FieldValue(double{target->epsilon}) : FieldValue();
       }},
      {{"delta", real, "", "a number in (0, 1)", privacy, "D",
        "Slack of the guarantee, in (0, 1); well below 1/people"},
       [](const Mechanism& m) -> FieldValue {
         const auto target = m.config().budget.approx_dp();
         return target ? FieldValue(double{target->delta}) : FieldValue();
       }},
      {{"sigma", real, "", above_0, privacy, "S", "Noise multiplier, in place of epsilon and delta"},
       [](const Mechanism& m) -> FieldValue {
         const auto& sigma = m.config().budget.sigma;
         return sigma ? FieldValue(*sigma) : FieldValue();
       }},
      {{"adjacency", text, "", "replace-one or add-remove", privacy, "A",
        "replace-one (default) or add-remove (default with slots of time)"},
       [](const Mechanism& m) -> FieldValue { return std::string(name(m.config().adjacency)); }},
      {{"participations", count, "1", whole, privacy, "P", "Rows one person may contribute (default 1)"},
       [](const Mechanism& m) -> FieldValue { return std::uint64_t{m.config().participation.rows}; }},
      {{"separation", count, "1", whole, privacy, "B",
        "Any two of them are at least this many rows apart (default 1)"},
       [](const Mechanism& m) -> FieldValue { return std::uint64_t{m.config().participation.separation}; }},
      {{"rows_per_person", count, "",
        "a whole number of at least 1, or P/day, P/6h or P/slot with slots of time", privacy, "P",
        "Rows of a person that count, enforced by ids (person): the promise is about all rows of a person "
        "together; near the median number of rows that a person has. With slots of time also P/day, P/6h or "
        "P/slot: so many in each window, about whose rows the promise then is; P/day:N, and N in all, or "
        "P/day:all: about all rows of a person again"},
       rows_per_person},
      {{"rows", count, "", "a whole number of at least 1, or unbounded", horizon, "N",
        "At most this many rows will ever come, or unbounded"},
       [](const Mechanism& m) {
         return m.horizon().has_slots() ? FieldValue() : count_or_unbounded(m, m.horizon().rows());
       }},
      {{"steps", count, "", "a whole number of at least 1, or unbounded", horizon, "N",
        "The same in releases: rows = steps * every; with slots of time, their number"},
       [](const Mechanism& m) { return count_or_unbounded(m, m.horizon().steps()); }},
      {{"every", count, "1", "a whole number of at least 1, or a length of time such as 15m, 1h or 1d",
        horizon, "K",
        "Publish after every K rows (default 1); more rows per release mean less noise. Or after every slot "
        "of "
        "time: 90s, 15m, 1h, 1d; how many rows a slot has is then private"},
       [](const Mechanism& m) -> FieldValue {
         if (const auto seconds = m.config().slot_seconds)
           return duration_text(static_cast<Seconds>(*seconds));
         return std::uint64_t{m.horizon().every()};
       }},
      {{"dimension", count, "", whole, rows, "D", "Numbers in a row"},
       [](const Mechanism& m) -> FieldValue { return std::uint64_t{m.config().dimension}; }},
      {{"norm_bound", real, "", above_0, rows, "Z",
        "Largest Euclidean length of a row; longer rows are clipped"},
       [](const Mechanism& m) -> FieldValue { return m.config().norm_bound; }},
      {{"geometry", text, "auto", "auto, ball, ball-trace or box", rows, "G",
        "What rows lie in: box (every cell in [-1, 1], as bounds make them), ball (of the norm bound, as in "
        "the paper), ball-trace (the ball, and the trace is released besides) or auto (default: the one with "
        "less noise)"},
       [](const Mechanism& m) -> FieldValue { return std::string(name(m.geometry())); }},
      {{"private_count", flag, "false", "true or false", rows, "",
        "How many rows exist is private and released with noise; bad rows do not exist"},
       [](const Mechanism& m) -> FieldValue { return m.config().private_count; }}};
}

std::vector<StreamField> noise_fields() {
  const std::string what = "What is published", how = "How the noise is made";
  return {
      {{"workload", text, "mean", words, what, "W",
        "prefix, mean (default), decay:0.99, window:100 or @matrix.npy; with slots of time decay:half=1d, "
        "window:24h",
        "workload1"},
       [](const Mechanism& m) { return name_of(m.workload_first()); }},
      {{"workload2", text, "", words, what, "W", "The same for the second moment (default: as the first)"},
       [](const Mechanism& m) { return name_of(m.workload_second()); }},
      {{"second", text, "full", "full, diagonal or none", what, "KIND",
        "Second moment: full (default), diagonal or none"},
       [](const Mechanism& m) -> FieldValue { return std::string(name(m.config().second)); }},
      {{"method", text, "jme", "jme, lambda-jme, ime, cs, pp or pp-debiased", how, "M",
        "jme (default), lambda-jme, ime, cs, pp or pp-debiased"},
       [](const Mechanism& m) -> FieldValue { return std::string(name(m.config().method)); }},
      {{"shape", text, "auto", words, how, "S",
        "auto (default), identity, sqrt, banded:16, banded-inverse:16, blt:4, scaled-blt:4, "
        "scaled-blt:4:prefix, dense or "
        "@matrix.npy",
        "shape1"},
       [](const Mechanism& m) { return name_of(m.shape_first()); }},
      {{"shape2", text, "", words, how, "S", "The same for the second moment (default: as the first)"},
       [](const Mechanism& m) { return name_of(m.shape_second()); }},
      {{"lambda", real, "", above_0, how, "L", "Weight of the second moment for jme and lambda-jme"},
       [](const Mechanism& m) -> FieldValue { return m.calibration().lambda; }},
      {{"balance", real, "", "free, balanced or a weight above 0", how, "B",
        "free (default), balanced, or the weight of the second moment's error"},
       nothing},
      {{"alpha", real, "", "a number in (0, 1)", how, "A",
        "ime: the first moment's share of the budget (default 0.5)"},
       [](const Mechanism& m) -> FieldValue {
         return m.config().method == Method::ime ? FieldValue(m.config().alpha) : FieldValue();
       }},
      {{"tau", real, "", above_0, how, "T", "cs: weight of the squares (default 1/norm-bound^2)"}, nothing},
      {{"objective", text, "rmse", "rmse or max", how, "O", "What auto minimises: rmse (default) or max"},
       nothing},
      {{"max_state_vectors", count, "", "a whole number", how, "N",
        "Most memory auto may use, in vectors (default 5; windows: 256 MB)"},
       nothing},
      {{"threads", count, "", "a whole number from 1 to 1024", how, "N",
        "Threads that share large steps (default: as many as the processor has, where they help)"},
       nothing}};
}

}  // namespace

const std::vector<StreamField>& stream_fields() {
  static const std::vector<StreamField> fields = [] {
    std::vector<StreamField> all = privacy_fields();
    for (StreamField& field : noise_fields()) all.push_back(std::move(field));
    return all;
  }();
  return fields;
}

}  // namespace jme
