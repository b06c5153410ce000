#include "store/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <jme/base/errors.hpp>

#include "store/folder.hpp"

namespace jme::store {

namespace {

constexpr int patience_ms = 5000;  // a ledger may be reading

int open_flags(Database::Access access) {
  switch (access) {
    case Database::Access::read:
      return SQLITE_OPEN_READONLY;
    case Database::Access::write:
      return SQLITE_OPEN_READWRITE;
    case Database::Access::create:
      break;
  }
  return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

Database::Database(const std::filesystem::path& path, Access access) : path_(path) {
  // SQLite would wait for a pipe, follow a link and replay anybody's journal.
  for (const char* part : {"", "-wal", "-shm", "-journal"}) check_file(path.string() + part);
  sqlite3* connection = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &connection, open_flags(access) | SQLITE_OPEN_EXRESCODE, nullptr);
  connection_.reset(connection);
  if (connection == nullptr) throw std::bad_alloc();
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(connection, patience_ms);
  // A file that somebody changed must not make us run its code.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

void Database::fail(int code) const {
  const std::string message =
      fmt::format("state {}: {}", path_.string(), code == SQLITE_OK ? "failed" : sqlite3_errstr(code));
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_ERROR:  // one of our statements does not fit the file
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
      throw StateError(message + ": the state is damaged");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw StateError(message + ": another program has it open");
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    default:
      throw Error(message);
  }
}

void Database::run(const char* sql) {
  const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(sqlite3_extended_errcode(connection_.get()));
}

std::string Database::text(const char* sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Database::number(const char* sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.number(0) : 0;
}

Statement Database::prepare(const char* sql) {
  return Statement(*this, sql);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(Database& database, const char* sql) : database_(&database) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.connection_.get(), sql, -1, &statement, nullptr);
  if (code != SQLITE_OK) database.fail(code);
  statement_.reset(statement);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), parameter, value);
  if (code != SQLITE_OK) database_->fail(code);
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::byte> value) {
  // A null pointer would bind NULL instead of no bytes.
  const int code = sqlite3_bind_blob64(statement_.get(), parameter,
                                       value.empty() ? static_cast<const void*>("") : value.data(),
                                       value.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) database_->fail(code);
  return *this;
}

Statement& Statement::bind(int parameter, const std::string& value) {
  const int code = sqlite3_bind_text64(statement_.get(), parameter, value.data(), value.size(), SQLITE_STATIC,
                                       SQLITE_UTF8);
  if (code != SQLITE_OK) database_->fail(code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3_reset(statement_.get());
  database_->fail(code);
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

void Statement::run() {
  if (step()) throw StateError("a statement gave an unexpected row");
  reset();
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::span<const std::byte> Statement::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const std::byte*>(data), data == nullptr ? 0 : static_cast<std::size_t>(size)};
}

std::string Statement::text(int column) const {
  const auto bytes = blob(column);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.run(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const std::exception&) {
    // SQLite rolled back by itself, or the next opening will.
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace jme::store
