#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace jme::serve {

/// How the server runs; all of it can be given as flags of `jme serve`.
struct ServeOptions {
  std::filesystem::path state;
  std::string listen = "127.0.0.1:7411";
  bool behind_tls_proxy = false;
  bool public_releases = false;      ///< releases can be read without a token
  std::vector<std::string> hosts{};  ///< further names under which it may be reached
  std::size_t threads = 2;           ///< for connections
  std::size_t workers = 2;           ///< for reading bodies and writing to disk, and as many for readers
  std::size_t most_connections = 4096;
  std::size_t most_streams = 1000;
  std::optional<std::size_t> memory{};             ///< bytes for all streams; half of the machine's
  std::optional<std::size_t> memory_per_stream{};  ///< half of `memory`
  std::size_t header_bytes = 16 << 10;
  std::size_t body_bytes = 16 << 20;
  std::size_t line_bytes = 1 << 20;
  std::size_t waiting_bytes = 256 << 20;  ///< bodies that are in memory at a time
  double requests_per_second = 5000;      ///< of one token
  std::chrono::milliseconds timeout{
      10'000};  ///< for a header; bodies, answers and idle connections get 6 times it
  std::chrono::milliseconds drain{10'000};  ///< for requests under way when the server is told to end
};

/// Serves until SIGTERM or SIGINT. Calls `ready` with the address once connections are accepted. Throws
/// InvalidParameter for options that cannot be, StateError where the folder is served already.
void serve(const ServeOptions& options, const std::function<void(const std::string& address)>& ready);

}  // namespace jme::serve
