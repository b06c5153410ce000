#pragma once

#include <functional>

#include <nlohmann/json_fwd.hpp>

#include <jme/inquiry/questions.hpp>
#include <jme/pipeline/prepared_run.hpp>

namespace jme {

/// How exact a run would be, in the units of its columns. As people write it; no input is opened.
struct BudgetQuestion {
  /// Of the run. epsilon, rows_per_person and every may be lists, "0.1,1": each combination is answered.
  RunSettings settings{};
  /// "temp=0.1,pulse=2": finds the least epsilon with which the released mean of each of these columns is off
  /// by at most so much, in the last release, with probability 95%. In place of settings["epsilon"].
  Asked target{};
  /// Steps of rows: how many rows the input has (default: all that the stream may have). Slots of time: how
  /// many rows a slot has on average, or "500/1h", so many in each hour.
  Asked expect_rows{};
  Asked expect_slots{};  ///< after how many slots (default: all of the schedule)
  /// Rows that a person has where they are limited (in one window, where the limit is for windows): "7", or
  /// "2,20" where half of the people have 2 and half have 20. Default: every expected row counts.
  Asked expect_per_person{};
  /// "temp=37": the mean of a column. Default: where it makes the error largest.
  Asked expect_mean{};
  Asked expect_std{};  ///< "temp=0.8": its standard deviation. Default: a sixth of its range
};

/// Of a stream, before its plan is made: throws where it would take too much.
using StreamCheck = std::function<void(const StreamConfig&)>;

/// columns, expected, and one line for each combination: epsilon, rows_per_person, every, releases, rows,
/// half_interval: {mean, std, correlation}, reasons. Half-intervals are half of 95% intervals; null where
/// there is none, with a reason.
[[nodiscard]] nlohmann::ordered_json answer(const BudgetQuestion& question,
                                            const MatrixReader& read_matrix = {},
                                            const TextReader& read_text = {}, const StreamCheck& check = {});

/// The same for a run that was prepared: columns, expected and one line, at the run's own budget or, with a
/// target, at the least epsilon and the run's delta. The settings of the question play no part.
[[nodiscard]] nlohmann::ordered_json answer(const PreparedRun& run, const BudgetQuestion& question);

}  // namespace jme
