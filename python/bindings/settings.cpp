#include "bindings/settings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <jme/base/errors.hpp>
#include <jme/clock/time.hpp>
#include <jme/pipeline/check.hpp>
#include <jme/pipeline/run_fields.hpp>
#include <jme/pipeline/run_settings.hpp>

#include "bindings/arrays.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

const char* type_name(Field::Type type) {
  switch (type) {
    case Field::Type::real:
      return "real";
    case Field::Type::count:
      return "count";
    case Field::Type::text:
      return "text";
    case Field::Type::list:
      return "list";
    case Field::Type::ranges:
      return "ranges";
    case Field::Type::flag:
      return "flag";
  }
  return "";
}

const char* further_type(Field::Takes takes) {
  switch (takes) {
    case Field::Takes::length_of_time:
      return "length of time";
    case Field::Takes::date:
      return "date";
    case Field::Takes::column:
      return "column";
    case Field::Takes::its_type:
      break;
  }
  return "";
}

/// The table of settings: (name, type, what it takes besides, default, what is allowed, group, help) of each.
nb::list fields() {
  nb::list result;
  for (const RunField& field : run_fields()) {
    result.append(nb::make_tuple(field.name, type_name(field.type), further_type(field.takes), field.fallback,
                                 field.allowed(), field.group, field.help));
  }
  return result;
}

/// What executors of Spark do with a DataFrame, by the name of the call.
SourceTraits sums_of(const std::string& call, bool batches_are_public) {
  SourceTraits sums{.name = "a DataFrame",
                    .front = Field::batches,
                    .has_first_records = false,
                    .tells_persons = false,
                    .gives_sums = true,
                    .is_one_block = call == "block_sum"};
  if (call == "sink") {
    sums.name = "a sink, whose rows count in the slot that is open when their sums arrive";
    sums.front = Field::served;
    sums.is_shared = true;
    sums.batches_are_public = batches_are_public;
  }
  return sums;
}

}  // namespace

MatrixReader matrix_reader(const nb::dict& matrices) {
  return [matrices](const std::string& name, std::string_view field) -> Eigen::MatrixXd {
    using Numbers = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
    const nb::str key(name.c_str(), name.size());
    if (!matrices.contains(key)) throw InvalidParameter(field, "@" + name, "a matrix that was given");
    return matrix_of(nb::cast<Numbers>(matrices[key]));
  };
}

void bind_settings(nb::module_& m) {
  m.def("fields", &fields);
  m.def("nearest_field", [](const std::string& name) { return nearest_run_field(name); });
  m.def(
      "parse_time",
      [](const std::string& text, const std::string& unit) -> std::optional<double> {
        const std::optional<Seconds> time =
            parse_time(text, parse_time_unit(unit).value_or(TimeUnit::second));
        return time ? std::optional(static_cast<double>(*time)) : std::nullopt;
      },
      nb::arg("text"), nb::arg("unit") = "s");
  m.def(
      "check_sums",
      [](const std::string& settings, const std::string& call, bool batches_are_public) {
        check(RunSettings::from_json(settings, "config"), sums_of(call, batches_are_public));
      },
      nb::arg("settings"), nb::arg("call"), nb::arg("batches_are_public") = false);
  m.def("complete_settings",
        [](const std::string& settings) { return RunSettings::from_json(settings, "settings").to_json(); });
}

}  // namespace jme::python
