#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"

namespace jme::data {

/// What the head of a .npy file says (format versions 1 to 3).
struct NpyHeader {
  using Decode = double (*)(const char*);

  Decode decode = nullptr;  ///< one stored number to double
  std::size_t item_size = 0;
  bool has_doubles = false;  ///< stored as they are in memory
  bool column_major = false;
  std::vector<std::size_t> shape;

  /// From the Python literal {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}.
  /// Throws DataError whose message starts with `name`.
  static NpyHeader parse(std::string_view literal, const std::string& name);
};

/// A .npy file of one or two dimensions whose data have not been taken yet.
class NpyFile {
 public:
  explicit NpyFile(const std::string& path, Compression compression = Compression::automatic,
                   BeforeRead before_read = {});

  [[nodiscard]] std::size_t dimensions() const { return header_.shape.size(); }
  [[nodiscard]] std::size_t rows() const { return header_.shape.front(); }
  [[nodiscard]] std::size_t columns() const { return header_.shape.size() == 1 ? 1 : header_.shape[1]; }
  [[nodiscard]] bool column_major() const { return header_.column_major; }

  /// Stored bytes of the next `count` numbers, valid until the next call. Throws DataError if the file ends
  /// first.
  const char* take(std::size_t count);
  /// How many of them are at hand, and their stored bytes.
  [[nodiscard]] std::size_t at_hand() const { return (filled_ - begin_) / header_.item_size; }
  [[nodiscard]] const char* peek() const { return buffer_.data() + begin_; }
  [[nodiscard]] std::size_t item_size() const { return header_.item_size; }
  [[nodiscard]] bool has_doubles() const { return header_.has_doubles; }
  /// The number at `index` of what take() gave.
  [[nodiscard]] double number(const char* taken, std::size_t index) const {
    return header_.decode(taken + index * header_.item_size);
  }
  /// Throws DataError unless everything was taken.
  void expect_end();

  [[nodiscard]] const std::string& name() const { return bytes_.name(); }
  [[nodiscard]] bool may_wait() const { return bytes_.may_wait(); }
  [[nodiscard]] std::optional<double> progress() const { return bytes_.progress(); }

 private:
  /// The next `size` bytes, or nothing if the file ends first. Memory grows with what arrives, not with
  /// `size`.
  const char* take_bytes(std::size_t size);

  ByteSource bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, filled_ = 0;
  NpyHeader header_;
};

}  // namespace jme::data
