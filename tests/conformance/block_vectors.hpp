#pragma once

#include <string>

namespace jme::conformance {

/// The text of block_vectors.txt, made by the library: rows, what they become, and bytes that are taken or
/// refused (docs/block-format.md#test-vectors).
[[nodiscard]] std::string block_vectors();

}  // namespace jme::conformance
