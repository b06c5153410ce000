#include "command.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace jme::test {

namespace {

struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
};

void close_end(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

// A pseudo terminal: the master stays here, the slave is what the command sees.
Pipe terminal() {
  Pipe ends;
  close_end(ends.read_end);
  close_end(ends.write_end);
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) throw std::runtime_error("terminal");
  ends.read_end = master;
  ends.write_end = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  return ends;
}

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         const CommandOptions& options, int in, int out, int err) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  std::signal(SIGPIPE, SIG_DFL);
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (options.instead != nullptr) {
    const int code = options.instead(static_cast<int>(arguments.size()) + 1, argv.data());
    std::fflush(nullptr);
    ::_exit(code);
  }
  ::execvp(program.c_str(), argv.data());
  ::_exit(127);
}

// Writes what the command should read; it may stop reading at any time.
void feed(int descriptor, const CommandOptions& options) {
  std::string_view rest = options.input;
  while (!rest.empty()) {
    const std::size_t line = options.pause_between_lines_ms > 0 ? rest.find('\n') + 1 : 0;
    const std::string_view part = line > 0 ? rest.substr(0, line) : rest;
    const ssize_t written = ::write(descriptor, part.data(), part.size());
    if (written <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
    if (line > 0) std::this_thread::sleep_for(std::chrono::milliseconds(options.pause_between_lines_ms));
  }
  ::close(descriptor);
}

void collect(int& out, int& err, CommandResult& result, bool close_output_early) {
  std::array<char, 65536> buffer{};
  while (out >= 0 || err >= 0) {
    std::array<pollfd, 2> waiting{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0) break;
    for (std::size_t i = 0; i < 2; ++i) {
      if (waiting[i].revents == 0) continue;
      int& end = i == 0 ? out : err;
      const ssize_t got = ::read(end, buffer.data(), buffer.size());
      if (got <= 0) {  // a terminal whose other side is gone reports an error instead of an end
        close_end(end);
        continue;
      }
      (i == 0 ? result.out : result.err).append(buffer.data(), static_cast<std::size_t>(got));
      if (i == 0 && close_output_early) close_end(end);
    }
  }
}

}  // namespace

CommandResult execute(const std::string& program, const std::vector<std::string>& arguments,
                      const CommandOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe in = options.terminal_input ? terminal() : Pipe();
  Pipe out;
  Pipe err = options.terminal_error ? terminal() : Pipe();
  if (!options.output_file.empty()) {
    close_end(out.write_end);
    out.write_end = ::open(options.output_file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  }
  const int command_in = options.terminal_input ? in.write_end : in.read_end;
  std::fflush(nullptr);  // or a child that is not replaced by a program would print it again
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) become(program, arguments, options, command_in, out.write_end, err.write_end);
  close_end(out.write_end);
  close_end(err.write_end);
  std::thread feeder;
  if (!options.terminal_input) {
    close_end(in.read_end);
    feeder = std::thread(feed, in.write_end, std::cref(options));
  }
  CommandResult result;
  collect(out.read_end, err.read_end, result, options.close_output_early);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (feeder.joinable()) {
    feeder.join();
  } else {
    close_end(in.read_end);
    close_end(in.write_end);
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

const std::string& binary() {
  static const std::string path = [] {
    const char* named = std::getenv("JME_BINARY");
    return std::string(named != nullptr ? named : JME_BINARY);
  }();
  return path;
}

CommandResult jme(const std::vector<std::string>& arguments, const CommandOptions& options) {
  return execute(binary(), arguments, options);
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

CommandResult jme(const std::string& arguments, const CommandOptions& options) {
  return jme(words(arguments), options);
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<nlohmann::json> CommandResult::lines() const {
  std::istringstream stream(out);
  std::vector<nlohmann::json> result;
  for (std::string line; std::getline(stream, line);) result.push_back(nlohmann::json::parse(line));
  return result;
}

std::vector<nlohmann::json> CommandResult::releases() const {
  std::vector<nlohmann::json> result = lines();
  if (!result.empty()) result.erase(result.begin());
  return result;
}

void expect_refused(const CommandResult& result, int code, const std::string& text) {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(result.out, "");
  const std::size_t begin = result.err.find("jme: error: ");
  ASSERT_NE(begin, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find('\n', begin), result.err.size() - 1) << "one line: " << result.err;
  EXPECT_NE(result.err.find(text, begin), std::string::npos)
      << "expected '" << text << "' in: " << result.err;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string InDirectory::file(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

}  // namespace jme::test
