#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <jme/changes/compare.hpp>
#include <jme/changes/released_sums.hpp>
#include <jme/models/estimate.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>

namespace jme {

/// What releases are read with: the run that its metadata describe (output/metadata.hpp). Throws
/// InvalidParameter("releases", ...) for an object that is not the first line of a run, and StateError where
/// this version would make other noise from these settings. A matrix is read by its name.
[[nodiscard]] std::unique_ptr<PreparedRun> run_of_metadata(const nlohmann::ordered_json& metadata,
                                                           const MatrixReader& read_matrix = {});

/// The releases of one run as far as they tell sums: from the lines that `jme run` writes, or as they are.
class ReleasedRun {
 public:
  explicit ReleasedRun(std::unique_ptr<PreparedRun> run);
  /// Of a run that outlives it.
  explicit ReleasedRun(const PreparedRun& run);

  /// A line of a release. Needs mean or first. Throws InvalidParameter("releases", ...).
  void add(const nlohmann::ordered_json& line);
  void add(const Release& release);

  [[nodiscard]] const PreparedRun& run() const { return *run_; }
  [[nodiscard]] const ReleasedSums& sums() const { return sums_; }
  /// Of single rows, from the last release at or before step `step` that has a covariance.
  [[nodiscard]] RowVariance row_variance(std::size_t step) const;
  /// A moment as people write it: t, or where steps are slots of time when a slot ended. The step whose
  /// release it is. Throws InvalidParameter(field, ...) that names the nearest ones.
  [[nodiscard]] std::size_t step_at(std::string_view moment, std::string_view field) const;

 private:
  struct Variance {
    std::size_t step;
    std::vector<double> value, noise_std;  // in the unit box
  };
  [[nodiscard]] std::vector<double> values_of(const nlohmann::ordered_json& line, std::size_t step,
                                              std::size_t rows) const;
  void keep_variance(const nlohmann::ordered_json& line, std::size_t step);
  std::unique_ptr<PreparedRun> owned_{};
  const PreparedRun* run_;
  ReleasedSums sums_;
  std::vector<Variance> variances_{};
};

/// Lines of NDJSON as `jme run` writes them: metadata, then releases. `name` is for messages.
[[nodiscard]] ReleasedRun read_released_run(std::istream& lines, const std::string& name,
                                            const MatrixReader& read_matrix = {});

}  // namespace jme
