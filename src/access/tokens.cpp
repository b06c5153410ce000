#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <sys/stat.h>

#include <jme/access/tokens.hpp>
#include <jme/base/errors.hpp>
#include <jme/random/key.hpp>

#include "store/bytes.hpp"
#include "store/file.hpp"
#include "store/folder.hpp"
#include "store/sha256.hpp"

namespace jme {

namespace {

using Json = nlohmann::ordered_json;
using Digest = std::array<std::byte, 32>;

constexpr std::string_view token_start = "jme_";
constexpr std::size_t id_length = 12;

template <class Bytes>
std::string hex(const Bytes& bytes) {
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

/// A token has 256 random bits, which nobody can try out: a fast hash is enough, and the salt keeps equal
/// tokens of two folders from looking equal.
Digest hash_of(std::string_view salt, std::string_view secret) {
  store::Sha256 hash;
  hash.add(store::ByteWriter().text("jme token").text(salt).text(secret).bytes());
  return hash.digest();
}

StateError damaged_tokens(const std::filesystem::path& path) {
  return StateError(fmt::format("state {}: is damaged: remove it and make the tokens again", path.string()));
}

}  // namespace

struct TokenFile::Entry {
  TokenInfo info;
  std::string salt, hash;  // in hexadecimal digits

  std::string with_new_secret() {
    const std::string secret = hex(Key::from_system().bytes());
    salt = hex(nonce_from_system());
    hash = hex(hash_of(salt, secret));
    return fmt::format("{}{}_{}", token_start, info.id, secret);
  }
};

std::string_view name(Role role) {
  switch (role) {
    case Role::write:
      return "write";
    case Role::read:
      return "read";
    case Role::admin:
      return "admin";
  }
  return "";
}

Role parse_role(std::string_view text) {
  for (const Role role : {Role::write, Role::read, Role::admin}) {
    if (text == name(role)) return role;
  }
  throw InvalidParameter("role", text, "write, read or admin");
}

bool is_stream_name(std::string_view text) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && text.size() <= 64 && is_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_'; });
}

TokenFile::TokenFile(const std::filesystem::path& folder) : folder_(folder), path_(folder / "tokens.json") {}

std::vector<TokenFile::Entry> TokenFile::read(const std::filesystem::path& path) {
  if (!store::is_there(path)) return {};
  const store::File file(path, O_RDONLY);
  if ((file.permissions() & 077U) != 0) {
    throw StateError(fmt::format("state {}: others may read it: it must be for its owner alone (chmod 600)",
                                 path.string()));
  }
  std::string text(file.size(), '\0');
  text.resize(file.read(0, std::as_writable_bytes(std::span(text))));
  std::vector<Entry> entries;
  try {
    const Json object = Json::parse(text);
    for (const Json& token : object.at("tokens")) {
      Entry entry{.info = {.id = token.at("id"),
                           .role = parse_role(token.at("role").get<std::string>()),
                           .stream = token.at("stream"),
                           .created = token.at("created")},
                  .salt = token.at("salt"),
                  .hash = token.at("hash")};
      if (!token.at("expires").is_null()) entry.info.expires = token.at("expires");
      entry.info.renewals = token.value("renewals", std::int64_t{0});  // older files have none
      entries.push_back(std::move(entry));
    }
  } catch (const Json::exception&) {
    throw damaged_tokens(path);
  } catch (const InvalidParameter&) {
    throw damaged_tokens(path);
  }
  return entries;
}

// Readers find the old file or the new one, never a part of it.
void TokenFile::write(const std::vector<Entry>& entries) const {
  Json tokens = Json::array();
  for (const Entry& entry : entries) {
    tokens.push_back({{"id", entry.info.id},
                      {"role", name(entry.info.role)},
                      {"stream", entry.info.stream},
                      {"created", entry.info.created},
                      {"expires", entry.info.expires ? Json(*entry.info.expires) : Json()},
                      {"renewals", entry.info.renewals},
                      {"salt", entry.salt},
                      {"hash", entry.hash}});
  }
  const std::string text = Json{{"tokens", tokens}}.dump(1) + '\n';
  std::filesystem::path next = path_;
  next += ".new";
  {
    const store::File file(next, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    file.write(0, store::bytes_of(text));
    file.sync();
  }
  std::filesystem::rename(next, path_);
  store::sync_folder(folder_);
}

std::string TokenFile::add(Role role, const std::string& stream, std::optional<std::int64_t> expires) {
  if (stream != every_stream && !is_stream_name(stream)) {
    throw InvalidParameter("stream", "must be * or a name of letters, digits, '.', '-' and '_'");
  }
  store::make_folder(folder_);
  const store::File lock(folder_ / "tokens.lock", O_RDWR | O_CREAT, 0600);
  lock.lock();
  std::vector<Entry> entries = read(path_);
  Entry entry{.info = {.id = hex(nonce_from_system()).substr(0, id_length),
                       .role = role,
                       .stream = stream,
                       .created = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()),
                       .expires = expires},
              .salt = {},
              .hash = {}};
  std::string token = entry.with_new_secret();
  entries.push_back(entry);
  write(entries);
  return token;
}

std::optional<std::string> TokenFile::renew(std::string_view id, std::optional<std::int64_t> expires) {
  store::check_folder(folder_);
  const store::File lock(folder_ / "tokens.lock", O_RDWR | O_CREAT, 0600);
  lock.lock();
  std::vector<Entry> entries = read(path_);
  const auto found = std::ranges::find(entries, id, [](const Entry& entry) { return entry.info.id; });
  if (found == entries.end()) return std::nullopt;
  found->info.expires = expires;
  ++found->info.renewals;
  std::string token = found->with_new_secret();
  write(entries);
  return token;
}

std::vector<TokenInfo> TokenFile::list() const {
  store::check_folder(folder_);
  std::vector<TokenInfo> tokens;
  for (Entry& entry : read(path_)) tokens.push_back(std::move(entry.info));
  return tokens;
}

bool TokenFile::revoke(std::string_view id) {
  store::check_folder(folder_);
  const store::File lock(folder_ / "tokens.lock", O_RDWR | O_CREAT, 0600);
  lock.lock();
  std::vector<Entry> entries = read(path_);
  const auto removed = std::erase_if(entries, [&](const Entry& entry) { return entry.info.id == id; });
  if (removed > 0) write(entries);
  return removed > 0;
}

TokenCheck::TokenCheck(const std::filesystem::path& folder) : path_(folder / "tokens.json") {}
TokenCheck::~TokenCheck() = default;

TokenCheck::Version TokenCheck::version() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return {};
  return {.inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .seconds = status.st_mtim.tv_sec,
          .nanoseconds = status.st_mtim.tv_nsec};
}

// A version that is read too early is read again; one that is read too late is the newer one.
void TokenCheck::read_again_if_changed() {
  if (const Version current = version(); current != read_) {
    entries_ = TokenFile::read(path_);
    read_ = current;
  }
}

std::string TokenCheck::problem() {
  try {
    const std::lock_guard lock(mutex_);
    read_again_if_changed();
    return {};
  } catch (const std::exception& error) {
    std::string text = error.what();
    if (const std::size_t at = text.find(path_.string()); at != std::string::npos) {
      text.replace(at, path_.string().size(), path_.filename().string());
    }
    return text;
  }
}

bool TokenCheck::is_still_good(const TokenInfo& token, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  read_again_if_changed();
  return !token.has_expired(now) && std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) {
    return entry.info.id == token.id && entry.info.renewals == token.renewals;
  });
}

std::optional<TokenInfo> TokenCheck::find(std::string_view token, std::int64_t now) {
  const std::lock_guard lock(mutex_);
  read_again_if_changed();
  const bool has_form = token.starts_with(token_start) && token.size() > token_start.size() + id_length &&
                        token[token_start.size() + id_length] == '_';
  const std::string_view id = has_form ? token.substr(token_start.size(), id_length) : std::string_view();
  const std::string_view secret =
      has_form ? token.substr(token_start.size() + id_length + 1) : std::string_view();
  // Ids are no secret; an unknown one costs as much as a known one.
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const TokenFile::Entry& entry) { return entry.info.id == id; });
  const bool is_known = found != entries_.end();
  const std::string no_hash(2 * sizeof(Digest), '0');
  const std::string& hash = is_known ? found->hash : no_hash;
  const std::string computed = hex(hash_of(is_known ? found->salt : std::string_view(), secret));
  const bool is_right =
      hash.size() == computed.size() && CRYPTO_memcmp(hash.data(), computed.data(), hash.size()) == 0;
  if (!is_known || !is_right || found->info.has_expired(now)) return std::nullopt;
  return found->info;
}

}  // namespace jme
