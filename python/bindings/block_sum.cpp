#include "bindings/block_sum.hpp"

#include <span>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <jme/moments/block_sum.hpp>

#include "bindings/arrow.hpp"
#include "bindings/buffers.hpp"
#include "bindings/calls.hpp"
#include "bindings/notes.hpp"
#include "bindings/stream.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

/// Rows in natural units become rows of the sum as their stream would make them.
class SummedRows {
 public:
  explicit SummedRows(const Stream& stream)
      : intake_(stream.intake_for_blocks()), sum_(stream.row_map()), columns_(stream.columns()) {}

  void add_columns(const nb::list& columns) {
    HeldBuffers held;
    const Table table = table_of_columns(columns, held);
    const Unlocked unlocked;
    TableReader reader(table);
    for (MatrixView view = reader.next(); view.rows > 0; view = reader.next()) {
      sum_.add_rows(intake_.take_rows(view).rows);
    }
  }
  void check_columns(const nb::list& columns, std::size_t before) {
    HeldBuffers held;
    const Table table = table_of_columns(columns, held);
    const Unlocked unlocked;
    TableReader reader(table);
    for (MatrixView view = reader.next(); view.rows > 0; view = reader.next()) {
      intake_.check_rows(view, before);
      before += view.rows;
    }
  }
  void push_arrow(Stream& stream, nb::handle source) {
    const ArrowRows rows(source);
    const std::vector<Table> tables = rows.tables(stream.places(rows.names(), rows.names().size()));
    const Unlocked unlocked;
    std::size_t before = 0;
    for (const Table& table : tables) {
      TableReader reader(table);
      for (MatrixView view = reader.next(); view.rows > 0; view = reader.next()) {
        intake_.check_rows(view, before);
        before += view.rows;
      }
    }
    for (const Table& table : tables) {
      TableReader reader(table);
      for (MatrixView view = reader.next(); view.rows > 0; view = reader.next()) {
        sum_.add_rows(intake_.take_rows(view).rows);
      }
    }
  }
  void merge(const SummedRows& other) { sum_.merge(other.sum_); }
  [[nodiscard]] nb::bytes bytes() const {
    const std::vector<std::byte> all = sum_.bytes();
    return nb::bytes(all.data(), all.size());
  }
  void load(const nb::bytes& all) {
    sum_ = BlockSum::from_bytes(std::as_bytes(std::span(all.c_str(), all.size())), sum_.map());
  }
  [[nodiscard]] const BlockSum& sum() const { return sum_; }
  [[nodiscard]] nb::list notes() const { return notes_of(intake_.notes(), columns_); }

 private:
  RowIntake intake_;
  BlockSum sum_;
  std::vector<std::string> columns_;
};

}  // namespace

void bind_block_sum(nb::module_& m) {
  nb::class_<SummedRows>(m, "BlockSum")
      .def(nb::init<const Stream&>())
      .def("_check_columns", &SummedRows::check_columns)
      .def("_take_columns", &SummedRows::add_columns)
      .def("push_arrow", &SummedRows::push_arrow)
      .def("merge", &SummedRows::merge)
      .def("bytes", &SummedRows::bytes)
      .def("load", &SummedRows::load)
      .def_prop_ro("rows", [](const SummedRows& rows) { return rows.sum().rows(); })
      .def("__eq__", [](const SummedRows& a, const SummedRows& b) { return a.sum() == b.sum(); })
      .def("notes", &SummedRows::notes)
      .def("_push_to", [](const SummedRows& rows, Stream& stream, const std::string& id) {
        return stream.push_block(rows.sum(), id);
      });
}

}  // namespace jme::python
