#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jme/clock/time.hpp>

namespace jme {

/// Rows as a front read them, up to a few thousand at a time, on their way to the rules that decide what
/// becomes of them. A missing cell is NaN and a bad record has its flag, whatever the front reads.
///
///   RowBatch batch(2);
///   batch.add_row() = {21.5, 40};          // or fill the cells of a whole batch
///   batch.set_bad(0);
class RowBatch {
 public:
  static constexpr std::size_t most_rows = 4096;
  static constexpr double missing = std::numeric_limits<double>::quiet_NaN();

  explicit RowBatch(std::size_t columns = 0) : columns_(columns) {}

  /// Forgets all rows and keeps their memory.
  void clear(std::size_t columns);
  /// A further row, whose cells are 0, of nobody and without a time. Valid until the next row is added.
  std::span<double> add_row();
  void add_rows(std::size_t count);
  /// The same, but their cells hold anything until they are written.
  void add_unset_rows(std::size_t count);
  /// Forgets all rows but the first `count`.
  void keep_first(std::size_t count);
  /// Adds copies of the rows [begin, end) of another batch of the same width.
  void append(const RowBatch& other, std::size_t begin, std::size_t end);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  /// Row by row, in natural units.
  [[nodiscard]] std::span<double> cells() { return {cells_.data(), rows_ * columns_}; }
  [[nodiscard]] std::span<const double> cells() const { return {cells_.data(), rows_ * columns_}; }
  [[nodiscard]] std::span<double> row(std::size_t index) {
    return cells().subspan(index * columns_, columns_);
  }
  [[nodiscard]] std::span<const double> row(std::size_t index) const {
    return cells().subspan(index * columns_, columns_);
  }

  /// The record cannot be used: its cells mean nothing and are 0.
  void set_bad(std::size_t index);
  [[nodiscard]] bool is_bad(std::size_t index) const { return !bad_.empty() && bad_[index] != 0; }
  [[nodiscard]] bool has_bad() const { return !bad_.empty(); }

  /// Whose record it is; none: nobody's.
  void set_person(std::size_t index, std::string_view id) { persons_.set(index, rows_, id); }
  [[nodiscard]] std::optional<std::string_view> person(std::size_t index) const { return persons_.of(index); }
  [[nodiscard]] bool has_persons() const { return !persons_.parts.empty(); }

  /// The bytes of its record, where they were asked for.
  void set_record(std::size_t index, std::string_view text) { records_.set(index, rows_, text); }
  [[nodiscard]] std::optional<std::string_view> record(std::size_t index) const { return records_.of(index); }
  /// Of all ids and records.
  [[nodiscard]] std::size_t text_bytes() const { return persons_.text.size() + records_.text.size(); }

  /// When it happened, in seconds since 1970; none where that cannot be told.
  void set_time(std::size_t index, Seconds time);
  [[nodiscard]] std::optional<Seconds> time(std::size_t index) const;

 private:
  /// A text for some of the rows.
  struct Texts {
    struct Part {
      std::uint32_t begin = 0, length = 0;
      bool is_known = false;
    };
    std::string text{};         // one after another
    std::vector<Part> parts{};  // empty: no row has one

    void set(std::size_t index, std::size_t rows, std::string_view part);
    [[nodiscard]] std::optional<std::string_view> of(std::size_t index) const;
    void resize(std::size_t rows);
    void clear();
  };
  void resize(std::size_t rows);
  std::size_t rows_ = 0, columns_;
  std::vector<double> cells_{};      // at least those of the rows
  std::vector<std::uint8_t> bad_{};  // empty: none is bad
  Texts persons_{}, records_{};
  std::vector<std::optional<Seconds>> times_{};  // empty: no row has one
};

}  // namespace jme
