#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/table.hpp"

// The structs of Arrow's C data and stream interfaces, as their specification lays them out
// (https://arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html).
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace jme::python {

/// All batches of an Arrow stream, held in the memory of whoever made them: rows are checked before the first
/// is taken, and a stream can be read once only. Nulls are missing cells.
class ArrowRows {
 public:
  /// `source` has __arrow_c_stream__. Throws TypeError where it is not a stream of records, DataError where
  /// it fails.
  explicit ArrowRows(nanobind::handle source);
  ArrowRows(const ArrowRows&) = delete;
  ArrowRows& operator=(const ArrowRows&) = delete;
  ~ArrowRows();

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// The columns at these places, one table for each batch. Throws TypeError, which names the column, for a
  /// type that is not taken.
  [[nodiscard]] std::vector<Table> tables(const std::vector<std::size_t>& places) const;

 private:
  void read(ArrowArrayStream& stream);
  void release();
  ArrowSchema schema_{};
  std::vector<ArrowArray> batches_;
  std::vector<std::string> names_;
  std::size_t rows_ = 0;
};

}  // namespace jme::python
