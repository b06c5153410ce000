#include "checkpoint.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/sha.h>
#include <sys/file.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

#include "results.hpp"

namespace jme::train {
namespace {

// The magic line, the length of the header, the header as JSON, the arrays it announces, SHA-256
// of all before.
constexpr std::string_view checkpoint_magic = "jme-train checkpoint 2\n";
using Digest = std::array<std::uint8_t, SHA256_DIGEST_LENGTH>;

Digest sum_of(std::string_view bytes) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

template <typename T>
void append(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <typename T>
std::vector<T> take(std::string_view& bytes, std::size_t count) {
  if (count > bytes.size() / sizeof(T)) throw StateError("checkpoint: shorter than it says");
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
  return values;
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {
    if (number_ < 0) throw StateError(fmt::format("{}: {}", path, std::strerror(errno)));
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(number_); }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

void write_synced(const std::string& path, std::string_view bytes) {
  ::unlink(path.c_str());  // left behind by a crash
  const Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw StateError(fmt::format("{}: {}", path, std::strerror(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.number()) != 0) throw StateError(fmt::format("{}: {}", path, std::strerror(errno)));
}

void sync_folder(const std::string& path) {
  const Descriptor folder(folder_of(path), O_RDONLY | O_DIRECTORY);
  if (::fsync(folder.number()) != 0) throw StateError(fmt::format("{}: {}", path, std::strerror(errno)));
}

struct Contents {
  std::string identity;
  Snapshot snapshot;
};

/// Nothing where the file is damaged or is not a checkpoint.
std::optional<Contents> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || bytes.size() < checkpoint_magic.size() + sizeof(Digest) ||
      !bytes.starts_with(checkpoint_magic))
    return std::nullopt;
  std::string_view rest(bytes);
  rest.remove_suffix(sizeof(Digest));
  const Digest sum = sum_of(rest);
  if (std::memcmp(sum.data(), bytes.data() + rest.size(), sum.size()) != 0) return std::nullopt;
  rest.remove_prefix(checkpoint_magic.size());
  try {
    const auto length = take<std::uint64_t>(rest, 1)[0];
    const auto text = take<char>(rest, length);
    const auto header = nlohmann::json::parse(text.begin(), text.end());
    const auto size = [&](const char* name) { return header.at(name).get<std::size_t>(); };
    Contents found{.identity = header.at("identity").get<std::string>(), .snapshot = {}};
    Snapshot& snapshot = found.snapshot;
    snapshot.evaluations = evaluations_from(header.at("evaluations"));
    snapshot.parameters = take<float>(rest, size("parameters"));
    snapshot.adam.first = take<float>(rest, size("first"));
    snapshot.adam.second = take<float>(rest, size("second"));
    snapshot.adam.noise.steps = size("steps");
    snapshot.adam.noise.first = take<double>(rest, size("noise_first"));
    snapshot.adam.noise.second = take<double>(rest, size("noise_second"));
    if (!rest.empty()) return std::nullopt;
    return found;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const StateError&) {
    return std::nullopt;
  }
}

/// The settings that differ between two configurations, in words.
std::string difference(const std::string& there, const std::string& here) {
  const auto a = nlohmann::json::parse(there, nullptr, false),
             b = nlohmann::json::parse(here, nullptr, false);
  std::string words;
  if (!a.is_object() || !b.is_object()) return words;
  for (const auto& [name, value] : b.items()) {
    if (!a.contains(name) || a.at(name) != value)
      words += fmt::format("{} {}: {} instead of {}", words.empty() ? " (" : ",", name, value.dump(),
                           a.contains(name) ? a.at(name).dump() : "none");
  }
  return words.empty() ? words : words + ")";
}

}  // namespace

Checkpoint::Checkpoint(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  std::filesystem::create_directories(folder_of(path_), ignored);
  const std::string name = path_ + ".lock";
  lock_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) throw StateError(fmt::format("{}: {}", name, std::strerror(errno)));
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw StateError(fmt::format("{}: another process trains with it", path_));
  }
}

Checkpoint::~Checkpoint() {
  ::close(lock_);
}

void Checkpoint::save(const std::string& identity, const Snapshot& snapshot) const {
  const nlohmann::ordered_json header{{"identity", identity},
                                      {"evaluations", as_json(snapshot.evaluations)},
                                      {"steps", snapshot.adam.noise.steps},
                                      {"parameters", snapshot.parameters.size()},
                                      {"first", snapshot.adam.first.size()},
                                      {"second", snapshot.adam.second.size()},
                                      {"noise_first", snapshot.adam.noise.first.size()},
                                      {"noise_second", snapshot.adam.noise.second.size()}};
  const std::string text = header.dump();
  std::string bytes(checkpoint_magic);
  append(bytes, std::vector<std::uint64_t>{text.size()});
  bytes += text;
  append(bytes, snapshot.parameters);
  append(bytes, snapshot.adam.first);
  append(bytes, snapshot.adam.second);
  append(bytes, snapshot.adam.noise.first);
  append(bytes, snapshot.adam.noise.second);
  const Digest sum = sum_of(bytes);
  bytes.append(reinterpret_cast<const char*>(sum.data()), sum.size());
  write_synced(path_ + ".new", bytes);
  if (::rename((path_ + ".new").c_str(), path_.c_str()) != 0)
    throw StateError(fmt::format("{}: {}", path_, std::strerror(errno)));
  sync_folder(path_);
}

std::optional<Snapshot> Checkpoint::load(const std::string& identity) const {
  // A file that a crash left between writing and renaming is the newest state: if it were ignored, its steps
  // would be done a second time.
  const std::string fresh = path_ + ".new";
  if (std::filesystem::is_regular_file(fresh) && read(fresh)) {
    if (::rename(fresh.c_str(), path_.c_str()) != 0)
      throw StateError(fmt::format("{}: {}", path_, std::strerror(errno)));
    sync_folder(path_);
  }
  if (!std::filesystem::exists(path_)) return std::nullopt;
  auto found = std::filesystem::is_regular_file(path_) ? read(path_) : std::nullopt;
  if (!found) throw StateError(fmt::format("{}: is damaged or is not a checkpoint", path_));
  if (found->identity != identity)
    throw StateError(fmt::format("{}: belongs to a training with another configuration{}", path_,
                                 difference(found->identity, identity)));
  return std::move(found->snapshot);
}

void Checkpoint::remove() const {
  for (const char* end : {"", ".new", ".lock"}) ::unlink((path_ + end).c_str());
}

}  // namespace jme::train
