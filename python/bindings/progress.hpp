#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include <nanobind/nanobind.h>

namespace jme::python {

/// How far a push is, told between two strides of its work, where the interpreter's lock is held anyway.
/// Nothing of Python is touched before a push has taken a while, so that a single row costs nothing.
class Progress {
 public:
  /// One push, at whose end whatever is shown goes away.
  class Push {
   public:
    /// `wanted`: None, a truth value or a function of two numbers.
    Push(Progress& progress, nanobind::handle wanted);
    Push(const Push&) = delete;
    Push& operator=(const Push&) = delete;
    ~Push();

   private:
    Progress& progress_;
  };

  /// How many rows the push has, known once all of them are there.
  void expect(std::size_t rows) { total_ = rows; }
  /// Rows that were taken; without the interpreter's lock.
  void add(std::size_t rows) { done_ += rows; }
  void tell() { tell(done_, total_); }
  /// Calls what is shown, with `done` rows of `total`. Its exceptions are passed on.
  void tell(std::size_t done, std::optional<std::size_t> total);

 private:
  nanobind::handle wanted_;
  nanobind::object shown_;
  std::size_t done_ = 0;
  std::optional<std::size_t> total_;
  std::optional<std::chrono::steady_clock::time_point> begin_;
};

}  // namespace jme::python
