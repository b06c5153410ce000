#pragma once

#include <nlohmann/json.hpp>

#include "experiments/figure.hpp"

namespace jme::experiments {

// How a finished figure is kept on disk, numbers to their last digit.

NLOHMANN_JSON_SERIALIZE_ENUM(Drawn, {{Drawn::line, "line"},
                                     {Drawn::points, "points"},
                                     {Drawn::reference, "reference"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Verdict, {{Verdict::confirmed, "confirmed"},
                                       {Verdict::partly, "partly"},
                                       {Verdict::refuted, "refuted"},
                                       {Verdict::open, "open"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Series, name, drawn, x, y, std_error, deviation, low, high)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Axis, label, logarithmic)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Mark, x, label)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Chart, name, title, x, y, series, marks, band)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Table, name, title, columns, rows)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Claim, statement, from_paper, verdict, found)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Figure, title, source, setting, warning, notes, charts, tables, claims)

}  // namespace jme::experiments
