#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace jme::cli {

/// A bar on stderr, drawn a few times per second and wiped at the end. For people: only where stderr is a
/// terminal.
class Progress {
 public:
  /// `quiet`: draw nothing, for instance because the results go to the same terminal.
  Progress(bool quiet, std::size_t horizon_rows);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  [[nodiscard]] bool is_shown() const { return shown_; }
  /// The same without a number of rows, where that is private.
  void update_fraction(double fraction);
  /// `fraction` of the input read, where it is known; else rows count against the horizon.
  void update(std::size_t rows, std::optional<double> fraction);

 private:
  [[nodiscard]] bool is_due();
  [[nodiscard]] std::string bar(double part) const;
  bool shown_;
  bool colour_;
  bool drawn_ = false;
  std::size_t horizon_rows_;
  std::chrono::steady_clock::time_point start_, last_;
};

/// Says on stderr what is being prepared and how long it has taken so far, from the first second on, and
/// wipes it at the end. For people: only where stderr is a terminal.
class Preparing {
 public:
  explicit Preparing(std::string what);
  Preparing(const Preparing&) = delete;
  Preparing& operator=(const Preparing&) = delete;
  ~Preparing();

 private:
  void tell();
  std::string what_;
  std::mutex mutex_;
  std::condition_variable finished_;
  bool is_finished_ = false;
  std::thread teller_;
};

}  // namespace jme::cli
