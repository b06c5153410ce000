// Bytes on a connection, to the server as it runs: the same process listens at a free port of this machine
// and is sent every input as one connection. It must answer or close, never end and never hang.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <jme/access/tokens.hpp>
#include <jme/service/service.hpp>

#include "serve/serve.hpp"

namespace {

using namespace jme;  // NOLINT: one file

class Listening {
 public:
  Listening() {
    char name[] = "/tmp/jme-fuzz-XXXXXX";
    folder_ = ::mkdtemp(name);
    token_ = TokenFile(folder_).add(Role::admin, "*");
    static_cast<void>(
        Service({.state = folder_, .keeps_time = false})
            .create(
                R"({"name":"a","epsilon":1,"delta":1e-6,"bounds":{"x":[0,1]},"rows":1000000,"every":1000})",
                false));
    std::promise<unsigned> port;
    std::thread([&port] {
      serve::serve(
          {.state = folder_,
           .listen = "127.0.0.1:0",
           .body_bytes = 4096,
           .requests_per_second = 1e9,
           .timeout = std::chrono::milliseconds(200)},
          [&](const std::string& address) {
            port.set_value(static_cast<unsigned>(std::stoul(address.substr(address.rfind(':') + 1))));
          });
    }).detach();
    port_ = port.get_future().get();
    // The log of every request would fill the disk.
    std::atexit([] { std::filesystem::remove_all(folder_); });
  }
  /// Inputs cannot know the token and the port: T and P stand for them.
  [[nodiscard]] std::string completed(std::string text) const {
    replace(text, "{T}", token_);
    replace(text, "{P}", std::to_string(port_));
    return text;
  }
  [[nodiscard]] unsigned port() const { return port_; }
  void empty_log() const { std::ofstream(std::filesystem::path(folder_) / "audit.log", std::ios::trunc); }

 private:
  static void replace(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
      text.replace(at, what.size(), by);
    }
  }
  inline static std::string folder_;
  std::string token_;
  unsigned port_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Listening server;
  static std::size_t runs = 0;
  if (++runs % 10'000 == 0) server.empty_log();
  const std::string text = server.completed({reinterpret_cast<const char*>(data), size});
  if (text.find("/events") != std::string::npos) return 0;  // it answers for as long as one listens
  const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval longest{.tv_sec = 5, .tv_usec = 0};
  ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // A reset in place of a polite end, so that ports are free again at once.
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  if (::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::abort();
  static_cast<void>(::send(connection, text.data(), text.size(), MSG_NOSIGNAL));
  ::shutdown(connection, SHUT_WR);
  char answer[4096];
  ssize_t count = 0;
  bool is_first = true;
  while ((count = ::recv(connection, answer, sizeof answer, 0)) > 0) {
    if (is_first && std::string_view(answer, static_cast<std::size_t>(count)).substr(0, 7) != "HTTP/1.") {
      std::abort();
    }
    is_first = false;
  }
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) std::abort();  // it hangs
  ::close(connection);
  return 0;
}
