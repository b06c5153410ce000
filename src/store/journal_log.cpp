#include "store/journal_log.hpp"

#include <cstring>

#include <fmt/format.h>

#include "store/log_encoding.hpp"
#include "store/sealed.hpp"

namespace jme::store {

namespace {

constexpr std::int64_t kind_of(JournalOf journal) {
  return static_cast<std::int64_t>(journal);
}

Bytes context_of(JournalOf journal, std::uint64_t place) {
  return ByteWriter()
      .text("jme journal")
      .number(static_cast<std::uint64_t>(kind_of(journal)))
      .number(place)
      .bytes();
}

Nonce nonce_from(std::span<const std::byte> bytes) {
  Nonce nonce;
  if (bytes.size() != sizeof nonce) throw damaged("a nonce has the wrong length");
  std::memcpy(&nonce, bytes.data(), sizeof nonce);
  return nonce;
}

Tag chain_after(Hmac& hmac, const Tag& before, std::uint64_t place, std::span<const std::byte> sealed) {
  hmac.add(ByteWriter().raw(before).number(place).field(sealed).bytes());
  return hmac.tag();
}

}  // namespace

Bytes JournalLog::ends() const {
  return ByteWriter().number(last_place_).raw(chains_[0]).raw(chains_[1]).bytes();
}

void JournalLog::load(std::span<const std::byte> ends) {
  ByteReader reader(ends);
  last_place_ = reader.value<std::uint64_t>();
  for (Tag& chain : chains_) chain = reader.value<Tag>();
}

void JournalLog::write(const StreamKeys& keys, const Nonce& nonce, JournalOf journal,
                       const JournalEntries& entries) {
  if (entries.replaces_all()) {
    database_->run(fmt::format("DELETE FROM journal WHERE kind = {}", kind_of(journal)).c_str());
    chain_of(journal) = Tag{};
  }
  if (entries.records().empty()) return;
  if (!insert_) insert_.emplace(*database_, "INSERT INTO journal VALUES (?, ?, ?, ?)");
  const Key key = keys.seal_journal(nonce);
  Hmac hmac(keys.journal());
  for (const Bytes& record : entries.records()) {
    const std::uint64_t place = ++last_place_;
    const Bytes sealed = seal(key, place, context_of(journal, place), record);
    chain_of(journal) = chain_after(hmac, chain_of(journal), place, sealed);
    insert_->bind(1, static_cast<std::int64_t>(place))
        .bind(2, kind_of(journal))
        .bind(3, bytes_of(nonce))
        .bind(4, sealed)
        .run();
  }
}

void JournalLog::read(const StreamKeys& keys, JournalOf journal,
                      const std::function<void(std::span<const std::byte>)>& record) const {
  Hmac hmac(keys.journal());
  Tag chain{};
  Statement all =
      database_->prepare("SELECT place, nonce, sealed FROM journal WHERE kind = ? ORDER BY place");
  all.bind(1, kind_of(journal));
  while (all.step()) chain = chain_after(hmac, chain, whole(all.number(0)), all.blob(2));
  if (!equal(chain, chains_[journal == JournalOf::people ? 0 : 1])) throw damaged("its journal was changed");
  all.reset();
  while (all.step()) {
    const std::uint64_t place = whole(all.number(0));
    record(
        unseal(keys.seal_journal(nonce_from(all.blob(1))), place, context_of(journal, place), all.blob(2)));
  }
}

}  // namespace jme::store
