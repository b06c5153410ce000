#pragma once

#include <optional>
#include <string>

#include "training.hpp"

namespace jme::train {

/// A training on disk: one file, replaced as a whole, readable by its owner only. It holds no key, and
/// nothing of the pictures except what is in the network; a training that goes on from it draws fresh noise
/// and fresh batches. SECRET all the same (Snapshot), and it must not be copied and continued twice: nothing
/// in it could notice that, and each continuation is another release. It cannot notice that the pictures have
/// changed, because a digest that could would let others test their guesses of pictures against it.
class Checkpoint {
 public:
  /// Reserves the file for this process. Throws StateError where another process has it, or where it cannot
  /// be made.
  explicit Checkpoint(std::string path);
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint();

  /// The state is on disk when the call returns. `identity`: the public configuration as text. Throws
  /// StateError, and then the old file stays.
  void save(const std::string& identity, const Snapshot& snapshot) const;
  /// Nothing where there is no file yet. A file that is complete but was not yet renamed into place is taken.
  /// Throws StateError for a damaged file or another configuration.
  [[nodiscard]] std::optional<Snapshot> load(const std::string& identity) const;
  /// The training has ended: removes the file.
  void remove() const;

 private:
  std::string path_;
  int lock_;
};

}  // namespace jme::train
