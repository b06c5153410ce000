#include "live_process.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.hpp"

namespace jme::test {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

[[noreturn]] void become_live(const std::vector<std::string>& arguments, const std::string& out) {
  const auto open_for = [](const std::string& name) {
    return ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  };
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(open_for(out), STDOUT_FILENO);
  ::dup2(open_for(out + ".err"), STDERR_FILENO);
  std::vector<char*> argv{const_cast<char*>(binary().c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(binary().c_str(), argv.data());
  ::_exit(127);
}

}  // namespace

LiveProcess::LiveProcess(const std::vector<std::string>& arguments, std::string out) : out_(std::move(out)) {
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) become_live(arguments, out_);
}

LiveProcess::~LiveProcess() {
  if (ended()) return;
  kill(SIGKILL);
  wait();
}

std::optional<int> LiveProcess::ended() {
  if (code_) return code_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code_;
}

int LiveProcess::wait() {
  if (code_) return *code_;
  int status = 0;
  if (::waitpid(pid_, &status, 0) != pid_) throw std::runtime_error("waitpid");
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *code_;
}

void LiveProcess::kill(int signal) {
  if (!code_) ::kill(pid_, signal);
}

std::string LiveProcess::whole_lines() const {
  const std::string text = text_of(out_);
  return text.substr(0, text.rfind('\n') + 1);
}

std::string LiveProcess::errors() const {
  return text_of(out_ + ".err");
}

bool LiveProcess::has_read(const std::string& file) const {
  struct stat wanted {};
  if (::stat(file.c_str(), &wanted) != 0) return false;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", pid_), none)) {
    struct stat open {};
    if (::stat(entry.path().c_str(), &open) != 0 || open.st_ino != wanted.st_ino ||
        open.st_dev != wanted.st_dev)
      continue;
    const std::string info =
        text_of(fmt::format("/proc/{}/fdinfo/{}", pid_, entry.path().filename().string()));
    return info.starts_with(fmt::format("pos:\t{}\n", wanted.st_size));
  }
  return false;
}

bool LiveProcess::wait_until(const std::function<bool()>& holds) {
  const Clock::time_point end = Clock::now() + std::chrono::minutes(1);
  while (!holds()) {
    if (ended()) return false;
    if (Clock::now() > end) throw std::runtime_error("a live process does not go on: " + errors());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace jme::test
