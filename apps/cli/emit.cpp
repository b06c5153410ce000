#include "emit.hpp"

#include <cmath>
#include <iterator>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "parse.hpp"

namespace jme::cli {

namespace {

using Buffer = fmt::memory_buffer;

void put(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// Shortest text that reads back as the same double; JSON has no word for NaN or infinity but null.
void put_number(Buffer& out, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  } else {
    put(out, "null");
  }
}

template <class Row>
void put_vector(Buffer& out, const Row& values) {
  out.push_back('[');
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (i > 0) out.push_back(',');
    put_number(out, values(i));
  }
  out.push_back(']');
}

void put_matrix(Buffer& out, const Eigen::MatrixXd& values) {
  out.push_back('[');
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    if (i > 0) out.push_back(',');
    put_vector(out, values.row(i));
  }
  out.push_back(']');
}

Eigen::MatrixXd nearest_psd(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  if (solver.eigenvalues().minCoeff() >= 0) return symmetric;
  const Eigen::MatrixXd& basis = solver.eigenvectors();
  const Eigen::MatrixXd projected =
      basis * solver.eigenvalues().cwiseMax(0.0).asDiagonal() * basis.transpose();
  return (projected + projected.transpose()) / 2;
}

CovarianceEstimate covariance(const Release& release, const Units& units, const EmitOptions& options) {
  CovarianceEstimate estimate = running_covariance(release, units, options.bias);
  if (!options.psd) return estimate;
  // Nearest in the unit box, where every column carries the same noise; a congruence keeps it semidefinite.
  const Units unit_box = Units::identity(release.dimension());
  const Eigen::MatrixXd projected = nearest_psd(running_covariance(release, unit_box, options.bias).value);
  estimate.value = units.half_width.asDiagonal() * projected * units.half_width.asDiagonal();
  return estimate;
}

// A value and its noise, both ready for their places in the line.
struct Entry {
  Buffer value, noise;
};

Entry entry(Emit emit, const Release& release, const Units& units, const EmitOptions& options) {
  Entry result;
  const auto vector = [&](const MeanEstimate& estimate) {
    put_vector(result.value, estimate.value);
    put_vector(result.noise, estimate.noise_std);
  };
  const auto matrix = [&](const CovarianceEstimate& estimate) {
    if (release.second_kind() == SecondMoment::diagonal) {
      put_vector(result.value, estimate.value.diagonal());
      put_vector(result.noise, estimate.noise_std.diagonal());
    } else {
      put_matrix(result.value, estimate.value);
      put_matrix(result.noise, estimate.noise_std);
    }
  };
  switch (emit) {
    case Emit::first:
      vector(natural_first(release, units));
      break;
    case Emit::second:
      matrix(natural_second(release, units));
      break;
    case Emit::mean:
      vector(running_mean(release, units));
      break;
    case Emit::covariance:
      matrix(covariance(release, units, options));
      break;
  }
  return result;
}

}  // namespace

std::string_view name(Emit emit) {
  switch (emit) {
    case Emit::first:
      return "first";
    case Emit::second:
      return "second";
    case Emit::mean:
      return "mean";
    case Emit::covariance:
      return "covariance";
  }
  return "";
}

std::vector<Emit> parse_emit(std::string_view text) {
  std::vector<Emit> values;
  for (const std::string& part : parse_list("emit", text)) {
    if (part == "first") {
      values.push_back(Emit::first);
    } else if (part == "second") {
      values.push_back(Emit::second);
    } else if (part == "mean") {
      values.push_back(Emit::mean);
    } else if (part == "covariance") {
      values.push_back(Emit::covariance);
    } else {
      throw InvalidParameter("emit", part, "a list of first, second, mean, covariance");
    }
  }
  return values;
}

std::vector<Emit> default_emit(SecondMoment second) {
  switch (second) {
    case SecondMoment::none:
      return {Emit::mean};
    case SecondMoment::diagonal:
      return {Emit::mean, Emit::second};
    case SecondMoment::full:
      break;
  }
  return {Emit::mean, Emit::covariance};
}

void check_emit(const EmitOptions& options, const StreamConfig& config, bool has_bounds) {
  const bool same_workload =
      !config.workload_second || config.workload_second->name() == config.workload.name();
  for (const Emit emit : options.values) {
    if (emit == Emit::second) {
      if (config.second == SecondMoment::none) {
        throw InvalidParameter("emit", "second", "left out with --second none");
      }
      // Natural units mix the two moments, (c + h u)^2 = c^2 + 2 c h u + h^2 u^2: only equal weights can.
      if (has_bounds && !same_workload) {
        throw InvalidParameter("emit", "second",
                               "used with one workload for both moments when bounds are given");
      }
    }
    if (emit == Emit::covariance) {
      if (config.second != SecondMoment::full) {
        throw InvalidParameter("emit", "covariance", "used with --second full");
      }
      if (!same_workload) {
        throw InvalidParameter("emit", "covariance", "used with one workload for both moments");
      }
    }
  }
}

Units units_of(const ColumnBounds& bounds) {
  const auto copy = [](std::span<const double> values) {
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
  };
  return {.centre = copy(bounds.centre()), .half_width = copy(bounds.half_width())};
}

std::string release_line(const Release& release, const Units& units, const EmitOptions& options) {
  Buffer line, noise;
  fmt::format_to(std::back_inserter(line), "{{\"t\":{}", release.rows());
  for (const Emit emit : options.values) {
    const Entry made = entry(emit, release, units, options);
    fmt::format_to(std::back_inserter(line), ",\"{}\":", name(emit));
    line.append(made.value);
    fmt::format_to(std::back_inserter(noise), "{}\"{}\":", noise.size() == 0 ? "" : ",", name(emit));
    noise.append(made.noise);
  }
  put(line, ",\"noise_std\":{");
  line.append(noise);
  put(line, "}}\n");
  return fmt::to_string(line);
}

}  // namespace jme::cli
