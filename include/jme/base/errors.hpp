#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace jme {

/// Every error the library raises on purpose. Messages never contain data values.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A parameter outside its range: "delta = 1: must be in (0, 1)". The text spells the parameter as the
/// command does, without the dashes before it.
class InvalidParameter : public Error {
 public:
  InvalidParameter(std::string_view name, double value, std::string_view allowed);
  InvalidParameter(std::string_view name, std::string_view value, std::string_view allowed);
  /// For a complaint that is a whole sentence: "norm-bound: must be given, because ...".
  InvalidParameter(std::string_view name, std::string_view explanation);

  /// The name of the parameter, with its words joined by underscores ("norm_bound"), so that a front can name
  /// it in its own spelling.
  [[nodiscard]] const std::string& field() const { return field_; }

 private:
  std::string field_;
};

/// A setting under which input that was refused could be read.
struct Remedy {
  std::string field;    ///< as in InvalidParameter::field: "compression"
  std::string value{};  ///< "none"; empty for a setting that is on or off

  /// As messages spell it, which is as InvalidParameter does: "compression none", "no-header".
  [[nodiscard]] std::string words() const;
  bool operator==(const Remedy&) const = default;
};

/// Input data that cannot be used. The message says the line and column, never the value.
class DataError : public Error {
 public:
  using Error::Error;
  DataError(const std::string& message, Remedy remedy) : Error(message), remedy_(std::move(remedy)) {}
  /// `row` and `column` count from 1.
  DataError(const std::string& message, std::size_t row, std::optional<std::size_t> column = std::nullopt,
            std::optional<Remedy> remedy = std::nullopt)
      : Error(message), row_(row), column_(column), remedy_(std::move(remedy)) {}

  /// The row of the stream that cannot be used, counted from 1; none where the input fails as a whole.
  [[nodiscard]] std::optional<std::size_t> row() const { return row_; }
  /// Its column among the columns that are taken, counted from 1; none where the fault is not in a single
  /// cell.
  [[nodiscard]] std::optional<std::size_t> column() const { return column_; }
  /// What would read this input. Its words stand in the message, so that a front can put its own spelling in
  /// their place.
  [[nodiscard]] const std::optional<Remedy>& remedy() const { return remedy_; }

 private:
  std::optional<std::size_t> row_{}, column_{};
  std::optional<Remedy> remedy_{};
};

/// A row past the public horizon, or a privacy budget that is spent.
class BudgetExhausted : public Error {
 public:
  using Error::Error;
};

/// The state of a stream is on disk with what was given last, but what comes after that could not be written:
/// who gave it must not give it again. The stream has to be opened anew.
class FailedAfterCommit : public Error {
 public:
  using Error::Error;
};

/// Durable state that is locked, corrupt or belongs to another configuration.
class StateError : public Error {
 public:
  using Error::Error;
};

}  // namespace jme
