#pragma once

#include <optional>
#include <string>

#include "training.hpp"

namespace jme::train {

/// A training on disk: one file, replaced as a whole, readable by its owner only. It holds no example and no
/// key; a training that goes on from it draws fresh noise and fresh batches. SECRET all the same (Snapshot;
/// and who has it and all pictures but one can try that one on their digest), and it must not be copied and
/// continued twice: nothing in it could notice, and each continuation is a release of its own.
class Checkpoint {
 public:
  /// Takes the file for this process. Throws StateError where another one has it, or where it cannot be made.
  explicit Checkpoint(std::string path);
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint();

  /// On disk when it returns. `identity`: the public configuration as text. Throws StateError; the file is
  /// then the one before.
  void save(const std::string& identity, const Pictures& training, const Snapshot& snapshot) const;
  /// Nothing where there is no file yet. Throws StateError for a damaged file, another configuration or other
  /// pictures.
  [[nodiscard]] std::optional<Snapshot> load(const std::string& identity, const Pictures& training) const;
  /// The training has ended: the file goes.
  void remove() const;

 private:
  std::string path_;
  int lock_;
};

}  // namespace jme::train
