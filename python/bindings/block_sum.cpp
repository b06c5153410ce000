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
#include "bindings/one_thread.hpp"
#include "bindings/stream.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

/// Rows in natural units become rows of the sum as their stream would make them.
class SummedRows {
 public:
  explicit SummedRows(const Stream& stream)
      : rules_(stream.rules_for_blocks()), sum_(stream.row_map()), columns_(stream.columns()) {}

  void add_columns(const nb::list& columns) {
    const Use use(*this);
    HeldBuffers held;
    const Table table = table_of_columns(columns, held);
    const Unlocked unlocked;
    add({&table, 1});
  }
  void check_columns(const nb::list& columns, std::size_t before) {
    const Use use(*this);
    HeldBuffers held;
    const Table table = table_of_columns(columns, held);
    const Unlocked unlocked;
    check({&table, 1}, before);
  }
  void push_arrow(Stream& stream, nb::handle source) {
    const Use use(*this);
    const ArrowRows rows(source);
    const std::vector<Table> tables = rows.tables(stream.places(rows.names(), rows.names().size()));
    const Unlocked unlocked;
    check(tables, 0);
    add(tables);
  }
  void merge(const SummedRows& other) {
    const Use use(*this), other_use(other);
    sum_.merge(other.sum_);
  }
  [[nodiscard]] nb::bytes bytes() const {
    const Use use(*this);
    const std::vector<std::byte> all = sum_.bytes();
    return nb::bytes(all.data(), all.size());
  }
  void load(const nb::bytes& all) {
    const Use use(*this);
    sum_ = BlockSum::from_bytes(std::as_bytes(std::span(all.c_str(), all.size())), sum_.map());
  }
  /// Any thread may read it; while another one is at work, as it was before.
  [[nodiscard]] std::size_t rows() const { return thread_.is_elsewhere() ? rows_before_ : sum_.rows(); }
  [[nodiscard]] bool operator==(const SummedRows& other) const {
    const Use use(*this), other_use(other);
    return sum_ == other.sum_;
  }
  nb::object push_to(Stream& stream, const std::string& id) const {
    const Use use(*this);
    return stream.push_block(sum_, id);
  }
  [[nodiscard]] nb::list notes() const {
    const Use use(*this);
    return notes_of(rules_.notes(), [&](std::size_t j) { return columns_[j]; });
  }
  /// A push of many pieces is one piece of work.
  void enter() const {
    if (thread_.enter()) rows_before_ = sum_.rows();
  }
  void leave() const { thread_.leave(); }

 private:
  /// One thread at a time.
  class Use {
   public:
    explicit Use(const SummedRows& rows) : rows_(rows) { rows.enter(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { rows_.leave(); }

   private:
    const SummedRows& rows_;
  };

  void check(std::span<const Table> tables, std::size_t before) const {
    for_each_piece(
        tables, [&](const MatrixView& rows, std::size_t further) { rules_.check(rows, before + further); });
  }
  void add(std::span<const Table> tables) {
    for_each_piece(tables,
                   [&](const MatrixView& rows, std::size_t) { sum_.add_rows(rules_.take(rows).rows); });
  }
  RowRules rules_;
  BlockSum sum_;
  std::vector<std::string> columns_;
  mutable OneThread thread_{"the sum is"};
  mutable std::size_t rows_before_ = 0;
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
      .def_prop_ro("rows", &SummedRows::rows)
      .def("__eq__", [](const SummedRows& a, const SummedRows& b) { return a == b; })
      .def("notes", &SummedRows::notes)
      .def("_push_to", &SummedRows::push_to)
      .def("__enter__", &SummedRows::enter)
      .def("__exit__", [](const SummedRows& rows, const nb::args&) { rows.leave(); });
}

}  // namespace jme::python
