#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace jme {

struct Toeplitz;

/// A positive number for every step t = 0, 1, 2, ...: the diagonal matrices of C = L T D^-1.
class Schedule {
 public:
  /// Numbers are made in blocks of this many steps. To get all of them, read block by block (ScheduleReader).
  static constexpr std::size_t block = 1024;

  /// 1 everywhere.
  Schedule() = default;

  /// Explicit numbers, one per step.
  static Schedule values(std::vector<double> numbers);
  /// `number` for each of `steps` steps, except the last ones, which have the numbers in `last`.
  static Schedule constant_until(std::size_t steps, double number, std::vector<double> last);
  /// 1 / (rows seen by the end of step t), for a mean over blocks of `every` rows out of `rows`.
  static Schedule inverse_row_count(std::size_t rows, std::size_t every);
  /// (t + 1 + a)^q (n - t - 1 + c)^s: row schedule of a scaled BLT (docs/theory/shaping.md#scaled-blt, where
  /// t counts from 1).
  static Schedule power(double a, double q, std::size_t n, double c, double s);

  /// 1 / ||column t of diag(row) T||, rounded down: no column of diag(row) T diag(this) is longer than 1.
  /// T has one tap and modes with positive weights and poles in [0, 1); `row` is 1 or a power. Keeps a few
  /// numbers per block, and computes the others again. GUARANTEES.md has the proof.
  static Schedule inverse_column_norms(const Schedule& row, const Toeplitz& core, std::size_t steps);
  /// The same where the columns never end: the norms include the infinite tail. `row` must not rise (a power
  /// with q <= 0, s = 0). The numbers go on for `steps` steps.
  static Schedule inverse_endless_column_norms(const Schedule& row, const Toeplitz& core, std::size_t steps);

  /// Steps it has a number for; the largest size_t where there is no end.
  [[nodiscard]] std::size_t steps() const;
  /// Only for step < steps(). Where it must, it computes a whole block for one number, so use it only for
  /// single numbers.
  [[nodiscard]] double operator()(std::size_t step) const;
  /// The numbers of steps begin, begin + 1, ...: the same numbers as one by one, and much quicker.
  void fill(std::size_t begin, std::span<double> out) const;
  /// Steps that share the first number, where it was made by constant_until.
  [[nodiscard]] std::optional<std::size_t> constant_steps() const;
  [[nodiscard]] bool is_one() const { return std::holds_alternative<One>(kind_); }

 private:
  struct One {};
  struct Values {
    std::vector<double> numbers;
  };
  struct ConstantUntil {
    std::size_t steps;
    double number;
    std::vector<double> last;
  };
  struct InverseRowCount {
    std::size_t rows, every;
  };
  struct Power {
    double a, q, n, c, s;
    [[nodiscard]] double at(std::size_t step) const;
    [[nodiscard]] double log_at(double step) const;
    void fill(std::size_t begin, std::span<double> out) const;
    void fill_piece(std::size_t begin, std::span<double> out) const;
  };
  /// V_ik(e) = sum_{t >= e} l_t^2 (p_i p_k)^(t-e) at the ends e of blocks, from which the norms inside a
  /// block follow backwards: ||column j||^2 = c_0^2 l_j^2 + sum_ik w_i w_k V_ik(j + 1).
  struct InverseNorms {
    std::optional<Power> row;  // 1 where there is none
    double squared_tap;
    std::vector<double> poles, weights;
    std::size_t steps;
    double up;                      // a factor that rounds a norm up by more than the errors of computing it
    std::vector<std::size_t> ends;  // of blocks, ascending; multiples of `block`, except for the last
    std::vector<double> sums;       // V at each end, pair by pair

    [[nodiscard]] std::size_t pairs() const { return poles.size() * (poles.size() + 1) / 2; }
    void fill_rows(std::size_t begin, std::span<double> out) const;
    [[nodiscard]] std::vector<double> sums_at(std::size_t end) const;
    void leap(std::size_t from, std::size_t to, std::span<double> pair_sums) const;
    void fill(std::size_t begin, std::span<double> out) const;
  };
  static InverseNorms inverse_norms(const Schedule& row, const Toeplitz& core, std::size_t steps);
  std::variant<One, Values, ConstantUntil, InverseRowCount, Power, InverseNorms> kind_;
};

/// The numbers of a schedule step after step, without computing a block again for each. The schedule is
/// passed to every call, so that its owner can be moved; it must be the same one.
class ScheduleReader {
 public:
  [[nodiscard]] double at(const Schedule& schedule, std::size_t step) {
    if (schedule.is_one()) return 1;
    if (step < begin_ || step - begin_ >= numbers_.size()) make_block(schedule, step);
    return numbers_[step - begin_];
  }
  /// Copies the numbers from `step` on to `out`, as many as are at hand and at most `out.size()`. Returns how
  /// many.
  std::size_t read(const Schedule& schedule, std::size_t step, std::span<double> out);

 private:
  void make_block(const Schedule& schedule, std::size_t step);
  std::size_t begin_ = 0;
  std::vector<double> numbers_;
};

}  // namespace jme
