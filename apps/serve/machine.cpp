#include "machine.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>

#include <sys/resource.h>
#include <sys/sysinfo.h>

namespace jme::serve {

namespace {

constexpr std::size_t other_files = 64;  // no more than a quarter of a small limit

/// The number in this file; none where it has none, such as "max", or where there is no such file.
std::optional<std::size_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  if (!(file >> text)) return std::nullopt;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The least limit of this group and those above it.
std::size_t least_limit(const std::filesystem::path& top, const std::string& group, const char* file,
                        std::size_t least) {
  for (std::filesystem::path place = std::filesystem::path(group).relative_path();;
       place = place.parent_path()) {
    if (const auto limit = number_in(top / place / file)) least = std::min(least, *limit);
    if (place.empty()) return least;
  }
}

std::size_t physical_memory() {
  struct sysinfo info {};
  if (::sysinfo(&info) != 0) return std::size_t{1} << 30;
  return static_cast<std::size_t>(info.totalram) * info.mem_unit;
}

}  // namespace

std::size_t memory_of_machine(const std::filesystem::path& root) {
  std::size_t least = physical_memory();
  // "0::/system.slice/jme-serve.service", or "5:memory:/..." where there is a hierarchy for memory alone.
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string kinds = ',' + line.substr(first + 1, second - first - 1) + ',';
    const std::string group = line.substr(second + 1);
    if (kinds == ",,") least = least_limit(root / "sys/fs/cgroup", group, "memory.max", least);
    if (kinds.find(",memory,") != std::string::npos) {
      least = least_limit(root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes", least);
    }
  }
  return least;
}

OpenFiles open_files(const ServeOptions& options, std::size_t files_of_stream) {
  const std::size_t of_streams = files_of_stream * options.most_streams;
  const std::size_t wanted = options.most_connections + of_streams + other_files;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) {
    return {.connections = options.most_connections, .of_streams = of_streams};
  }
  if (files.rlim_cur < wanted) {
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, wanted);
    ::setrlimit(RLIMIT_NOFILE, &files);
    ::getrlimit(RLIMIT_NOFILE, &files);
  }
  if (files.rlim_cur >= wanted) return {.connections = options.most_connections, .of_streams = of_streams};
  const std::size_t half = std::max<std::size_t>(files.rlim_cur / 2, 1);
  const std::size_t connections = std::min(options.most_connections, half);
  const std::size_t others = std::min<std::size_t>(other_files, files.rlim_cur / 4);
  const std::size_t rest = files.rlim_cur - std::min<std::size_t>(files.rlim_cur, connections + others);
  return {.connections = connections, .of_streams = std::min(of_streams, rest)};
}

}  // namespace jme::serve
