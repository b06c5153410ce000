#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <jme/rows/source_place.hpp>

namespace jme {

/// What a commit adds to a journal of the stream.
class JournalEntries {
 public:
  /// In records of at most 2^20 bytes, which are read back in this order.
  void add(std::span<const std::byte> bytes);
  /// What was added and is added takes the place of all records on disk.
  void replace_all();
  void clear();
  [[nodiscard]] const std::vector<std::vector<std::byte>>& records() const { return records_; }
  [[nodiscard]] bool replaces_all() const { return replaces_all_; }

 private:
  std::vector<std::vector<std::byte>> records_{};
  bool replaces_all_ = false;
};

/// A durable stream has two: whose rows were counted, and which requests were answered.
enum class JournalOf : std::uint8_t { people = 1, requests = 2 };

/// What a front commits together with its stream. All of it is data, and is sealed on disk.
///
///   stream.sealed().open_block = open.bytes();
///   stream.commit();
struct SealedParts {
  /// Sums of the rows of the block that is open, where its front sums them; a stream that sums rows itself
  /// takes the rows of its open block again.
  std::vector<std::byte> open_block{};
  SourcePlace place{};  ///< after the rows of whole blocks, and of the open block where its sums are here
  JournalEntries people{}, requests{};
};

}  // namespace jme
