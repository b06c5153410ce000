#include "store/annex_log.hpp"

#include <cstring>

#include "store/log_encoding.hpp"
#include "store/sealed.hpp"

namespace jme::store {

namespace {

Bytes kept_context(std::uint64_t counter) {
  return ByteWriter().text("jme kept beside").number(counter).bytes();
}

Bytes record_context(std::uint64_t place) {
  return ByteWriter().text("jme journal").number(place).bytes();
}

Nonce nonce_from_bytes(std::span<const std::byte> bytes) {
  Nonce nonce;
  if (bytes.size() != sizeof nonce) throw damaged("a nonce has the wrong length");
  std::memcpy(&nonce, bytes.data(), sizeof nonce);
  return nonce;
}

Tag chain_after_record(Hmac& hmac, const Tag& before, std::span<const std::byte> sealed) {
  hmac.add(ByteWriter().raw(before).field(sealed).bytes());
  return hmac.tag();
}

std::int64_t as_stored(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace

void AnnexLog::create() {
  database_->run(schema);
  database_->run("INSERT INTO annex VALUES (1, 0, x'', x'', 0, zeroblob(16))");
}

void AnnexLog::load() {
  Statement select = database_->prepare("SELECT counter, nonce, kept, records, chain FROM annex");
  if (!select.step()) throw damaged("what is kept beside it is missing");
  const auto bytes = [&](int column) {
    const auto blob = select.blob(column);
    return Bytes(blob.begin(), blob.end());
  };
  counter_ = whole(select.number(0));
  nonce_ = bytes(1);
  sealed_ = bytes(2);
  records_ = whole(select.number(3));
  chain_ = tag_from(select.blob(4));
}

Bytes AnnexLog::description() const {
  return ByteWriter()
      .text("jme annex")
      .number(counter_)
      .field(nonce_)
      .field(sealed_)
      .number(records_)
      .raw(chain_)
      .bytes();
}

void AnnexLog::write(const StreamKeys& keys, const Nonce& nonce, std::uint64_t counter, const Annex& annex) {
  if (!insert_) {
    insert_.emplace(*database_, "INSERT INTO journal VALUES (?, ?, ?)");
    update_.emplace(*database_,
                    "UPDATE annex SET counter = ?, nonce = ?, kept = ?, records = ?, chain = ? WHERE id = 1");
  }
  const std::span<const std::byte> nonce_bytes = bytes_of(nonce);
  if (annex.keep) {
    counter_ = counter;
    nonce_.assign(nonce_bytes.begin(), nonce_bytes.end());
    sealed_ = seal(keys.seal_kept_beside(nonce), counter, kept_context(counter), *annex.keep);
  }
  if (annex.journal_is_new) {
    database_->run("DELETE FROM journal");
    chain_ = Tag{};
  }
  const Key journal_key = keys.seal_journal(nonce);
  Hmac hmac(keys.journal());
  for (const Bytes& record : annex.journal) {
    const std::uint64_t place = ++records_;
    const Bytes sealed = seal(journal_key, place, record_context(place), record);
    chain_ = chain_after_record(hmac, chain_, sealed);
    insert_->bind(1, as_stored(place)).bind(2, nonce_bytes).bind(3, sealed).run();
  }
  update_->bind(1, as_stored(counter_))
      .bind(2, nonce_)
      .bind(3, sealed_)
      .bind(4, as_stored(records_))
      .bind(5, chain_)
      .run();
}

Bytes AnnexLog::kept(const StreamKeys& keys) const {
  if (counter_ == 0) return {};
  return unseal(keys.seal_kept_beside(nonce_from_bytes(nonce_)), counter_, kept_context(counter_), sealed_);
}

void AnnexLog::read_journal(const StreamKeys& keys,
                            const std::function<void(std::span<const std::byte>)>& record) const {
  Hmac hmac(keys.journal());
  Tag chain{};
  std::optional<std::uint64_t> place;  // the first one may be any: the chain begins there
  // The chain is checked to its end before the first record is given out.
  Statement all = database_->prepare("SELECT place, nonce, sealed FROM journal ORDER BY place");
  while (all.step()) {
    const std::uint64_t at = whole(all.number(0));
    if (place && at != *place + 1) throw damaged("a record of its journal is missing");
    place = at;
    chain = chain_after_record(hmac, chain, all.blob(2));
  }
  if ((place && *place != records_) || !equal(chain, chain_)) throw damaged("its journal was changed");
  all.reset();
  while (all.step()) {
    const std::uint64_t at = whole(all.number(0));
    const Key key = keys.seal_journal(nonce_from_bytes(all.blob(1)));
    record(unseal(key, at, record_context(at), all.blob(2)));
  }
}

}  // namespace jme::store
