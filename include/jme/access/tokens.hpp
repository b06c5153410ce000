#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jme {

/// What the bearer of a token may do: give rows, see releases, or everything.
enum class Role { write, read, admin };
[[nodiscard]] std::string_view name(Role role);
/// Throws InvalidParameter("role", ...).
[[nodiscard]] Role parse_role(std::string_view text);

/// For all streams of a state folder, in place of a name.
inline constexpr std::string_view every_stream = "*";

/// What is public about a token: everything except the token.
struct TokenInfo {
  std::string id;  ///< names it in lists, in the audit log and for revoking
  Role role = Role::read;
  std::string stream;                     ///< a stream's name, or every_stream
  std::int64_t created = 0;               ///< seconds since 1970
  std::optional<std::int64_t> expires{};  ///< from this second on it is refused
  std::int64_t renewals = 0;              ///< how often its secret was replaced

  [[nodiscard]] bool is_for(std::string_view name) const { return stream == every_stream || stream == name; }
  [[nodiscard]] bool has_expired(std::int64_t now) const { return expires && now >= *expires; }
};

/// The tokens of a state folder, in a file for its owner alone. It holds a salted hash of each token, so that
/// who reads the file cannot use any of them. Every call reads or replaces the whole file, so that several
/// processes may use it at once.
class TokenFile {
 public:
  explicit TokenFile(const std::filesystem::path& folder);

  /// Makes a token, and the folder where it is missing. The token can never be shown again. Throws
  /// InvalidParameter for a stream's name that no stream can have.
  [[nodiscard]] std::string add(Role role, const std::string& stream,
                                std::optional<std::int64_t> expires = {});
  /// This and the others throw StateError where there is no such folder.
  [[nodiscard]] std::vector<TokenInfo> list() const;
  /// Makes a new secret for the token with this id, and returns the token; from then on the old one is not
  /// known. Whatever belongs to the id, such as requests that may be sent again, goes on. None where there is
  /// no token with this id.
  [[nodiscard]] std::optional<std::string> renew(std::string_view id, std::optional<std::int64_t> expires);
  /// False where there is no token with this id.
  bool revoke(std::string_view id);

 private:
  friend class TokenCheck;
  struct Entry;
  [[nodiscard]] static std::vector<Entry> read(const std::filesystem::path& path);
  void write(const std::vector<Entry>& entries) const;
  std::filesystem::path folder_, path_;
};

/// Recognises tokens, also those that were made or revoked after it was constructed. May be used by several
/// threads.
class TokenCheck {
 public:
  explicit TokenCheck(const std::filesystem::path& folder);
  ~TokenCheck();
  TokenCheck(const TokenCheck&) = delete;
  TokenCheck& operator=(const TokenCheck&) = delete;

  /// Whose token this is; none where it is unknown, revoked or expired. The time that it takes does not
  /// depend on how much of a token was right.
  [[nodiscard]] std::optional<TokenInfo> find(std::string_view token, std::int64_t now);
  /// Why the tokens cannot be read now, without the folder's name; empty where they can.
  [[nodiscard]] std::string problem();
  /// Whether a token that was found before may go on: it was neither revoked nor
  /// renewed since, nor has it expired.
  [[nodiscard]] bool is_still_good(const TokenInfo& token, std::int64_t now);

 private:
  struct Version {
    std::uint64_t inode = 0, size = 0;
    std::int64_t seconds = -1, nanoseconds = 0;
    bool operator==(const Version&) const = default;
  };
  [[nodiscard]] Version version() const;
  void read_again_if_changed();
  std::filesystem::path path_;
  std::mutex mutex_;
  Version read_{};
  std::vector<TokenFile::Entry> entries_;
};

/// Whether this may be the name of a stream: letters, digits, '.', '-' and '_', at most 64 of them, beginning
/// with a letter or digit.
[[nodiscard]] bool is_stream_name(std::string_view text);

}  // namespace jme
