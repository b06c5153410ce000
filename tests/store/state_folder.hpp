#pragma once

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/store/durable_stream.hpp>

#include "temporary_folder.hpp"

namespace jme::test {

using Row = std::vector<double>;

/// Rows inside the unit ball, all different.
inline std::vector<Row> sample_rows(std::size_t count, std::size_t dimension = 2) {
  std::vector<Row> rows(count, Row(dimension));
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t i = 0; i < dimension; ++i) {
      rows[t][i] =
          0.7 / std::sqrt(static_cast<double>(dimension)) * std::sin(static_cast<double>(1 + 3 * t + i));
    }
  }
  return rows;
}

/// A stream of ten blocks whose noise has a memory.
inline StreamConfig ten_blocks() {
  return {.budget = {.epsilon = 1, .delta = 1e-6},
          .rows = 40,
          .every = 4,
          .dimension = 2,
          .norm_bound = 1.0,
          .shape = Shape::banded(3)};
}

/// Expects a refusal with a message that contains this.
inline void expect_refused(const std::function<void()>& action, const std::string& text) {
  try {
    action();
    ADD_FAILURE() << "was not refused: " << text;
  } catch (const StateError& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

/// A folder for state folders.
class StateFolder : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] DurableOptions options(const std::string& name = "state") const {
    DurableOptions result;
    result.directory = path(name);
    result.commit_interval = std::chrono::milliseconds(0);
    return result;
  }
  [[nodiscard]] DurableOptions seeded(const std::string& name = "state") const {
    DurableOptions result = options(name);
    result.insecure_seed = InsecureTestSeed{11};
    return result;
  }
  /// The one file of a state folder with this ending.
  [[nodiscard]] std::filesystem::path file(const std::string& ending,
                                           const std::string& name = "state") const {
    for (const auto& entry : std::filesystem::directory_iterator(path(name))) {
      if (entry.path().string().ends_with(ending)) return entry.path();
    }
    throw std::runtime_error("no file " + ending);
  }
  static std::string content(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void overwrite(const std::filesystem::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
  }
  void copy_state(const std::string& from, const std::string& to) const {
    std::filesystem::remove_all(path(to));
    std::filesystem::copy(path(from), path(to), std::filesystem::copy_options::recursive);
  }
  /// Brings the file with this ending back from an older copy.
  void restore(const std::string& ending, const std::string& from, const std::string& to) const {
    std::filesystem::copy_file(file(ending, from), file(ending, to),
                               std::filesystem::copy_options::overwrite_existing);
  }

 private:
  TemporaryFolder folder_{TemporaryFolder::Where::in_memory};
};

/// Every number of a release, its place included.
inline std::vector<double> numbers(const Release& release) {
  std::vector<double> all = release.packed();
  all.push_back(static_cast<double>(release.rows()));
  all.push_back(static_cast<double>(release.steps()));
  return all;
}

using Numbers = std::vector<std::vector<double>>;

inline void drain(DurableStream& stream, Numbers& into) {
  while (const Release* release = stream.next()) into.push_back(numbers(*release));
}

/// All rows through a durable stream; `rows` is the whole input every time. What was released before an error
/// is in `releases`.
inline void run_into(Numbers& releases, const Mechanism& mechanism, const DurableOptions& options,
                     std::span<const Row> rows,
                     DurableStream::PartialBlock partial = DurableStream::PartialBlock::release) {
  DurableStream stream(mechanism, options);
  for (const Row& row : rows) {
    stream.push(row);
    drain(stream, releases);
  }
  stream.end_input(partial);
  drain(stream, releases);
}
inline Numbers run(const Mechanism& mechanism, const DurableOptions& options, std::span<const Row> rows,
                   DurableStream::PartialBlock partial = DurableStream::PartialBlock::release) {
  Numbers releases;
  run_into(releases, mechanism, options, rows, partial);
  return releases;
}
/// The first of these rows, pushed by a process that is then killed; returns what it released.
inline Numbers run_and_die(const Mechanism& mechanism, const DurableOptions& options,
                           std::span<const Row> rows) {
  DurableStream stream(mechanism, options);
  Numbers releases;
  for (const Row& row : rows) {
    stream.push(row);
    drain(stream, releases);
  }
  return releases;
}

/// The same rows through a stream that lives in memory, with the noise of the same test seed.
inline Numbers run_in_memory(const Mechanism& mechanism, InsecureTestSeed seed, std::span<const Row> rows) {
  MomentStream stream(mechanism, seed);
  Numbers releases;
  for (const Row& row : rows) {
    if (const Release& release = stream.push(row); release.is_new()) releases.push_back(numbers(release));
  }
  if (const Release& release = stream.finish(); release.is_new()) releases.push_back(numbers(release));
  return releases;
}

}  // namespace jme::test
