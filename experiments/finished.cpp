#include "experiments/finished.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <openssl/evp.h>

#include <jme/base/errors.hpp>

#include "experiments/figure_json.hpp"

namespace jme::experiments {
namespace {

std::string sha256(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha256(), nullptr) != 1)
    throw Error("SHA-256 is not available");
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", bytes[i]);
  return hex;
}

// Numbers depend on the code that computed them, and only a digest of the whole program identifies that code.
std::string program_digest() {
  const auto program = content_of("/proc/self/exe");
  return program ? sha256(*program) : std::string();
}

}  // namespace

std::optional<std::string> content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path partial = path.string() + ".part";
  {
    std::ofstream file(partial, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw Error(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
  }
  std::error_code failed;
  std::filesystem::rename(partial, path, failed);
  if (failed) throw Error(fmt::format("{}: cannot be written: {}", path.string(), failed.message()));
}

FinishedItems::FinishedItems(std::filesystem::path folder, const Effort& effort)
    : folder_(std::move(folder)), quick_(effort.quick), seed_(effort.seed), program_(program_digest()) {}

std::filesystem::path FinishedItems::path(std::string_view item) const {
  return folder_ / item / "figure.json";
}

std::string FinishedItems::digest(std::string_view item) const {
  return sha256(fmt::format("{} {} {} {}", item, quick_ ? "quick" : "full", seed_, program_));
}

std::optional<Finished> FinishedItems::find(std::string_view item) const {
  const auto content = content_of(path(item));
  if (!content || program_.empty()) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(*content);
    if (json.at("digest") != digest(item)) return std::nullopt;
    return Finished{.figure = json.at("figure").get<Figure>(), .seconds = json.at("seconds").get<double>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // not ours, or cut short: compute it again
  }
}

void FinishedItems::keep(std::string_view item, const Finished& finished) const {
  const nlohmann::json json{{"item", item},  {"digest", digest(item)},      {"quick", quick_},
                            {"seed", seed_}, {"seconds", finished.seconds}, {"figure", finished.figure}};
  write_file(path(item), json.dump(1) + '\n');
}

}  // namespace jme::experiments
