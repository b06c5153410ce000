#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "store/hmac.hpp"
#include "store/sip_hash.hpp"
#include "store/stream_keys.hpp"

namespace jme::store {

/// What is remembered of a block's rows, to recognise them when the input comes again. Without the key it
/// says nothing about them.
struct BlockDigest {
  Tag rows;  ///< of all rows of the block, their number and place
  /// 16 bits per row, to say which row differs (this is wrong once in 65536 times); none where a block is one
  /// row.
  std::vector<std::uint16_t> marks;
};

/// The digest of a block whose rows were summed elsewhere: its sums take the place of rows, its id the place
/// of marks. Equal sums under two ids have unequal digests: else it could be seen which slots have no row.
[[nodiscard]] BlockDigest digest_of_sums(const StreamKeys& keys, std::string_view id,
                                         std::span<const std::byte> sums);

/// Makes a BlockDigest of each block of a stream.
class RowDigest {
 public:
  /// `row`: rows of the stream before the first that is added.
  RowDigest(const StreamKeys& keys, std::size_t every, std::uint64_t row = 0);

  void add(std::span<const double> row);
  /// The digest of the rows since the last block.
  [[nodiscard]] BlockDigest close();
  /// Rows of the stream so far.
  [[nodiscard]] std::uint64_t rows() const { return row_; }

 private:
  void flush();
  Hmac hmac_;
  SipHash mark_;
  bool marks_rows_;
  std::uint64_t row_;
  std::vector<double> buffer_;
  std::vector<std::uint16_t> marks_;
};

/// Index in the block of the first row whose mark differs; the number of marks where all agree.
[[nodiscard]] std::size_t first_difference(const BlockDigest& a, const BlockDigest& b);

}  // namespace jme::store
