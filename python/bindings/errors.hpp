#pragma once

#include <string>

#include <jme/base/errors.hpp>

namespace jme::python {

/// A DataError whose column has a name, which Python's error carries.
class NamedDataError : public DataError {
 public:
  NamedDataError(const std::string& message, const DataError& error, std::string column)
      : DataError(message, error.row().value_or(0), error.column(), error.remedy()),
        column_name_(std::move(column)) {}
  [[nodiscard]] const std::string& column_name() const { return column_name_; }

 private:
  std::string column_name_;
};

/// The library's exceptions become those of jme.errors.
void translate_errors();

}  // namespace jme::python
