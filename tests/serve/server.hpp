#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "temporary_folder.hpp"

namespace jme::test {

/// What came back.
struct HttpReply {
  int status = 0;                               ///< 0: the connection ended without an answer
  std::map<std::string, std::string> fields{};  ///< names in small letters
  std::string body{};

  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(body); }
};

using Fields = std::vector<std::pair<std::string, std::string>>;

/// A connection to a port of this machine that says exactly what it is told. No call waits longer than ten
/// seconds.
class Connection {
 public:
  /// `unread`: about so many bytes are taken that nobody has read; 0: as many as the kernel likes, which on
  /// this machine's own addresses can be megabytes.
  explicit Connection(unsigned port, std::uint32_t address = INADDR_LOOPBACK, int unread = 0);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// False where the other side has gone.
  bool say(std::string_view text) const;
  [[nodiscard]] HttpReply reply();
  /// What comes until `end` was in it, or the connection ends.
  [[nodiscard]] std::string read_until(const std::string& end);
  /// Whether the other side closes the connection within this time.
  [[nodiscard]] bool is_closed_within(std::chrono::milliseconds time);

 private:
  bool fill();
  int descriptor_;
  std::string buffer_;
};

/// A request as a client makes it, on a connection of its own.
[[nodiscard]] HttpReply ask(unsigned port, const std::string& method, const std::string& target,
                            const std::string& token = "", const std::string& body = "",
                            const Fields& fields = {});

/// `jme serve` on a free port. It is killed with this object.
class ServerProcess {
 public:
  /// `files`: how many the process may open; 0: as many as this one.
  ServerProcess(const std::filesystem::path& state, const std::vector<std::string>& arguments = {},
                const Fields& environment = {}, std::size_t files = 0);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess();

  [[nodiscard]] unsigned port() const { return port_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const;
  /// The exit code, or 128 + signal; none where it still runs after this time.
  std::optional<int> wait(std::chrono::milliseconds time = std::chrono::seconds(10));
  /// Kibibytes of memory in use.
  [[nodiscard]] long memory() const;

 private:
  pid_t pid_ = -1;
  unsigned port_ = 0;
  int output_ = -1;
};

/// A server with an admin's token and a stream "air": two columns, 100,000 rows, a release every ten.
class Served : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path state() const { return folder_.path() / "state"; }
  [[nodiscard]] std::string token(const std::string& role, const std::string& stream = "*",
                                  const std::string& more = "") const;
  void start(const std::vector<std::string>& arguments = {}, const Fields& environment = {},
             std::size_t files = 0);
  void create(const std::string& name = "air", const std::string& more = "") const;
  [[nodiscard]] unsigned port() const { return server_->port(); }
  [[nodiscard]] HttpReply post_rows(const std::string& csv, const std::string& key = "",
                                    const std::string& token = "") const;
  [[nodiscard]] std::string releases() const;
  [[nodiscard]] std::uint64_t rows() const;
  /// That the server uses less than so many kibibytes more than before. Not under a sanitizer, which keeps
  /// what was freed.
  void expect_growth_below(long most, long before) const;
  /// Ends the server and takes its folder away.
  void forget_state();

  std::string admin_;
  std::optional<ServerProcess> server_;

 private:
  TemporaryFolder folder_{TemporaryFolder::Where::in_memory};
};

/// "temp,co" and so many rows.
[[nodiscard]] std::string some_csv(std::size_t rows, std::size_t from = 0);

}  // namespace jme::test
