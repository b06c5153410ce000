#include "serve/server.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.hpp"

namespace jme::test {

namespace {

constexpr int longest_wait = 60;  // seconds; sanitizers make a server up to twenty times slower

std::string small(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Connection::Connection(unsigned port, std::uint32_t listener, int unread)
    : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval time{.tv_sec = longest_wait, .tv_usec = 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  const int on = 1;
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (unread > 0) {
    // The other side's buffer grows with the window and the length of a segment, which is 64 KB here
    // otherwise.
    constexpr int segment = 1400;
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &unread, sizeof unread);
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(listener);
  if (::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(descriptor_);
    descriptor_ = -1;
  }
}

Connection::~Connection() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Connection::say(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t count = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool Connection::fill() {
  std::array<char, 65536> piece;
  const ssize_t count = ::recv(descriptor_, piece.data(), piece.size(), 0);
  if (count <= 0) return false;
  buffer_.append(piece.data(), static_cast<std::size_t>(count));
  return true;
}

std::string Connection::read_until(const std::string& end) {
  std::size_t at = 0;
  while ((at = buffer_.find(end)) == std::string::npos) {
    if (!fill()) return std::exchange(buffer_, {});
  }
  const std::string result = buffer_.substr(0, at + end.size());
  buffer_.erase(0, result.size());
  return result;
}

HttpReply Connection::reply() {
  HttpReply result;
  const std::string head = read_until("\r\n\r\n");
  if (!head.starts_with("HTTP/1.") || head.size() < 12) return result;
  const int status = std::stoi(head.substr(9, 3));
  std::size_t at = head.find("\r\n") + 2;
  while (at + 2 < head.size()) {
    const std::size_t end = head.find("\r\n", at), colon = head.find(':', at);
    result.fields[small(head.substr(at, colon - at))] = head.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  if (status == 100) return reply();
  const std::size_t length =
      result.fields.contains("content-length") ? std::stoul(result.fields["content-length"]) : 0;
  while (buffer_.size() < length) {
    if (!fill()) return result;
  }
  result.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  result.status = status;
  return result;
}

bool Connection::is_closed_within(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{descriptor_, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(left.count())) > 0 && !fill()) return true;
  }
}

HttpReply ask(unsigned port, const std::string& method, const std::string& target, const std::string& token,
              const std::string& body, const Fields& fields) {
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n", method, target, port);
  if (!token.empty()) text += fmt::format("Authorization: Bearer {}\r\n", token);
  if (!body.empty() || method != "GET") text += fmt::format("Content-Length: {}\r\n", body.size());
  for (const auto& [name, value] : fields) text += fmt::format("{}: {}\r\n", name, value);
  Connection connection(port);
  if (!connection.say(text + "\r\n" + body)) return {};
  return connection.reply();
}

ServerProcess::ServerProcess(const std::filesystem::path& state, const std::vector<std::string>& arguments,
                             const Fields& environment, std::size_t files) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) throw std::runtime_error("no pipe");
  std::vector<std::string> words{binary(), "serve", "--state", state.string()};
  if (std::find(arguments.begin(), arguments.end(), "--listen") == arguments.end()) {
    words.insert(words.end(), {"--listen", "127.0.0.1:0"});
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(127);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    const rlimit limit{.rlim_cur = files, .rlim_max = files};
    if (files > 0 && ::setrlimit(RLIMIT_NOFILE, &limit) != 0) std::_Exit(127);
    ::dup2(pipe[1], STDOUT_FILENO);
    ::close(pipe[0]);
    ::close(pipe[1]);
    ::execv(words.front().c_str(), pointers.data());
    std::_Exit(127);
  }
  ::close(pipe[1]);
  output_ = pipe[0];
  std::string line;
  char letter = 0;
  pollfd waiting{output_, POLLIN, 0};
  while (line.find('\n') == std::string::npos && ::poll(&waiting, 1, 30'000) > 0 &&
         ::read(output_, &letter, 1) == 1) {
    line += letter;
  }
  if (line.starts_with("listening on http://127.0.0.")) {
    port_ = static_cast<unsigned>(std::stoul(line.substr(line.rfind(':') + 1)));
  }
}

ServerProcess::~ServerProcess() {
  ::close(output_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void ServerProcess::send(int signal) const {
  ::kill(pid_, signal);
}

std::optional<int> ServerProcess::wait(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return std::nullopt;
}

long ServerProcess::memory() const {
  std::ifstream status(fmt::format("/proc/{}/status", pid_));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return 0;
}

std::string Served::token(const std::string& role, const std::string& stream, const std::string& more) const {
  std::vector<std::string> arguments{"token",    "add",  "--state", state().string(),
                                     "--stream", stream, "--role",  role};
  if (!more.empty()) arguments.insert(arguments.end(), {"--expires", more});
  const CommandResult made = jme(arguments);
  EXPECT_EQ(made.code, 0) << made.err;
  return made.out.substr(0, made.out.find('\n'));
}

void Served::start(const std::vector<std::string>& arguments, const Fields& environment, std::size_t files) {
  if (admin_.empty()) admin_ = token("admin");
  server_.reset();
  server_.emplace(state(), arguments, environment, files);
  ASSERT_NE(server_->port(), 0U);
}

void Served::create(const std::string& name, const std::string& more) const {
  const std::string settings = fmt::format(
      R"({{"name":"{}","epsilon":1,"delta":1e-6,"bounds":{{"temp":[-20,45],"co":[0,100]}},"rows":100000,"every":10{}}})",
      name, more);
  const HttpReply made = ask(port(), "POST", "/v1/streams", admin_, settings);
  EXPECT_EQ(made.status, 201) << made.body;
}

HttpReply Served::post_rows(const std::string& csv, const std::string& key, const std::string& token) const {
  Fields fields{{"Content-Type", "text/csv"}};
  if (!key.empty()) fields.emplace_back("Idempotency-Key", key);
  return ask(port(), "POST", "/v1/streams/air/rows", token.empty() ? admin_ : token, csv, fields);
}

std::string Served::releases() const {
  const HttpReply all = ask(port(), "GET", "/v1/streams/air/releases", admin_);
  EXPECT_EQ(all.status, 200) << all.body;
  EXPECT_FALSE(all.fields.contains("link"));
  return all.body;
}

std::uint64_t Served::rows() const {
  return ask(port(), "GET", "/v1/streams/air", admin_).json().at("writer").at("rows");
}

void Served::expect_growth_below(long most, long before) const {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(server_->memory() - before, most);
#else
  static_cast<void>(most), static_cast<void>(before);
#endif
}

void Served::forget_state() {
  server_.reset();
  admin_.clear();
  std::filesystem::remove_all(state());
}

std::string some_csv(std::size_t rows, std::size_t from) {
  std::string text = "temp,co\n";
  for (std::size_t i = from; i < from + rows; ++i) text += fmt::format("{},{}\n", i % 40, (7 * i) % 100);
  return text;
}

}  // namespace jme::test
