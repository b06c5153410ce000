#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/hmac.hpp"
#include "store/stream_keys.hpp"

namespace jme::store {

/// Keyed digests of columns, to recognise their cells when they come again. Without the key they say nothing
/// about the cells.
class ColumnDigests {
 public:
  ColumnDigests(const StreamKeys& keys, const std::vector<std::string>& columns);

  /// One cell of every column; NaN where there is none.
  void add(std::span<const double> row);
  /// One digest for each column.
  [[nodiscard]] std::vector<Tag> close();

 private:
  struct Column {
    Hmac hmac;
    std::vector<double> buffer{};
    void flush();
  };
  std::vector<Column> columns_;
};

}  // namespace jme::store
