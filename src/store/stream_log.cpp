#include "store/stream_log.hpp"

#include <algorithm>
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
// 1, one more with the table of KeptLog, for noise that needs it, and two more with those of AnnexLog.
constexpr std::int64_t newest_format = 4;
std::int64_t format_of(bool has_kept, bool has_annex) {
  return 1 + (has_kept ? 1 : 0) + (has_annex ? 2 : 0);
}

constexpr const char* schema =
    "CREATE TABLE about (id INTEGER PRIMARY KEY CHECK (id = 1), settings BLOB NOT NULL, facts BLOB NOT NULL,"
    " created INTEGER NOT NULL);"
    "CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), counter INTEGER NOT NULL, rows INTEGER NOT "
    "NULL,"
    " steps INTEGER NOT NULL, finished INTEGER NOT NULL, nonces BLOB NOT NULL, open BLOB NOT NULL,"
    " sealed BLOB NOT NULL, chain BLOB NOT NULL, updated INTEGER NOT NULL, mac BLOB NOT NULL);"
    "CREATE TABLE release (step INTEGER PRIMARY KEY, rows INTEGER NOT NULL, numbers BLOB NOT NULL,"
    " row_digest BLOB NOT NULL, marks BLOB NOT NULL, chain BLOB NOT NULL);";
// What the sealed part is bound to.
Bytes seal_context(std::uint64_t counter, const StreamState& state) {
  return ByteWriter().text("jme sealed state").number(counter).number(state.rows).number(state.steps).bytes();
}

Tag chain_after(Hmac& hmac, const Tag& before, const StoredBlock& block) {
  hmac.add(ByteWriter()
               .raw(before)
               .number(block.step)
               .number(block.rows)
               .field(bytes_of(block.numbers))
               .raw(block.digest.rows)
               .field(bytes_of(block.digest.marks))
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

}  // namespace

Identity About::identity() const {
  Sha256 hash;
  hash.add(encoded(settings));
  return hash.digest();
}

StreamLog::StreamLog(const std::filesystem::path& path, Access access)
    : database_(path, access == Access::write ? Database::Access::create : Database::Access::read),
      kept_(database_),
      annex_(database_) {
  database_.run("PRAGMA temp_store = MEMORY");
  database_.run("PRAGMA cell_size_check = ON");
  if (database_.number("SELECT count(*) FROM sqlite_schema") > 0) load();
  if (access == Access::read) return;
  // One sync per commit; what is committed survives a power cut.
  if (database_.text("PRAGMA journal_mode = WAL") != "wal") {
    throw Error("state: the file system has no shared memory for SQLite's write-ahead log");
  }
  database_.run("PRAGMA synchronous = FULL");
  // What was kept and is replaced does not stay in the file.
  database_.run("PRAGMA secure_delete = ON");
}

void StreamLog::load() {
  const Transaction one_moment(database_, Transaction::Kind::read);
  if (database_.number("PRAGMA application_id") != application)
    throw StateError("this is not a state of jme");
  const std::int64_t version = database_.number("PRAGMA user_version");
  if (version < 1 || version > newest_format) {
    throw StateError(
        fmt::format("the state was written by a newer version of jme (format {}, this version knows {})",
                    version, newest_format));
  }
  std::string found;
  Statement tables = database_.prepare("SELECT sql FROM sqlite_schema ORDER BY rowid");
  while (tables.step()) found += tables.text(0) + ";";
  has_kept_ = (version - 1) % 2 == 1;
  has_annex_ = version > 2;
  if (found !=
      std::string(schema) + (has_kept_ ? KeptLog::schema : "") + (has_annex_ ? AnnexLog::schema : "")) {
    throw damaged("its tables are not ours");
  }
  if (has_annex_) annex_.load();

  Statement about = database_.prepare("SELECT settings, facts, created FROM about");
  if (!about.step()) throw damaged("it has no description");
  about_ = About{.settings = settings_from(about.blob(0)),
                 .facts = settings_from(about.blob(1)),
                 .created = about.number(2)};
  Statement head = database_.prepare(
      "SELECT counter, rows, steps, finished, nonces, open, sealed, chain, updated, mac FROM head");
  if (!head.step()) throw damaged("it has no head");
  const auto bytes = [&](int column) {
    const auto blob = head.blob(column);
    return Bytes(blob.begin(), blob.end());
  };
  head_ = {.counter = whole(head.number(0)),
           .state = {.rows = whole(head.number(1)),
                     .steps = whole(head.number(2)),
                     .finished = head.number(3) != 0,
                     .nonces = nonces_from(head.blob(4)),
                     .secret = {},
                     .kept = {},
                     .open = bytes(5)},
           .sealed = bytes(6),
           .chain = tag_from(head.blob(7)),
           .updated = head.number(8)};
  head_mac_ = tag_from(head.blob(9));
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
      .number(static_cast<std::uint64_t>(head.updated));
  if (has_annex_) message.field(annex_.description());
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
  for (std::uint64_t step = 0; step < head_.state.steps; ++step) remember(next_block());
  if (!equal(read_chain_, head_.chain) ||
      whole(database_.number("SELECT count(*) FROM release")) != head_.state.steps) {
    throw damaged("its releases do not end where its head says");
  }
  read_steps_ = 0;
  read_chain_ = Tag{};
}

StreamState StreamLog::state() {
  StreamState state = head_.state;
  state.secret = unseal(seal_key(state), head_.counter, seal_context(head_.counter, state), head_.sealed);
  if (has_kept_) state.kept = kept_.read(*keys_, state.nonces);
  return state;
}

StoredBlock StreamLog::next_block() {
  StoredBlock block = read(read_steps_ + 1, read_chain_);
  ++read_steps_;
  return block;
}

StoredBlock StreamLog::block(std::uint64_t step) {
  Tag chain{};
  if (step > 1) {
    Statement before = database_.prepare("SELECT chain FROM release WHERE step = ?");
    before.bind(1, stored(step - 1));
    if (!before.step()) throw damaged(fmt::format("release {} is missing", step - 1));
    chain = tag_from(before.blob(0));
  }
  return read(step, chain);
}

StoredBlock StreamLog::read(std::uint64_t step, Tag& chain) {
  if (!select_) {
    select_.emplace(database_, "SELECT rows, numbers, row_digest, marks, chain FROM release WHERE step = ?");
  }
  StoredBlock block{.step = step};
  select_->bind(1, stored(step));
  if (!select_->step()) throw damaged(fmt::format("release {} is missing", step));
  block.rows = whole(select_->number(0));
  block.numbers = values_from<double>(select_->blob(1));
  block.digest = {.rows = tag_from(select_->blob(2)), .marks = values_from<std::uint16_t>(select_->blob(3))};
  const Tag found = tag_from(select_->blob(4));
  select_->reset();
  chain = chain_after(*of_releases_, chain, block);
  if (!equal(found, chain)) throw damaged(fmt::format("release {} was changed", step));
  return block;
}

// Where a block has as many marks as an id, marks of rows are remembered too, which does no harm: no block's
// id equals them.
void StreamLog::remember(const StoredBlock& block) {
  if (block.digest.marks.size() == sizeof(Tag) / sizeof(std::uint16_t)) {
    steps_by_id_[block.digest.marks] = block.step;
  }
}

std::optional<std::uint64_t> StreamLog::step_of(const std::vector<std::uint16_t>& marks) const {
  const auto found = steps_by_id_.find(marks);
  return found == steps_by_id_.end() ? std::nullopt : std::optional(found->second);
}

void StreamLog::begin(const About& about, const StreamState& state) {
  Transaction transaction(database_);
  database_.run(schema);
  has_kept_ = state.steps_kept > 0;
  has_annex_ = false;
  if (has_kept_) database_.run(KeptLog::schema);
  database_.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application,
                            format_of(has_kept_, has_annex_))
                    .c_str());
  about_ = about;
  about_->created = now();
  head_ = {};
  const Bytes settings = encoded(about_->settings), facts = encoded(about_->facts);
  Statement insert = database_.prepare("INSERT INTO about VALUES (1, ?, ?, ?)");
  insert.bind(1, settings).bind(2, facts).bind(3, about_->created).run();
  database_.run("INSERT INTO head VALUES (1, 0, 0, 0, 0, x'', x'', x'', x'', 0, x'')");
  write_head(state, Tag{});
  transaction.commit();
}

void StreamLog::commit(std::span<const StoredBlock> blocks, const StreamState& state, const Annex& annex) {
  if (!insert_) insert_.emplace(database_, "INSERT INTO release VALUES (?, ?, ?, ?, ?, ?)");
  Transaction transaction(database_);
  Tag chain = head_.chain;
  for (const StoredBlock& block : blocks) {
    chain = chain_after(*of_releases_, chain, block);
    insert_->bind(1, stored(block.step))
        .bind(2, stored(block.rows))
        .bind(3, bytes_of(block.numbers))
        .bind(4, block.digest.rows)
        .bind(5, bytes_of(block.digest.marks))
        .bind(6, chain)
        .run();
  }
  kept_.write(*keys_, state);
  if (!annex.is_empty()) write_annex(state, annex);
  write_head(state, chain);
  transaction.commit();
  for (const StoredBlock& block : blocks) remember(block);
}

void StreamLog::write_annex(const StreamState& state, const Annex& annex) {
  if (!has_annex_) {
    annex_.create();
    has_annex_ = true;
    database_.run(fmt::format("PRAGMA user_version = {}", format_of(has_kept_, true)).c_str());
  }
  if (state.nonces.empty()) throw damaged("it has no nonce");
  annex_.write(*keys_, state.nonces.back().nonce, head_.counter + 1, annex);
}

Bytes StreamLog::kept_beside() const {
  return has_annex_ ? annex_.kept(*keys_) : Bytes{};
}

void StreamLog::read_journal(const std::function<void(std::span<const std::byte>)>& record) const {
  if (has_annex_) annex_.read_journal(*keys_, record);
}

void StreamLog::write_head(const StreamState& state, const Tag& chain) {
  if (!update_) {
    update_.emplace(database_,
                    "UPDATE head SET counter = ?, rows = ?, steps = ?, finished = ?, nonces = ?, open = ?,"
                    " sealed = ?, chain = ?, updated = ?, mac = ? WHERE id = 1");
  }
  head_.counter += 1;
  head_.state = {.rows = state.rows,
                 .steps = state.steps,
                 .finished = state.finished,
                 .nonces = state.nonces,
                 .secret = {},
                 .kept = {},
                 .open = state.open};
  head_.sealed = seal(seal_key(state), head_.counter, seal_context(head_.counter, state), state.secret);
  head_.chain = chain;
  head_.updated = now();
  head_mac_ = mac_of(head_);
  const Bytes nonces = encoded(state.nonces);
  update_->bind(1, stored(head_.counter))
      .bind(2, stored(state.rows))
      .bind(3, stored(state.steps))
      .bind(4, std::int64_t{state.finished})
      .bind(5, nonces)
      .bind(6, state.open)
      .bind(7, head_.sealed)
      .bind(8, head_.chain)
      .bind(9, head_.updated)
      .bind(10, head_mac_)
      .run();
}

}  // namespace jme::store
