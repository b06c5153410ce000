#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <jme/base/matrix_view.hpp>

#include "store/hmac.hpp"
#include "store/stream_keys.hpp"

namespace jme::store {

/// Makes a digest of each block of rows, by which a block is recognised when its rows come again. It is an
/// HMAC under the stream's secret key, of the rows and of where the block ends: without the key it says
/// nothing about the rows, and equal blocks have unequal digests.
class BlockDigest {
 public:
  /// `row`: rows of the stream before the first that is added.
  explicit BlockDigest(const StreamKeys& keys, std::uint64_t row = 0);

  void add(const MatrixView& rows);
  /// The digest of the rows since the last block.
  [[nodiscard]] Tag close();
  /// Rows of the stream so far.
  [[nodiscard]] std::uint64_t rows() const { return row_; }

 private:
  void flush();
  Hmac hmac_;
  std::uint64_t row_;
  std::vector<double> buffer_;
};

/// The digest of a block whose rows were summed elsewhere: its sums take the place of rows, and `place`,
/// which no other block of the stream has, that of the row where it ends.
[[nodiscard]] Tag digest_of_sums(const StreamKeys& keys, std::string_view place,
                                 std::span<const std::byte> sums);
/// By which a block is found under its id.
[[nodiscard]] Tag digest_of_id(const StreamKeys& keys, std::string_view id);

}  // namespace jme::store
