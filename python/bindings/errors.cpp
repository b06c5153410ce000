#include "bindings/errors.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>

#include <nanobind/nanobind.h>

#include <jme/service/write_request.hpp>

namespace nb = nanobind;

namespace jme::python {

namespace {

nb::object text_or_none(const std::string& text) {
  return text.empty() ? nb::none() : nb::object(nb::str(text.c_str(), text.size()));
}

void raise(const char* kind, std::string_view message, const nb::dict& details) {
  try {
    const nb::object type = nb::module_::import_("jme.errors").attr(kind);
    const nb::object error = type(nb::str(message.data(), message.size()), **details);
    PyErr_SetObject(type.ptr(), error.ptr());
  } catch (nb::python_error& other) {
    other.restore();
  }
}

/// lambda and from are words of the language.
std::string python_name(const std::string& field) {
  if (field.starts_with('@')) return field.substr(1);  // the matrix that was given for this keyword
  return field == "lambda" || field == "from" ? field + '_' : field;
}

void raise_parameter(const InvalidParameter& error) {
  // The message begins with the name of the parameter as the command spells it.
  std::string message = error.what(), dashed = error.field();
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  const std::string name = python_name(error.field());
  if (message.starts_with(dashed)) message = name + message.substr(dashed.size());
  nb::dict details;
  details["field"] = text_or_none(name);
  raise("InvalidParameter", message, details);
}

void raise_data(const DataError& error, const std::string& column_name) {
  nb::dict details;
  if (error.row().value_or(0) > 0) details["row"] = *error.row();
  if (!column_name.empty()) {
    details["column"] = text_or_none(column_name);
  } else if (error.column()) {
    details["column"] = text_or_none(std::to_string(*error.column()));
  }
  raise("DataError", error.what(), details);
}

void raise_conflict(const Conflict& error, bool same_id) {
  nb::dict details;
  details["same_id"] = same_id;
  raise("Conflict", error.what(), details);
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InvalidParameter& error) {
    raise_parameter(error);
  } catch (const NamedDataError& error) {
    raise_data(error, error.column_name());
  } catch (const DataError& error) {
    raise_data(error, "");
  } catch (const BudgetExhausted& error) {
    raise("BudgetExhausted", error.what(), {});
  } catch (const OtherBody& error) {
    raise_conflict(error, true);
  } catch (const Conflict& error) {
    raise_conflict(error, false);
  } catch (const StateError& error) {
    raise("StateError", error.what(), {});
  } catch (const Error& error) {
    raise("Error", error.what(), {});
  }
}

}  // namespace

void translate_errors() {
  nb::register_exception_translator(translate);
}

}  // namespace jme::python
