#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>

#include <jme/base/errors.hpp>

#include "data/row_reader.hpp"

namespace jme::testing {

/// A directory of its own, removed with everything in it.
class SampleDirectory {
 public:
  SampleDirectory() {
    std::string pattern = ::testing::TempDir() + "jme-data-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  SampleDirectory(const SampleDirectory&) = delete;
  SampleDirectory& operator=(const SampleDirectory&) = delete;
  ~SampleDirectory() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    return path(name);
  }

 private:
  std::string path_;
};

using Rows = std::vector<std::vector<double>>;

inline Rows all_rows(RowReader& reader) {
  Rows rows;
  std::vector<double> row(reader.dimension());
  while (reader.next(row)) rows.push_back(row);
  return rows;
}

/// The rows of a file with this content.
inline Rows rows_of(std::string_view content, const InputOptions& options = {},
                    const std::string& name = "s.csv") {
  const SampleDirectory directory;
  RowReader reader(directory.write(name, content), options);
  return all_rows(reader);
}

/// The complaint when a file with this content is read to its end, without the directory.
template <class Exception = DataError>
std::string complaint_of(std::string_view content, const InputOptions& options = {},
                         const std::string& name = "s.csv") {
  const SampleDirectory directory;
  const std::string path = directory.write(name, content);
  try {
    RowReader reader(path, options);
    all_rows(reader);
  } catch (const Exception& error) {
    std::string message = error.what();
    if (const auto at = message.find(path); at != std::string::npos) message.replace(at, path.size(), name);
    return message;
  }
  return "no complaint";
}

}  // namespace jme::testing
