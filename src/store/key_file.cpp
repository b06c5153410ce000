#include "store/key_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include <jme/base/errors.hpp>

#include "store/bytes.hpp"
#include "store/hmac.hpp"

namespace jme::store {

namespace {

// Three parts, in sectors that no disk writes together: the key, which is never written again, and the two
// places of the counter.
constexpr std::size_t sector = 4096;
constexpr std::size_t file_size = 3 * sector;
constexpr std::string_view magic = "jme stream key\n";
constexpr std::uint64_t key_format = 1;
constexpr std::size_t key_offset = magic.size() + sizeof key_format;
constexpr std::size_t check_offset = key_offset + 32;
constexpr std::size_t header_size = check_offset + sizeof(Tag);
constexpr std::size_t place_size = sizeof(std::uint64_t) + sizeof(Tag);

using Header = std::array<std::byte, header_size>;

std::size_t place_of(std::uint64_t counter) {
  return sector * (1 + counter % 2);
}

Tag check_of_key(const Key& key) {
  return Hmac(key).tag(ByteWriter().text("jme key file").number(key_format).bytes());
}

Bytes place(const Key& key, std::uint64_t counter) {
  const Tag tag = Hmac(key).tag(ByteWriter().text("jme key counter").number(counter).bytes());
  return ByteWriter().number(counter).raw(tag).bytes();
}

std::optional<std::uint64_t> read_place(const File& file, const Key& key, std::uint64_t parity) {
  std::array<std::byte, place_size> stored{};
  if (file.read(place_of(parity), stored) != stored.size()) return std::nullopt;
  std::uint64_t counter = 0;
  std::memcpy(&counter, stored.data(), sizeof counter);
  const Bytes expected = place(key, counter);
  if (counter % 2 != parity || CRYPTO_memcmp(expected.data(), stored.data(), stored.size()) != 0) {
    return std::nullopt;
  }
  return counter;
}

StateError damaged_key(const std::filesystem::path& path, std::string_view what) {
  return StateError(fmt::format("key file {}: {}", path.string(), what));
}

Key checked_key(const std::filesystem::path& path, const File& file) {
  if ((file.permissions() & 077U) != 0) {
    throw damaged_key(path, "others may read it; a key must be for its owner alone (chmod 600)");
  }
  if (file.size() != file_size) throw damaged_key(path, "is damaged: it does not have the size of a key file");
  Header header{};
  if (file.read(0, header) != header.size()) throw damaged_key(path, "is damaged: it ends early");
  if (std::memcmp(header.data(), magic.data(), magic.size()) != 0)
    throw damaged_key(path, "is not a key file of jme");
  std::uint64_t version = 0;
  std::memcpy(&version, header.data() + magic.size(), sizeof version);
  std::array<std::uint8_t, 32> bytes;
  std::memcpy(bytes.data(), header.data() + key_offset, bytes.size());
  Tag stored;
  std::copy_n(header.begin() + check_offset, stored.size(), stored.begin());
  OPENSSL_cleanse(header.data(), header.size());
  const Key key(bytes);
  OPENSSL_cleanse(bytes.data(), bytes.size());
  if (version > key_format) throw damaged_key(path, "was written by a newer version of jme, or is damaged");
  if (!equal(stored, check_of_key(key))) throw damaged_key(path, "is damaged");
  return key;
}

}  // namespace

void KeyFile::create(const std::filesystem::path& path, const Key& key) {
  std::filesystem::path fresh = path;
  fresh += ".new";
  std::filesystem::remove(fresh);  // left behind by a creation that was interrupted
  {
    const File file(fresh, O_WRONLY | O_CREAT | O_EXCL, 0600);
    Bytes whole(file_size);
    const auto put = [&](std::size_t offset, std::span<const std::byte> bytes) {
      std::copy(bytes.begin(), bytes.end(), whole.begin() + static_cast<std::ptrdiff_t>(offset));
    };
    put(0, ByteWriter().raw(bytes_of(magic)).number(key_format).bytes());
    put(key_offset, bytes_of(key.bytes()));
    put(check_offset, check_of_key(key));
    put(place_of(0), place(key, 0));
    file.write(0, whole);
    OPENSSL_cleanse(whole.data(), whole.size());
    file.sync();
  }
  std::filesystem::rename(fresh, path);
  sync_folder(path.parent_path());
}

KeyFile::KeyFile(const std::filesystem::path& path, Access access)
    : path_(path), file_(path, access == Access::write ? O_RDWR : O_RDONLY), key_(checked_key(path, file_)) {
  const auto even = read_place(file_, key_, 0);
  const auto odd = read_place(file_, key_, 1);
  if (!even && !odd) throw damaged_key(path, "is damaged: its counter cannot be read");
  counter_ = std::max(even.value_or(0), odd.value_or(0));
}

void KeyFile::advance(std::uint64_t counter) {
  if (counter != counter_ + 1) throw StateError("the counter of the key file moves by one");
  file_.write(place_of(counter), place(key_, counter));
  file_.sync();
  counter_ = counter;
}

}  // namespace jme::store
