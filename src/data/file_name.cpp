#include "data/file_name.hpp"

#include <algorithm>

namespace jme::data {
namespace {

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

}  // namespace

std::string extension(const std::string& path) {
  std::string name = in_lower_case(path);
  if (name.ends_with(".gz") || name.ends_with(".xz")) name.resize(name.size() - 3);
  const std::size_t dot = name.find_last_of("./");
  return dot == std::string::npos || name[dot] == '/' ? "" : name.substr(dot);
}

Compression compression_of(const std::string& path, Compression asked) {
  if (asked != Compression::automatic) return asked;
  const std::string name = in_lower_case(path);
  if (name.ends_with(".gz")) return Compression::gzip;
  return name.ends_with(".xz") ? Compression::xz : Compression::none;
}

}  // namespace jme::data
