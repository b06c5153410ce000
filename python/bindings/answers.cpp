#include "bindings/answers.hpp"

#include <map>
#include <string>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include <jme/inquiry/ledger_json.hpp>
#include <jme/inquiry/questions.hpp>
#include <jme/output/plan_json.hpp>
#include <jme/report/line_chart.hpp>
#include <jme/store/ledger.hpp>

#include "bindings/calls.hpp"
#include "bindings/settings.hpp"
#include "report/bar_chart.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

using Words = std::map<std::string, std::string>;

Asked word(const Words& words, const char* name) {
  const auto found = words.find(name);
  return found == words.end() ? Asked() : Asked(found->second);
}

std::string calibrate(const Words& w) {
  return answer(CalibrateQuestion{
                    .epsilon = word(w, "epsilon"), .delta = word(w, "delta"), .sigma = word(w, "sigma")})
      .dump();
}

std::string account(const Words& w) {
  const AccountQuestion question{.sampling = word(w, "sampling"),
                                 .sampling_rate = word(w, "sampling_rate"),
                                 .bands = word(w, "bands"),
                                 .steps = word(w, "steps"),
                                 .epochs = word(w, "epochs"),
                                 .delta = word(w, "delta"),
                                 .sigma = word(w, "sigma"),
                                 .epsilon = word(w, "epsilon"),
                                 .adjacency = word(w, "adjacency")};
  const Unlocked unlocked;
  return answer(question).dump();
}

std::string shape(const Words& w, const nb::dict& matrices) {
  return answer(ShapeQuestion{.rows = word(w, "rows"),
                              .steps = word(w, "steps"),
                              .every = word(w, "every"),
                              .workload = word(w, "workload"),
                              .shape = word(w, "shape"),
                              .objective = word(w, "objective"),
                              .max_state_vectors = word(w, "max_state_vectors")},
                matrix_reader(matrices))
      .dump();
}

std::string sensitivity(const Words& w, const nb::dict& matrices) {
  return answer(SensitivityQuestion{.dimension = word(w, "dimension"),
                                    .norm_bound = word(w, "norm_bound"),
                                    .rows = word(w, "rows"),
                                    .steps = word(w, "steps"),
                                    .every = word(w, "every"),
                                    .lambda = word(w, "lambda"),
                                    .workload = word(w, "workload"),
                                    .workload2 = word(w, "workload2"),
                                    .shape = word(w, "shape"),
                                    .shape2 = word(w, "shape2"),
                                    .adjacency = word(w, "adjacency"),
                                    .participations = word(w, "participations"),
                                    .separation = word(w, "separation"),
                                    .batch = word(w, "batch"),
                                    .squares = word(w, "squares")},
                matrix_reader(matrices))
      .dump();
}

std::string plan(const std::string& settings, const nb::dict& matrices) {
  return plan_json(plan_of(RunSettings::from_json(settings, "settings"), matrix_reader(matrices))).dump();
}

/// An SVG file with horizontal bars.
std::string bars(const std::string& title, const std::string& label, const std::vector<std::string>& names,
                 const std::vector<double>& values) {
  const report::BarChart chart{.title = title,
                               .description = label,
                               .categories = names,
                               .bars = {{.values = values}},
                               .value = {.label = label, .with_zero = true}};
  return draw(chart).file();
}

/// An SVG file with one curve, and a line at where it stands if that is between its ends.
std::string curve(const std::string& title, const std::string& label, const std::string& x_label,
                  const std::vector<double>& x, const std::vector<double>& y, double here) {
  report::LineChart chart{.title = title,
                          .description = label,
                          .x = {.label = x_label, .with_zero = true},
                          .y = {.with_zero = true},
                          .series = {{.x = x, .y = y}}};
  if (x.front() < here && here < x.back())
    chart.references.push_back(
        {.direction = report::ReferenceLine::Direction::vertical, .at = here, .label = "now"});
  return draw(chart).file();
}

std::string ledger(const std::string& directory, std::optional<double> delta) {
  const Unlocked unlocked;
  if (delta) delta = Delta(*delta);
  return ledger_json(Ledger::read(directory, LedgerCheck::everything), delta).dump();
}

}  // namespace

void bind_answers(nb::module_& m) {
  m.def("calibrate", &calibrate);
  m.def("account", &account);
  m.def("shape", &shape);
  m.def("sensitivity", &sensitivity);
  m.def("plan", &plan);
  m.def("bars", &bars);
  m.def("curve", &curve);
  m.def("ledger", &ledger, nb::arg("directory"), nb::arg("delta").none());
}

}  // namespace jme::python
