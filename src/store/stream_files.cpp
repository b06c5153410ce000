#include "store/stream_files.hpp"

#include <fmt/format.h>

#include "store/bytes.hpp"
#include "store/sha256.hpp"

namespace jme::store {

namespace {

constexpr std::size_t longest_name = 40;

std::string file_name(std::string_view source, std::string_view stream) {
  std::string name(source);
  if (!stream.empty()) name += '.' + std::string(stream);
  if (name.size() > longest_name) name.resize(longest_name);
  for (char& c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!plain) c = '_';
  }
  Sha256 hash;
  hash.add(ByteWriter().text(source).text(stream).bytes());
  const auto digest = hash.digest();
  name += '-';
  for (std::size_t i = 0; i < 4; ++i) name += fmt::format("{:02x}", static_cast<unsigned>(digest[i]));
  return name;
}

std::filesystem::path with_ending(const std::filesystem::path& path, const char* ending) {
  std::filesystem::path result = path;
  result += ending;
  return result;
}

}  // namespace

StreamFiles::StreamFiles(const std::filesystem::path& folder, std::string_view source,
                         std::string_view stream)
    : StreamFiles(with_ending(folder / file_name(source, stream), database_ending)) {}

StreamFiles::StreamFiles(const std::filesystem::path& database_file) : database(database_file) {
  std::filesystem::path base = database_file;
  base.replace_extension();
  key = with_ending(base, ".key");
  lock = with_ending(base, ".lock");
}

}  // namespace jme::store
