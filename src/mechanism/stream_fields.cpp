#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/clock/time.hpp>
#include <jme/mechanism/stream_fields.hpp>

namespace jme {

namespace {

using enum Field::Type;

double parse_share(std::string_view field, const std::string& text) {
  const double share = parse_real(field, text);
  if (!(share > 0 && share < 1)) throw InvalidParameter(field, text, "in (0, 1)");
  return share;
}

unsigned parse_threads(const std::string& text) {
  const std::size_t count = parse_count("threads", text);
  if (count > 1024) throw InvalidParameter("threads", text, "at most 1024");
  return static_cast<unsigned>(count);
}

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
  return {
      {{.name = "epsilon",
        .type = real,
        .value = "E",
        .help = "Privacy loss, with delta",
        .fronts = Field::rows | Field::searches},
       [](const Mechanism& m) -> FieldValue {
         const auto target = m.config().budget.approx_dp();
         return target ? FieldValue(double{target->epsilon}) : FieldValue();
       },
       [](StreamConfig& c, const std::string& t) { c.budget.epsilon = parse_real("epsilon", t); }},
      {{.name = "delta",
        .type = real,
        .rule = "a number in (0, 1)",
        .value = "D",
        .help = "Slack of the guarantee, in (0, 1); well below 1/people",
        .fronts = Field::rows | Field::searches},
       [](const Mechanism& m) -> FieldValue {
         const auto target = m.config().budget.approx_dp();
         return target ? FieldValue(double{target->delta}) : FieldValue();
       },
       [](StreamConfig& c, const std::string& t) { c.budget.delta = parse_real("delta", t); }},
      {{.name = "sigma",
        .type = real,
        .value = "S",
        .help = "Noise multiplier, in place of epsilon and delta"},
       [](const Mechanism& m) -> FieldValue {
         const auto& sigma = m.config().budget.sigma;
         return sigma ? FieldValue(*sigma) : FieldValue();
       },
       [](StreamConfig& c, const std::string& t) { c.budget.sigma = parse_positive("sigma", t); }},
      {{.name = "adjacency",
        .words = {"replace-one", "add-remove"},
        .value = "A",
        .help = "replace-one (default) or add-remove (default with slots of time)",
        .more = "replace-one: one row is replaced by another. add-remove: one row is there or counts as "
                "zero; the number of rows stays public, and no second moment is free.",
        .fronts = Field::rows | Field::searches},
       [](const Mechanism& m) -> FieldValue { return std::string(name(m.config().adjacency)); },
       [](StreamConfig& c, const std::string& t) { c.adjacency = parse_adjacency(t); }},
      {{.name = "participations",
        .type = count,
        .fallback = "1",
        .value = "P",
        .help = "Rows one person may contribute (default 1)",
        .fronts = Field::rows | Field::searches},
       [](const Mechanism& m) -> FieldValue { return std::uint64_t{m.config().participation.rows}; },
       [](StreamConfig& c, const std::string& t) {
         c.participation.rows = parse_count("participations", t);
       }},
      {{.name = "separation",
        .type = count,
        .fallback = "1",
        .value = "B",
        .help = "Any two of them are at least this many rows apart (default 1)"},
       [](const Mechanism& m) -> FieldValue { return std::uint64_t{m.config().participation.separation}; },
       [](StreamConfig& c, const std::string& t) {
         c.participation.separation = parse_count("separation", t);
       }},
      {{.name = "rows_per_person",
        .type = count,
        .rule = "a whole number of at least 1, or P/day, P/6h or P/slot with slots of time",
        .value = "P",
        .help = "Rows of a person that count, enforced by ids (person): the promise is about all rows of a "
                "person together; near the median number of rows that a person has. With slots of time also "
                "P/day, P/6h or P/slot: so many in each window, about whose rows the promise then is; "
                "P/day:N, and N in all, or P/day:all: about all rows of a person again",
        .more = "The first records that carry the id of a person count, whatever is in their other cells; "
                "every further one is a row without cells. The limit takes the place of `participations`. "
                "Choose it without looking at the data. Windows are of UTC, and slots must divide them. jme "
                "plan takes several limits, such as 1,3,10,30, and shows them side by side.",
        .fronts = Field::rows | Field::searches},
       rows_per_person}};
}

std::vector<StreamField> horizon_fields() {
  return {
      {{.name = "rows",
        .type = count,
        .rule = "a whole number of at least 1, or unbounded",
        .words = {"unbounded"},
        .value = "N",
        .help = "At most this many rows will ever come, or unbounded",
        .more = "Whole numbers may be written as 1e6. unbounded needs no horizon: for the workloads prefix, "
                "mean and decay with the shapes auto, scaled-blt and identity, privacy holds whenever the "
                "stream stops, with a little more noise (about a seventh more for prefix sums, hardly any "
                "for the others). Such a stream ends after 67108864 releases."},
       [](const Mechanism& m) {
         return m.horizon().has_slots() ? FieldValue() : count_or_unbounded(m, m.horizon().rows());
       }},
      {{.name = "steps",
        .type = count,
        .rule = "a whole number of at least 1, or unbounded",
        .value = "N",
        .help = "The same in releases: rows = steps * every; with slots of time, their number"},
       [](const Mechanism& m) { return count_or_unbounded(m, m.horizon().steps()); }},
      {{.name = "every",
        .type = count,
        .takes = Field::Takes::length_of_time,
        .fallback = "1",
        .rule = "a whole number of at least 1, or a length of time such as 15m, 1h or 1d",
        .value = "K",
        .help = "Publish after every K rows (default 1); more rows per release mean less noise. Or after "
                "every slot of time: 90s, 15m, 1h, 1d; how many rows a slot has is then private",
        .more = "With slots of time, releases have t, which counts slots, and time, which says when each of "
                "them ended; the adjacency is add-remove by default. See `time`."},
       [](const Mechanism& m) -> FieldValue {
         if (const auto seconds = m.config().slot_seconds)
           return duration_text(static_cast<Seconds>(*seconds));
         return std::uint64_t{m.horizon().every()};
       }}};
}

std::vector<StreamField> row_fields() {
  return {
      {{.name = "dimension",
        .type = count,
        .value = "D",
        .help = "Numbers in a row",
        .more = "A run knows it from its columns."},
       [](const Mechanism& m) -> FieldValue { return std::uint64_t{m.config().dimension}; }},
      {{.name = "norm_bound",
        .type = real,
        .value = "Z",
        .help = "Largest Euclidean length of a row; longer rows are clipped",
        .more = "It is public and never estimated from the data. With bounds the default is the square root "
                "of the number of columns."},
       [](const Mechanism& m) -> FieldValue { return m.config().norm_bound; },
       [](StreamConfig& c, const std::string& t) { c.norm_bound = NormBound(parse_real("norm-bound", t)); }},
      {{.name = "geometry",
        .fallback = "auto",
        .words = {"auto", "ball", "ball-trace", "box"},
        .value = "G",
        .help = "What rows lie in: box (every cell in [-1, 1], as bounds make them), ball (of the norm "
                "bound, as in the paper), ball-trace (the ball, and the trace is released besides) or auto "
                "(default: the one with less noise)",
        .more = "With box, variances carry far less noise. The trace costs nothing, and is for jme and "
                "lambda-jme under replace-one with a public number of rows."},
       [](const Mechanism& m) -> FieldValue { return std::string(name(m.geometry())); },
       [](StreamConfig& c, const std::string& t) { c.geometry = parse_geometry(t); }},
      {{.name = "private_count",
        .type = flag,
        .fallback = "false",
        .help = "How many rows exist is private and released with noise; bad rows do not exist",
        .more = "Releases have it as rows, and means are divided by it. Records and t stay public. A bad row "
                "does not exist, unless `on_bad_row` is fail, which ends the run there. With `person` it is "
                "the number of rows that count."},
       [](const Mechanism& m) -> FieldValue { return m.config().private_count; },
       [](StreamConfig& c, const std::string& t) { c.private_count = t == "true"; }}};
}

std::vector<StreamField> published_fields() {
  return {{{.name = "workload",
            .alias = "workload1",
            .fallback = "mean",
            .rule = "text",
            .words = {"prefix", "mean", "decay:0.99", "window:100"},
            .value = "W",
            .help = "prefix, mean (default), decay:0.99, window:100 or @matrix.npy; with slots of time "
                    "decay:half=1d, window:24h",
            .more = "prefix is sums. A matrix is lower-triangular, over releases. Decay and window count "
                    "rows; with slots of time they are lengths of time, a whole number of slots."},
           [](const Mechanism& m) { return name_of(m.workload_first()); }},
          {{.name = "workload2",
            .rule = "text",
            .words = {"prefix", "mean", "decay:0.99", "window:100"},
            .value = "W",
            .help = "The same for the second moment (default: as the first)"},
           [](const Mechanism& m) { return name_of(m.workload_second()); }},
          {{.name = "second",
            .fallback = "full",
            .words = {"full", "diagonal", "none"},
            .value = "KIND",
            .help = "Second moment: full (default), diagonal or none"},
           [](const Mechanism& m) -> FieldValue { return std::string(name(m.config().second)); },
           [](StreamConfig& c, const std::string& t) { c.second = parse_second(t); }}};
}

std::vector<StreamField> noise_fields() {
  const std::vector<std::string> shape_words = {"auto",
                                                "identity",
                                                "sqrt",
                                                "banded:16",
                                                "banded-inverse:16",
                                                "blt:4",
                                                "scaled-blt:4",
                                                "scaled-blt:4:prefix",
                                                "dense"};
  return {{{.name = "method",
            .fallback = "jme",
            .words = {"jme", "lambda-jme", "ime", "cs", "pp", "pp-debiased"},
            .value = "M",
            .help = "jme (default), lambda-jme, ime, cs, pp or pp-debiased"},
           [](const Mechanism& m) -> FieldValue { return std::string(name(m.config().method)); },
           [](StreamConfig& c, const std::string& t) { c.method = parse_method(t); }},
          {{.name = "shape",
            .alias = "shape1",
            .fallback = "auto",
            .rule = "text",
            .words = shape_words,
            .value = "S",
            .help = "auto (default), identity, sqrt, banded:16, banded-inverse:16, blt:4, scaled-blt:4, "
                    "scaled-blt:4:prefix, dense or @matrix.npy",
            .more = "A matrix is lower-triangular and invertible, over releases. For a window scaled-blt "
                    "also uses its values of one, two and three windows ago, which it keeps."},
           [](const Mechanism& m) { return name_of(m.shape_first()); }},
          {{.name = "shape2",
            .rule = "text",
            .words = shape_words,
            .value = "S",
            .help = "The same for the second moment (default: as the first)"},
           [](const Mechanism& m) { return name_of(m.shape_second()); }},
          {{.name = "lambda",
            .type = real,
            .value = "L",
            .help = "Weight of the second moment for jme and lambda-jme"},
           [](const Mechanism& m) -> FieldValue { return m.calibration().lambda; },
           [](StreamConfig& c, const std::string& t) { c.lambda = parse_positive("lambda", t); }},
          {{.name = "balance",
            .type = real,
            .rule = "free, balanced or a weight above 0",
            .words = {"free", "balanced"},
            .value = "B",
            .help = "free (default), balanced, or the weight of the second moment's error",
            .more = "free takes the second moment that costs the first nothing, balanced adds some noise to "
                    "the first to remove much noise from the second."},
           nothing},
          {{.name = "alpha",
            .type = real,
            .rule = "a number in (0, 1)",
            .value = "A",
            .help = "ime: the first moment's share of the budget (default 0.5)"},
           [](const Mechanism& m) -> FieldValue {
             return m.config().method == Method::ime ? FieldValue(m.config().alpha) : FieldValue();
           },
           [](StreamConfig& c, const std::string& t) { c.alpha = parse_share("alpha", t); }},
          {{.name = "tau",
            .type = real,
            .value = "T",
            .help = "cs: weight of the squares (default 1/norm-bound^2)"},
           nothing,
           [](StreamConfig& c, const std::string& t) { c.tau = parse_positive("tau", t); }},
          {{.name = "objective",
            .fallback = "rmse",
            .words = {"rmse", "max"},
            .value = "O",
            .help = "What auto minimises: rmse (default) or max"},
           nothing,
           [](StreamConfig& c, const std::string& t) { c.objective = parse_objective(t); }},
          {{.name = "max_state_vectors",
            .type = count,
            .rule = "a whole number",
            .value = "N",
            .help = "Most memory auto may use, in vectors (default 5; windows: 256 MB)"},
           nothing,
           [](StreamConfig& c, const std::string& t) {
             c.max_state_vectors = parse_count("max-state-vectors", t, 0);
           }},
          {{.name = "threads",
            .type = count,
            .rule = "a whole number from 1 to 1024",
            .value = "N",
            .help = "Threads that share large steps (default: as many as the processor has, where they help)",
            .more = "The results do not depend on it. By default one, or as many as the processor has where "
                    "a step is large enough to share (a full second moment of some 260 columns).",
            .fronts = Field::rows | Field::searches},
           nothing,
           [](StreamConfig& c, const std::string& t) { c.threads = parse_threads(t); }}};
}

}  // namespace

Objective parse_objective(std::string_view text) {
  if (text == "rmse") return Objective::rmse;
  if (text == "max") return Objective::max;
  throw InvalidParameter("objective", text, "rmse or max");
}

const std::vector<StreamField>& stream_fields() {
  static const std::vector<StreamField> fields = [] {
    std::vector<StreamField> all;
    add_group(all, "Privacy", privacy_fields());
    add_group(all, "Horizon (public)", horizon_fields());
    add_group(all, "Rows (public)", row_fields());
    add_group(all, "What is published", published_fields());
    add_group(all, "How the noise is made", noise_fields());
    return all;
  }();
  return fields;
}

}  // namespace jme
