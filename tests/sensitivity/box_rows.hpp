#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <jme/base/adjacency.hpp>
#include <jme/base/geometry.hpp>

#include "sensitivity/box.hpp"

namespace jme::testing {

/// A row in the box: absent cells have the value 0.
struct BoxRow {
  std::vector<double> values;
  std::vector<double> present;
  double exists = 1;
};

inline BoxRow complete(std::vector<double> values) {
  std::vector<double> present(values.size(), 1.0);
  return {.values = std::move(values), .present = std::move(present)};
}

inline BoxRow nothing(std::size_t d) {
  return {.values = std::vector<double>(d, 0.0), .present = std::vector<double>(d, 0.0), .exists = 0};
}

inline double square(double value) {
  return value * value;
}

/// The two channels' parts of f of box.hpp, term by term.
struct Parts {
  double first, second;
};
inline Parts product(const BoxWeights& w, const BoxRow& x, const BoxRow& y, const BoxRow& s,
                     const BoxRow& t) {
  const std::size_t d = x.values.size();
  Parts f{w.row * (x.exists - y.exists) * (s.exists - t.exists), 0};
  for (std::size_t i = 0; i < d; ++i) {
    const double a = x.values[i], b = y.values[i], k = s.values[i], l = t.values[i];
    f.first += (a - b) * (k - l) + w.cells * (x.present[i] - y.present[i]) * (s.present[i] - t.present[i]);
    f.second += w.diagonal * (a * a - b * b) * (k * k - l * l);
    double products = 0, pairs = 0;
    for (std::size_t j = 0; j < i; ++j) {
      products += (a * x.values[j] - b * y.values[j]) * (k * s.values[j] - l * t.values[j]);
      pairs += (x.present[i] * x.present[j] - y.present[i] * y.present[j]) *
               (s.present[i] * s.present[j] - t.present[i] * t.present[j]);
    }
    if (i > 0) f.second += (w.off_diagonal * products + w.pairs * pairs) / static_cast<double>(d - 1);
  }
  return f;
}
inline double distance(const BoxWeights& w, const BoxRow& x, const BoxRow& y) {
  const Parts f = product(w, x, y, x, y);
  return f.first + f.second;
}

/// What neighbours may be, and how their rows reach the channels: row i of a person through columns of Gram
/// matrices C'C.
struct BoxProblem {
  BoxWeights weights{};
  std::size_t dimension = 1;
  Presence presence = Presence::complete;
  Adjacency adjacency = Adjacency::replace_one;
  double norm_bound = std::numeric_limits<double>::infinity();
  Eigen::MatrixXd gram_first = Eigen::MatrixXd::Ones(1, 1), gram_second = Eigen::MatrixXd::Ones(1, 1);
};

struct BoxNeighbours {
  std::vector<BoxRow> before, after;
};

inline double distance(const BoxProblem& problem, const BoxNeighbours& n) {
  double sum = 0;
  for (std::size_t i = 0; i < n.before.size(); ++i) {
    for (std::size_t j = 0; j < n.before.size(); ++j) {
      const Parts f = product(problem.weights, n.before[i], n.after[i], n.before[j], n.after[j]);
      const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
      sum += problem.gram_first(row, column) * f.first + problem.gram_second(row, column) * f.second;
    }
  }
  return sum;
}

inline void shorten(BoxRow& row, double norm_bound) {
  double norm = 0;
  for (const double value : row.values) norm += value * value;
  norm = std::sqrt(norm);
  if (!(norm > norm_bound)) return;
  for (double& value : row.values) value *= norm_bound / norm;
}

/// Random neighbours; some are opposite rows, some lack a row, and half of them have the same pair
/// everywhere.
inline BoxNeighbours random_neighbours(const BoxProblem& problem, int start, std::mt19937_64& bits) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::size_t d = problem.dimension;
  BoxNeighbours n;
  for (Eigen::Index i = 0; i < problem.gram_first.cols(); ++i) {
    BoxRow x = complete(std::vector<double>(d)), y = x;
    for (double& value : x.values) value = start % 6 == 4 ? 1 : uniform(bits);
    for (std::size_t j = 0; j < d; ++j) y.values[j] = start % 6 == 4 ? -x.values[j] : uniform(bits);
    shorten(x, problem.norm_bound);
    shorten(y, problem.norm_bound);
    const bool lacks = problem.presence != Presence::complete && start % 6 == 5;
    if (lacks || problem.adjacency == Adjacency::add_remove) y = nothing(d);
    n.before.push_back(start % 2 == 0 && i > 0 ? n.before[0] : x);
    n.after.push_back(start % 2 == 0 && i > 0 ? n.after[0] : y);
  }
  return n;
}

/// The largest weighted squared distance that ascent over values and presence, cell by cell, finds from
/// random neighbours: it knows the definition and no formula.
inline double largest_found(const BoxProblem& problem, int starts, unsigned seed) {
  std::mt19937_64 bits(seed);
  double largest = 0;
  for (int start = 0; start < starts; ++start) {
    BoxNeighbours n = random_neighbours(problem, start, bits);
    double best = distance(problem, n);
    std::vector<double> saved;
    const auto climb = [&](BoxRow& row, double step) {
      if (row.exists == 0) return;
      for (std::size_t i = 0; i < problem.dimension; ++i) {
        const double value = row.values[i], present = row.present[i];
        const auto attempt = [&](double new_value, double new_present) {
          const double old_value = row.values[i], old_present = row.present[i];
          if (std::isfinite(problem.norm_bound)) saved = row.values;
          row.values[i] = new_value;
          row.present[i] = new_present;
          shorten(row, problem.norm_bound);
          const double now = distance(problem, n);
          if (now > best) {
            best = now;
          } else {
            if (std::isfinite(problem.norm_bound)) row.values = saved;
            row.values[i] = old_value;
            row.present[i] = old_present;
          }
        };
        for (const double candidate : {-1.0, 1.0, 0.0, value + step, value - step}) {
          attempt(std::clamp(candidate, -1.0, 1.0), 1);
        }
        if (problem.presence == Presence::cells && present == 1) attempt(0, 0);
      }
    };
    // The distance is smooth between the faces, so a step of 1e-4 leaves 1e-7 of it.
    // Along a curved face it only creeps, so the number of rounds ends too.
    int rounds = 0;
    for (double step = 0.5; step > 1e-4 && rounds < 400; ++rounds) {
      const double before = best;
      for (BoxRow& row : n.before) climb(row, step);
      for (BoxRow& row : n.after) climb(row, step);
      if (!(best > before * (1 + 1e-5 * step))) step /= 2;
    }
    largest = std::max(largest, best);
  }
  return largest;
}

}  // namespace jme::testing
