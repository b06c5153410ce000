#include "store/stream_log.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "store/log_encoding.hpp"
#include "store/sealed.hpp"
#include "store/sha256.hpp"

namespace jme::store {

namespace {

constexpr std::int64_t application = 0x6a6d6573;  // "jmes"

constexpr const char* schema =
    "CREATE TABLE about (id INTEGER PRIMARY KEY CHECK (id = 1), settings BLOB NOT NULL, facts BLOB NOT NULL,"
    " created INTEGER NOT NULL);"
    "CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), counter INTEGER NOT NULL, rows INTEGER NOT "
    "NULL,"
    " steps INTEGER NOT NULL, finished INTEGER NOT NULL, nonces BLOB NOT NULL, sums BLOB NOT NULL,"
    " sealed BLOB NOT NULL, chain BLOB NOT NULL, journals BLOB NOT NULL, updated INTEGER NOT NULL,"
    " mac BLOB NOT NULL);"
    "CREATE TABLE release (step INTEGER PRIMARY KEY, rows INTEGER NOT NULL, numbers BLOB NOT NULL,"
    " digest BLOB NOT NULL, block_id BLOB NOT NULL, chain BLOB NOT NULL);";

// What the sealed part is bound to.
Bytes seal_context(std::uint64_t counter, const StreamState& state) {
  return ByteWriter().text("jme sealed state").number(counter).number(state.rows).number(state.steps).bytes();
}

Bytes sealed_content(const Commit& commit) {
  return ByteWriter()
      .field(commit.state.secret)
      .field(commit.sealed.open_block)
      .field(commit.sealed.place.bytes)
      .number(commit.sealed.place.taken)
      .bytes();
}

std::span<const std::byte> id_bytes(const StoredRelease& release) {
  return release.id ? bytes_of(*release.id) : std::span<const std::byte>();
}

Tag chain_after(Hmac& hmac, const Tag& before, const StoredRelease& release) {
  hmac.add(ByteWriter()
               .raw(before)
               .number(release.step)
               .number(release.rows)
               .field(bytes_of(release.numbers))
               .raw(release.digest)
               .field(id_bytes(release))
               .bytes());
  return hmac.tag();
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t stored(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

Bytes copy_of(std::span<const std::byte> blob) {
  return {blob.begin(), blob.end()};
}

}  // namespace

Identity About::identity() const {
  Sha256 hash;
  hash.add(encoded(settings));
  return hash.digest();
}

StreamLog::StreamLog(const std::filesystem::path& path, Access access)
    : database_(path, access == Access::write ? Database::Access::create : Database::Access::read),
      noise_(database_),
      journals_(database_) {
  database_.run("PRAGMA temp_store = MEMORY");
  database_.run("PRAGMA cell_size_check = ON");
  if (database_.number("SELECT count(*) FROM sqlite_schema") > 0) load();
  if (access == Access::read || old_format_) return;
  // One sync per commit; what is committed survives a power cut.
  if (database_.text("PRAGMA journal_mode = WAL") != "wal") {
    throw Error("state: the file system has no shared memory for SQLite's write-ahead log");
  }
  database_.run("PRAGMA synchronous = FULL");
  // What is replaced does not stay in the file.
  database_.run("PRAGMA secure_delete = ON");
}

void StreamLog::load() {
  const Transaction one_moment(database_, Transaction::Kind::read);
  if (database_.number("PRAGMA application_id") != application)
    throw StateError("this is not a state of jme");
  const std::int64_t version = database_.number("PRAGMA user_version");
  if (version < 1 || version > format) {
    throw StateError(
        fmt::format("the state was written by a newer version of jme (format {}, this version knows {})",
                    version, format));
  }
  if (version == format) {
    std::string found;
    Statement tables = database_.prepare("SELECT sql FROM sqlite_schema ORDER BY rowid");
    while (tables.step()) found += tables.text(0) + ";";
    if (found != std::string(schema) + NoiseLog::schema + JournalLog::schema) {
      throw damaged("its tables are not ours");
    }
  }
  Statement about = database_.prepare("SELECT settings, facts, created FROM about");
  if (!about.step()) throw damaged("it has no description");
  about_ = About{.settings = settings_from(about.blob(0)),
                 .facts = settings_from(about.blob(1)),
                 .created = about.number(2)};
  version == format ? load_head() : load_old(version);
}

void StreamLog::load_head() {
  Statement head = database_.prepare(
      "SELECT counter, rows, steps, finished, nonces, sums, sealed, chain, journals, updated, mac FROM head");
  if (!head.step()) throw damaged("it has no head");
  head_ = {.counter = whole(head.number(0)),
           .state = {.rows = whole(head.number(1)),
                     .steps = whole(head.number(2)),
                     .finished = head.number(3) != 0,
                     .nonces = nonces_from(head.blob(4)),
                     .secret = {},
                     .kept = {},
                     .open = copy_of(head.blob(5))},
           .sealed = copy_of(head.blob(6)),
           .chain = tag_from(head.blob(7)),
           .updated = head.number(9)};
  journals_.load(head.blob(8));
  head_mac_ = tag_from(head.blob(10));
}

// What the ledger needs.
void StreamLog::load_old(std::int64_t version) {
  old_format_ = version;
  Statement head = database_.prepare("SELECT counter, rows, steps, finished, updated FROM head");
  if (!head.step()) throw damaged("it has no head");
  head_.counter = whole(head.number(0));
  head_.state.rows = whole(head.number(1));
  head_.state.steps = whole(head.number(2));
  head_.state.finished = head.number(3) != 0;
  head_.updated = head.number(4);
}

void StreamLog::unlock(const StreamKeys& keys) {
  keys_.emplace(keys);
  of_head_.emplace(keys.state());
  of_releases_.emplace(keys.releases());
}

Key StreamLog::seal_key(const StreamState& state) const {
  if (state.nonces.empty()) throw damaged("it has no nonce");
  return keys_->seal(state.nonces.back().nonce);
}

Tag StreamLog::mac_of(const Head& head) {
  ByteWriter message;
  message.text("jme head")
      .field(encoded(about_->settings))
      .field(encoded(about_->facts))
      .number(static_cast<std::uint64_t>(about_->created))
      .number(head.counter)
      .number(head.state.rows)
      .number(head.state.steps)
      .number(head.state.finished ? 1 : 0)
      .field(encoded(head.state.nonces))
      .field(head.state.open)
      .field(head.sealed)
      .raw(head.chain)
      .field(journals_.ends())
      .number(static_cast<std::uint64_t>(head.updated));
  return of_head_->tag(message.bytes());
}

void StreamLog::check_head() {
  if (!equal(head_mac_, mac_of(head_))) {
    throw damaged("it was changed, or its key file belongs to another stream");
  }
}

void StreamLog::check_all() {
  check_head();
  if (const std::string result = database_.text("PRAGMA quick_check(1)"); result != "ok") {
    throw damaged("SQLite finds its structure broken");
  }
  for (std::uint64_t step = 1; step <= head_.state.steps; ++step) {
    const StoredRelease release = next_release();
    if (release.id) steps_by_id_[*release.id] = step;
  }
  if (!equal(read_chain_, head_.chain) ||
      whole(database_.number("SELECT count(*) FROM release")) != head_.state.steps) {
    throw damaged("its releases do not end where its head says");
  }
  read_steps_ = 0;
  read_chain_ = Tag{};
}

Commit StreamLog::read() {
  Commit commit{.state = head_.state};
  const Bytes content =
      unseal(seal_key(head_.state), head_.counter, seal_context(head_.counter, head_.state), head_.sealed);
  ByteReader reader(content);
  const auto field = [&] { return copy_of(reader.take(reader.value<std::uint64_t>())); };
  commit.state.secret = field();
  commit.sealed.open_block = field();
  commit.sealed.place.bytes = field();
  commit.sealed.place.taken = reader.value<std::uint64_t>();
  commit.state.kept = noise_.read(*keys_, head_.state.nonces);
  return commit;
}

StoredRelease StreamLog::next_release() {
  StoredRelease release = read_release(read_steps_ + 1, read_chain_);
  ++read_steps_;
  return release;
}

StoredRelease StreamLog::release(std::uint64_t step) {
  Tag chain{};
  if (step > 1) {
    Statement before = database_.prepare("SELECT chain FROM release WHERE step = ?");
    before.bind(1, stored(step - 1));
    if (!before.step()) throw damaged(fmt::format("release {} is missing", step - 1));
    chain = tag_from(before.blob(0));
  }
  return read_release(step, chain);
}

StoredRelease StreamLog::read_release(std::uint64_t step, Tag& chain) {
  if (!select_) {
    select_.emplace(database_, "SELECT rows, numbers, digest, block_id, chain FROM release WHERE step = ?");
  }
  StoredRelease release{.step = step};
  select_->bind(1, stored(step));
  if (!select_->step()) throw damaged(fmt::format("release {} is missing", step));
  release.rows = whole(select_->number(0));
  release.numbers = values_from<double>(select_->blob(1));
  release.digest = tag_from(select_->blob(2));
  if (!select_->blob(3).empty()) release.id = tag_from(select_->blob(3));
  const Tag found = tag_from(select_->blob(4));
  select_->reset();
  chain = chain_after(*of_releases_, chain, release);
  if (!equal(found, chain)) throw damaged(fmt::format("release {} was changed", step));
  return release;
}

std::optional<std::uint64_t> StreamLog::step_of(const Tag& id) const {
  const auto found = steps_by_id_.find(id);
  return found == steps_by_id_.end() ? std::nullopt : std::optional(found->second);
}

void StreamLog::read_journal(JournalOf journal,
                             const std::function<void(std::span<const std::byte>)>& record) const {
  journals_.read(*keys_, journal, record);
}

void StreamLog::begin(const About& about, const Commit& commit) {
  Transaction transaction(database_);
  for (const char* tables : {schema, NoiseLog::schema, JournalLog::schema}) database_.run(tables);
  database_.run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application, format).c_str());
  about_ = about;
  about_->created = now();
  head_ = {};
  const Bytes settings = encoded(about_->settings), facts = encoded(about_->facts);
  Statement insert = database_.prepare("INSERT INTO about VALUES (1, ?, ?, ?)");
  insert.bind(1, settings).bind(2, facts).bind(3, about_->created).run();
  database_.run("INSERT INTO head VALUES (1, 0, 0, 0, 0, x'', x'', x'', x'', x'', 0, x'')");
  write(commit);
  transaction.commit();
}

void StreamLog::commit(const Commit& commit) {
  Transaction transaction(database_);
  write(commit);
  transaction.commit();
  for (const StoredRelease& release : commit.releases) {
    if (release.id) steps_by_id_[*release.id] = release.step;
  }
}

void StreamLog::write(const Commit& commit) {
  if (!insert_) insert_.emplace(database_, "INSERT INTO release VALUES (?, ?, ?, ?, ?, ?)");
  Tag chain = head_.chain;
  for (const StoredRelease& release : commit.releases) {
    chain = chain_after(*of_releases_, chain, release);
    insert_->bind(1, stored(release.step))
        .bind(2, stored(release.rows))
        .bind(3, bytes_of(release.numbers))
        .bind(4, release.digest)
        .bind(5, id_bytes(release))
        .bind(6, chain)
        .run();
  }
  noise_.write(*keys_, commit.state);
  if (commit.state.nonces.empty()) throw damaged("it has no nonce");
  const Nonce& nonce = commit.state.nonces.back().nonce;
  journals_.write(*keys_, nonce, JournalOf::people, commit.sealed.people);
  journals_.write(*keys_, nonce, JournalOf::requests, commit.sealed.requests);
  write_head(commit, chain);
}

void StreamLog::write_head(const Commit& commit, const Tag& chain) {
  if (!update_) {
    update_.emplace(database_,
                    "UPDATE head SET counter = ?, rows = ?, steps = ?, finished = ?, nonces = ?, sums = ?,"
                    " sealed = ?, chain = ?, journals = ?, updated = ?, mac = ? WHERE id = 1");
  }
  const StreamState& state = commit.state;
  head_.counter += 1;
  head_.state = {.rows = state.rows,
                 .steps = state.steps,
                 .finished = state.finished,
                 .nonces = state.nonces,
                 .secret = {},
                 .kept = {},
                 .open = state.open};
  head_.sealed =
      seal(seal_key(state), head_.counter, seal_context(head_.counter, state), sealed_content(commit));
  head_.chain = chain;
  head_.updated = now();
  head_mac_ = mac_of(head_);
  const Bytes nonces = encoded(state.nonces), journals = journals_.ends();
  update_->bind(1, stored(head_.counter))
      .bind(2, stored(state.rows))
      .bind(3, stored(state.steps))
      .bind(4, std::int64_t{state.finished})
      .bind(5, nonces)
      .bind(6, state.open)
      .bind(7, head_.sealed)
      .bind(8, head_.chain)
      .bind(9, journals)
      .bind(10, head_.updated)
      .bind(11, head_mac_)
      .run();
}

}  // namespace jme::store
