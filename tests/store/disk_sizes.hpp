#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "store/database.hpp"

namespace jme::test {

inline std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Lengths of the records of the journal of the one database of a folder.
inline std::vector<std::int64_t> journal_lengths_in(const std::filesystem::path& folder) {
  std::vector<std::int64_t> lengths;
  for (const auto& file : files_in(folder)) {
    if (file.extension() != ".db") continue;
    store::Database database(file, store::Database::Access::read);
    store::Statement select = database.prepare("SELECT length(sealed) FROM journal ORDER BY place");
    while (select.step()) lengths.push_back(select.number(0));
  }
  return lengths;
}

/// Everything about a state folder that can be seen without reading what is in its bytes: which files there
/// are and how long, and of every database how many pages it has, and the length of everything in every
/// table. Numbers that are stored in the clear (counters, rows, steps) count with their values, times do not.
inline std::string sizes_in(const std::filesystem::path& folder) {
  std::string sizes;
  for (const auto& file : files_in(folder)) {
    sizes += fmt::format("{}: {}\n", file.filename().string(), std::filesystem::file_size(file));
    if (file.extension() != ".db" || std::filesystem::file_size(file) == 0) continue;
    store::Database database(file, store::Database::Access::read);
    std::vector<std::string> tables;
    store::Statement names =
        database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    while (names.step()) tables.push_back(names.text(0));
    names.reset();
    sizes += fmt::format("pages {} free {}\n", database.number("PRAGMA page_count"),
                         database.number("PRAGMA freelist_count"));
    for (const std::string& table : tables) {
      store::Statement columns = database.prepare(fmt::format("PRAGMA table_info({})", table).c_str());
      std::string wanted;
      while (columns.step()) {
        const std::string name = columns.text(1);
        if (name == "created" || name == "updated") continue;
        const bool is_number = columns.text(2) == "INTEGER";
        wanted += (wanted.empty() ? "" : " || ' ' || ") + (is_number ? name : "length(" + name + ")");
      }
      columns.reset();
      store::Statement rows =
          database.prepare(fmt::format("SELECT {} FROM {} ORDER BY rowid", wanted, table).c_str());
      while (rows.step()) sizes += fmt::format("{} {}\n", table, rows.text(0));
    }
  }
  return sizes;
}

}  // namespace jme::test
