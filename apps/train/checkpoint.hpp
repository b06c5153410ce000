#pragma once

#include <optional>
#include <string>

#include "training.hpp"

namespace jme::train {

/// A training on disk: one file, replaced as a whole, readable by its owner only. It holds no key and nothing
/// of the pictures but what is in the network; a training that goes on from it draws fresh noise and fresh
/// batches. SECRET all the same (Snapshot), and it must not be copied and continued twice: nothing in it
/// could notice, and each continuation is a release of its own. It cannot tell that the pictures are others
/// than before, because a digest that could would let others try pictures on it.
class Checkpoint {
 public:
  /// Takes the file for this process. Throws StateError where another one has it, or where it cannot be made.
  explicit Checkpoint(std::string path);
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint();

  /// On disk when it returns. `identity`: the public configuration as text. Throws StateError; the file is
  /// then the one before.
  void save(const std::string& identity, const Snapshot& snapshot) const;
  /// Nothing where there is no file yet. A file that was complete and not yet in its place is taken. Throws
  /// StateError for a damaged file or another configuration.
  [[nodiscard]] std::optional<Snapshot> load(const std::string& identity) const;
  /// The training has ended: the file goes.
  void remove() const;

 private:
  std::string path_;
  int lock_;
};

}  // namespace jme::train
