#include "serve/serve.hpp"

#include <cstdio>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "commands.hpp"
#include "output.hpp"

namespace jme::cli {

namespace {

std::size_t bytes_of(const std::string& name, const Text& text, std::size_t fallback) {
  if (!text) return fallback;
  const std::size_t value = parse_count(name, *text);
  if (value > std::size_t{1} << 30) throw InvalidParameter(name, *text, "at most 2^30");
  return value;
}

std::size_t count_of(const std::string& name, const Text& text, std::size_t fallback, std::size_t most) {
  if (!text) return fallback;
  const std::size_t value = parse_count(name, *text);
  if (value > most) throw InvalidParameter(name, *text, fmt::format("at most {}", most));
  return value;
}

/// Bytes: a whole number, or one of KiB, MiB or GiB, "512M".
std::optional<std::size_t> memory_of(const std::string& name, const Text& text) {
  if (!text) return std::nullopt;
  constexpr std::string_view units = "KMG";
  const std::size_t unit = text->empty() ? std::string_view::npos : units.find(text->back());
  const bool has_unit = unit != std::string_view::npos;
  const std::size_t value = parse_count(name, has_unit ? text->substr(0, text->size() - 1) : *text);
  constexpr std::size_t most = std::size_t{1} << 50;
  const std::size_t factor = has_unit ? std::size_t{1} << (10 * (unit + 1)) : 1;
  if (value > most / factor) throw InvalidParameter(name, *text, "at most 2^50 bytes");
  return value * factor;
}

std::chrono::milliseconds time_of(const std::string& name, const Text& text,
                                  std::chrono::milliseconds fallback) {
  if (!text) return fallback;
  const double seconds = parse_positive(name, *text);
  if (seconds > 3600) throw InvalidParameter(name, *text, "at most 3600 seconds");
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000) + 1);
}

}  // namespace

ServeCommand::ServeCommand(CLI::App& root)
    : app_(root.add_subcommand("serve", "Takes rows and gives releases over HTTP, for many streams")) {
  add_text(*app_, "--state", state_, "DIR", "Folder of the streams, their tokens and the audit log")
      ->required();
  add_text(*app_, "--listen", listen_, "ADDRESS:PORT", "Where (default 127.0.0.1:7411; port 0: a free one)");
  app_->add_flag("--public-releases", public_releases_, "Releases can be read without a token");
  app_->add_flag("--behind-tls-proxy", behind_tls_proxy_,
                 "A proxy with TLS stands in front, so that an address of the network may be listened at");
  app_->add_option("--host", hosts_, "Name, with its port if there is one, under which the server is reached")
      ->type_name("NAME");
  const std::string limits = "Limits";
  const auto limit = [&](const std::string& name, Text& target, const std::string& type,
                         const std::string& help) {
    add_text(*app_, name, target, type, help)->group(limits);
  };
  limit("--threads", threads_, "N", "Threads for connections (default 2)");
  limit("--workers", workers_, "N", "Threads that read bodies and write to disk, and as many that answer readers (default 2)");
  limit("--connections", connections_, "N", "Connections at a time (default 4096); further ones are closed");
  limit("--streams", streams_, "N", "Streams in all (default 1000)");
  limit("--memory", memory_, "BYTES",
        "Memory of all streams, such as 512M or 2G (default: half of what this process may use); one that "
        "would need more is refused");
  limit("--memory-per-stream", memory_per_stream_, "BYTES",
        "Memory of one stream (default: half of --memory)");
  limit("--header-bytes", header_bytes_, "N", "Bytes of a request's header (default 16384)");
  limit("--body-bytes", body_bytes_, "N", "Bytes of a body of rows (default 16777216)");
  limit("--line-bytes", line_bytes_, "N", "Bytes of one row; a longer one is a bad row (default 1048576)");
  limit("--waiting-bytes", waiting_bytes_, "N",
        "Bytes of all bodies under way, and as many of the rows in them and of answers (default 268435456)");
  limit("--rate", rate_, "R", "Requests per second of one token, or of all without one (default 5000)");
  limit("--timeout", timeout_, "S",
        "Seconds for a header (default 10); bodies, answers and idle connections get 6 times as long");
  limit("--drain", drain_, "S", "Seconds that requests under way get at SIGTERM (default 10)");
  app_->footer(
      "The first line on standard output is the address: listening on http://127.0.0.1:7411\n"
      "GET /openapi.json describes every call. No token, no write: jme token add makes one, also while the "
      "server\n"
      "runs. SIGTERM and Ctrl-C let requests under way end first.\n"
      "\nExamples:\n"
      "  d=$(mktemp -d); jme token add --state $d --stream '*' --role admin; "
      "jme serve --state $d --listen 127.0.0.1:0 & sleep 1; kill $!; wait $!");
}

ExitCode ServeCommand::run() const {
  serve::ServeOptions options;
  options.state = *state_;
  if (listen_) options.listen = *listen_;
  options.public_releases = public_releases_;
  options.behind_tls_proxy = behind_tls_proxy_;
  options.hosts = hosts_;
  options.threads = count_of("threads", threads_, options.threads, 256);
  options.workers = count_of("workers", workers_, options.workers, 256);
  options.most_connections = count_of("connections", connections_, options.most_connections, 1'000'000);
  options.most_streams = count_of("streams", streams_, options.most_streams, 1'000'000);
  options.memory = memory_of("memory", memory_);
  options.memory_per_stream = memory_of("memory-per-stream", memory_per_stream_);
  options.header_bytes = bytes_of("header-bytes", header_bytes_, options.header_bytes);
  options.body_bytes = bytes_of("body-bytes", body_bytes_, options.body_bytes);
  options.line_bytes = bytes_of("line-bytes", line_bytes_, options.line_bytes);
  options.waiting_bytes =
      count_of("waiting-bytes", waiting_bytes_, options.waiting_bytes, std::size_t{1} << 40);
  if (rate_) options.requests_per_second = parse_positive("rate", *rate_);
  options.timeout = time_of("timeout", timeout_, options.timeout);
  options.drain = time_of("drain", drain_, options.drain);
  serve::serve(options, [](const std::string& address) {
    const std::string line = fmt::format("listening on {}\n", address);
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  });
  return ExitCode::ok;
}

}  // namespace jme::cli
