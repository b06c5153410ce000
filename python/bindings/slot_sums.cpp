#include "bindings/slot_sums.hpp"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/ndarray.h>

#include <jme/base/errors.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/pipeline/timed_rows.hpp>

#include "bindings/arrow.hpp"
#include "bindings/calls.hpp"
#include "bindings/column_places.hpp"
#include "bindings/notes.hpp"
#include "bindings/stream.hpp"
#include "bindings/told_rows.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

/// Rows in natural units with their times become rows of the sums of their slots, as their stream would make
/// them.
class SummedSlots {
 public:
  explicit SummedSlots(const Stream& stream)
      : rules_(stream.rules_for_blocks()),
        timed_(stream.run().timed_rows()),
        map_(stream.row_map()),
        columns_(stream.columns()) {}

  /// `times`: seconds since 1970, NaN where nobody can tell.
  void push_arrow(const Stream& stream, nb::ndarray<const double, nb::ndim<1>, nb::c_contig> times,
                  nb::handle source) {
    const ArrowRows rows(source);
    if (times.shape(0) != rows.rows()) {
      throw InvalidParameter("time", fmt::format("{} were given for {} rows", times.shape(0), rows.rows()));
    }
    const std::vector<Table> tables =
        rows.tables(column_places(stream.columns(), rows.names(), rows.names().size()));
    std::vector<std::optional<Seconds>> seconds;
    for (std::size_t i = 0; i < times.shape(0); ++i) seconds.push_back(time_of(times.data()[i]));
    const Unlocked unlocked;
    for_each_piece(tables, [&](const MatrixView& view, std::size_t before) { rules_.check(view, before); });
    for_each_piece(tables, [&](const MatrixView& view, std::size_t before) {
      timed_.take(rules_, told_rows(view, {}, std::span(seconds).subspan(before, view.rows)));
    });
  }

  /// (slot, bytes of its sums) of the slots that have rows.
  nb::list parts() {
    nb::list result;
    for (const std::size_t slot : timed_.sums().with_rows()) {
      const std::vector<std::byte> bytes = timed_.sums().of(slot).bytes();
      result.append(nb::make_tuple(slot, nb::bytes(bytes.data(), bytes.size())));
    }
    return result;
  }
  void merge(std::size_t slot, const nb::bytes& sums) {
    timed_.sums().merge(slot,
                        BlockSum::from_bytes(std::as_bytes(std::span(sums.c_str(), sums.size())), map_));
  }
  SlotSums& sums() { return timed_.sums(); }
  /// Those of the rows, and how many had a time outside of the schedule.
  [[nodiscard]] nb::list notes() const {
    return notes_of(timed_.notes(rules_), [&](std::size_t j) { return columns_[j]; });
  }

 private:
  RowRules rules_;
  TimedRows timed_;
  RowMap map_;
  std::vector<std::string> columns_;
};

}  // namespace

void bind_slot_sums(nb::module_& m) {
  nb::class_<SummedSlots>(m, "SlotSums")
      .def(nb::init<const Stream&>())
      .def("push_arrow", &SummedSlots::push_arrow)
      .def("parts", &SummedSlots::parts)
      .def("merge", &SummedSlots::merge)
      .def("notes", &SummedSlots::notes)
      .def("_push_to", [](SummedSlots& slots, Stream& stream) { return stream.push_slots(slots.sums()); });
}

}  // namespace jme::python
