#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <jme/random/key.hpp>

namespace jme {

/// Poisson sampling: every example is in every batch on its own with the same probability. Which examples are
/// in a batch is as secret as the noise, because amplification by sampling rests on nobody knowing it: the
/// bits come from AES-256-CTR under its own key, which makes no noise.
///
/// Every example compares 64 bits of its own with the probability, rounded down to 2^-64. Skipping
/// geometrically from one chosen example to the next would need fewer bits, but would be exact only up to the
/// rounding of a logarithm; this costs a tenth of a millisecond at 50,000 examples, nothing beside a batch's
/// gradients, and does not branch on them.
class BatchSampler {
 public:
  /// Keyed from the system. Throws InvalidParameter unless 0 < probability < 1.
  BatchSampler(std::size_t examples, double probability);
  /// Reproducible and NOT private: for tests and experiments.
  BatchSampler(std::size_t examples, double probability, InsecureTestSeed seed);

  /// The examples of batch `step` in rising order: a pure function of key and step.
  [[nodiscard]] std::vector<std::uint32_t> draw(std::uint64_t step) const;

  [[nodiscard]] std::size_t examples() const { return examples_; }
  [[nodiscard]] double probability() const { return probability_; }

 private:
  BatchSampler(std::size_t examples, double probability, const Key& key);
  std::size_t examples_;
  double probability_;
  std::uint64_t threshold_;
  Key key_;
};

/// A batch size that Poisson sampling exceeds with probability at most 2^-80, by Chernoff's bound.
[[nodiscard]] std::size_t largest_batch(std::size_t examples, double probability);

}  // namespace jme
