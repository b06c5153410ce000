#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace jme {

/// Every error the library raises on purpose. Messages never contain data values.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A parameter outside its range: "delta = 1: must be in (0, 1)".
class InvalidParameter : public Error {
 public:
  InvalidParameter(std::string_view name, double value, std::string_view allowed);
  InvalidParameter(std::string_view name, std::string_view value, std::string_view allowed);
  /// For parameters whose complaint is a sentence: "norm-bound: must be given, because ...".
  InvalidParameter(std::string_view name, std::string_view explanation);
};

/// Input data that cannot be used; says the line and column, never the value.
class DataError : public Error {
 public:
  using Error::Error;
};

/// A row past the public horizon, or a privacy budget that is spent.
class BudgetExhausted : public Error {
 public:
  using Error::Error;
};

/// Durable state that is locked, corrupt or belongs to another configuration.
class StateError : public Error {
 public:
  using Error::Error;
};

}  // namespace jme
