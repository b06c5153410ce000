#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace jme::store {

class Statement;

/// One SQLite file. A file that is not a database or is damaged throws StateError; a full disk, a failed sync
/// and the like throw Error.
class Database {
 public:
  enum class Access { read, write, create };
  Database(const std::filesystem::path& path, Access access);

  /// Statements without results.
  void run(const char* sql);
  /// The first column of the first row.
  [[nodiscard]] std::string text(const char* sql);
  [[nodiscard]] std::int64_t number(const char* sql);
  [[nodiscard]] Statement prepare(const char* sql);

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  [[noreturn]] void fail(int code) const;
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> connection_;
};

/// A statement to run again and again: bind all of its parameters (from 1), step, reset. What is bound must
/// live until then. The statement must not live longer than its database.
class Statement {
 public:
  Statement(Database& database, const char* sql);

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::span<const std::byte> value);
  Statement& bind(int parameter, const std::string& value);
  /// True where there is a row; its columns count from 0 and stay until the next step or reset.
  [[nodiscard]] bool step();
  void reset();
  /// Calls step(), which must give no row, and reset().
  void run();
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::span<const std::byte> blob(int column) const;
  [[nodiscard]] std::string text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// All or nothing: rolls back unless committed. One that only reads sees one moment, whatever others commit.
class Transaction {
 public:
  enum class Kind { write, read };
  explicit Transaction(Database& database, Kind kind = Kind::write);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  /// On disk when the call returns.
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace jme::store
