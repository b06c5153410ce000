#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace jme::test {

/// A jme that runs beside the test and follows a file; killed at the end, if it still runs.
class LiveProcess {
 public:
  /// Standard output goes to the file `out`, standard error to `out` + ".err".
  LiveProcess(const std::vector<std::string>& arguments, std::string out);
  LiveProcess(const LiveProcess&) = delete;
  LiveProcess& operator=(const LiveProcess&) = delete;
  ~LiveProcess();

  /// Exit code, or 128 + signal; none while it runs.
  std::optional<int> ended();
  /// Waits for its end.
  int wait();
  void kill(int signal);
  /// The lines that it wrote to their end.
  [[nodiscard]] std::string whole_lines() const;
  [[nodiscard]] std::string errors() const;
  /// Whether it has read this file, which it has open, to its present end.
  [[nodiscard]] bool has_read(const std::string& file) const;
  /// Waits until a condition holds; false where the process ends first. Throws after a minute.
  bool wait_until(const std::function<bool()>& holds);

 private:
  pid_t pid_ = -1;
  std::optional<int> code_;
  std::string out_;
};

}  // namespace jme::test
