#include "durable_job.hpp"

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace jme::test {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become_jme(const std::vector<std::string>& arguments, const JobOptions& options, int out,
                             int err) {
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (!options.fault.empty()) {
    ::setenv("LD_PRELOAD", JME_FAULT_SHIM, 1);
    ::setenv("JME_FAULT", options.fault.c_str(), 1);
    ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);  // the shim comes before the sanitizer
    if (!options.fault_log.empty()) ::setenv("JME_FAULT_LOG", options.fault_log.c_str(), 1);
  }
  std::vector<char*> argv{const_cast<char*>(binary().c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(binary().c_str(), argv.data());
  ::_exit(127);
}

}  // namespace

std::string DurableJob::input(int rows, const std::string& name, const std::string& value_of_row_7) {
  std::ofstream file(path(name));
  file << "x,y\n";
  for (int i = 1; i <= rows; ++i) {
    const std::string x =
        i == 7 && !value_of_row_7.empty() ? value_of_row_7 : fmt::format("{:.9f}", 0.6 * std::sin(i));
    file << fmt::format("{},{:.9f}\n", x, 0.6 * std::cos(3 * i));
  }
  return path(name);
}

JobResult DurableJob::start(const std::vector<std::string>& arguments, const JobOptions& options) {
  std::array<std::array<int, 2>, 2> pipes{};
  for (auto& ends : pipes) {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  }
  const auto begin = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) become_jme(arguments, options, pipes[0][1], pipes[1][1]);
  for (auto& ends : pipes) ::close(ends[1]);

  JobResult result;
  std::array<pollfd, 2> waiting{{{pipes[0][0], POLLIN, 0}, {pipes[1][0], POLLIN, 0}}};
  bool killed = false;
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    timespec timeout{};
    const bool will_kill = options.kill_after && !killed;
    if (will_kill) {
      const auto left =
          std::chrono::duration_cast<std::chrono::nanoseconds>(begin + *options.kill_after - Clock::now());
      if (left.count() <= 0) {
        ::kill(child, SIGKILL);
        killed = true;
        continue;
      }
      timeout.tv_nsec = static_cast<long>(left.count() % 1'000'000'000);
      timeout.tv_sec = static_cast<time_t>(left.count() / 1'000'000'000);
    }
    const int ready = ::ppoll(waiting.data(), waiting.size(), will_kill ? &timeout : nullptr, nullptr);
    if (ready < 0 && errno != EINTR) throw std::runtime_error("poll");
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      std::array<char, 65536> buffer;
      const ssize_t got = ::read(waiting[i].fd, buffer.data(), buffer.size());
      if (got > 0) {
        (i == 0 ? result.out : result.err).append(buffer.data(), static_cast<std::size_t>(got));
      } else {
        ::close(waiting[i].fd);
        waiting[i].fd = -1;
      }
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

long DurableJob::calls_in(const std::vector<std::string>& arguments) {
  const std::string log = path("calls");
  const JobResult result = start(arguments, {.fault = "none:0", .fault_log = log});
  EXPECT_EQ(result.code, 0) << result.err;
  long calls = 0;
  std::ifstream(log) >> calls;
  return calls;
}

testing::AssertionResult begins(const std::string& whole, const std::string& text) {
  if (whole.starts_with(text)) return testing::AssertionSuccess();
  const auto differ = std::mismatch(text.begin(), text.end(), whole.begin(), whole.end());
  return testing::AssertionFailure() << "differs at byte " << differ.first - text.begin() << " of "
                                     << text.size();
}

}  // namespace jme::test
