#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>

#include "random/gaussian_source.hpp"

namespace jme {
namespace {

const Key key = InsecureTestSeed{21}.key();
constexpr Nonce nonce = {1, 2, 3};

std::vector<std::vector<double>> normal_rows(std::size_t count, std::size_t dimension) {
  std::mt19937_64 bits(3);
  std::normal_distribution<double> normal(0, 0.5);
  std::vector<std::vector<double>> rows(count, std::vector<double>(dimension));
  for (auto& row : rows) std::generate(row.begin(), row.end(), [&] { return normal(bits); });
  return rows;
}

std::vector<Shape> shapes() {
  const BltParameters blt{.poles = {.95, .6}, .zeros = {.8, .3}};
  return {Shape::identity(), Shape::square_root(),
          Shape::banded(3),  Shape::banded_inverse(4),
          Shape::blt(blt),   Shape::scaled_blt({.blt = blt, .start_offset = 0.5, .start_power = -0.3}),
          Shape::dense()};
}

// 30 rows: with blocks of 7 the last one is partial.
constexpr std::size_t total_rows = 30;

std::vector<StreamConfig> all_configs() {
  std::vector<StreamConfig> configs;
  for (const Method method :
       {Method::jme, Method::lambda_jme, Method::ime, Method::cs, Method::pp, Method::pp_debiased}) {
    for (const Shape& shape : shapes()) {
      for (const std::size_t every : {1, 7}) {
        for (const Workload& workload : {prefix(), mean(), decay(0.9), window(21)}) {
          for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal, SecondMoment::none}) {
            if (method == Method::cs && second == SecondMoment::none) continue;
            configs.push_back({.budget = {.sigma = 1.0},
                               .rows = total_rows,
                               .every = every,
                               .dimension = 3,
                               .norm_bound = 1.0,
                               .workload = workload,
                               .method = method,
                               .shape = shape,
                               .second = second});
          }
        }
      }
    }
  }
  return configs;
}

std::string describe(const StreamConfig& config) {
  return std::string(name(config.method)) + " " + config.shape.name() + " " + config.workload.name() +
         " every " + std::to_string(config.every) + " second " +
         std::to_string(static_cast<int>(config.second));
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

::testing::AssertionResult equal(const Release& a, const Release& b) {
  if (a.rows() != b.rows() || a.steps() != b.steps()) return ::testing::AssertionFailure() << "counts";
  if (!same_bits(a.first(), b.first())) return ::testing::AssertionFailure() << "first moment";
  if (!same_bits(a.second(), b.second())) return ::testing::AssertionFailure() << "second moment";
  if (a.std_first() != b.std_first() || a.std_second() != b.std_second() ||
      a.bias_second() != b.bias_second() || a.weight_first() != b.weight_first() ||
      a.weight_second() != b.weight_second()) {
    return ::testing::AssertionFailure() << "public numbers";
  }
  return ::testing::AssertionSuccess();
}

enum class Secret { kept, dropped };

// Stops and resumes at every block's end, under the same nonce, and compares with a stream that never stops.
void expect_no_difference(const Mechanism& mechanism, Secret secret) {
  const StreamConfig& config = mechanism.config();
  MomentStream whole(mechanism, key, nonce), stopped(mechanism, key, nonce);
  const auto restart = [&] {
    StreamState state = stopped.state();
    if (secret == Secret::dropped) state.secret.clear(), state.kept.clear();
    stopped = MomentStream::resume(mechanism, key, nonce, state);
    ASSERT_FALSE(stopped.release().is_new());
    ASSERT_TRUE(equal(stopped.release(), whole.release()));
  };
  restart();
  for (const auto& row : normal_rows(total_rows, config.dimension)) {
    const bool is_new = whole.push(row).is_new();
    ASSERT_EQ(stopped.push(row).is_new(), is_new);
    ASSERT_TRUE(equal(stopped.release(), whole.release())) << "row " << whole.rows();
    if (is_new) {
      restart();
    } else {
      ASSERT_THROW((void)stopped.state(), StateError);
    }
  }
  EXPECT_THROW(stopped.push(std::vector<double>(config.dimension, 0.0)), BudgetExhausted);
}

// Without the secret part, the past noise is made again.
void expect_no_difference(const StreamConfig& config) {
  SCOPED_TRACE(describe(config));
  const Mechanism mechanism(config);
  expect_no_difference(mechanism, Secret::kept);
  expect_no_difference(mechanism, Secret::dropped);
}

TEST(SlowStreamState, StoppedAndResumedAtEveryBlockIsTheSameStreamBitForBit) {
  for (const StreamConfig& config : all_configs()) expect_no_difference(config);
}

TEST(StreamState, ACustomWorkloadAndTwoShapesResumeToo) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(total_rows, total_rows);
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) a(i, j) = 1.0 / static_cast<double>(1 + i - j);
  }
  expect_no_difference({.budget = {.sigma = 1.0},
                        .rows = total_rows,
                        .dimension = 4,
                        .norm_bound = 2.0,
                        .workload = custom(a),
                        .workload_second = window(5),
                        .shape = Shape::dense(),
                        .shape_second = Shape::banded(5)});
}

TEST(StreamState, AFinishedStreamStaysFinished) {
  StreamConfig config{.budget = {.sigma = 1.0}, .rows = 20, .every = 7, .dimension = 2, .norm_bound = 1.0};
  const Mechanism mechanism(config);
  for (const std::size_t rows : {std::size_t{0}, std::size_t{7}, std::size_t{9}}) {
    MomentStream stream(mechanism, key, nonce);
    for (const auto& row : normal_rows(rows, 2)) stream.push(row);
    stream.finish();
    MomentStream resumed = MomentStream::resume(mechanism, key, nonce, stream.state());
    EXPECT_TRUE(equal(resumed.release(), stream.release()));
    EXPECT_EQ(resumed.rows(), rows);
    EXPECT_THROW(resumed.push(std::vector<double>{0, 0}), BudgetExhausted);
    EXPECT_FALSE(resumed.finish().is_new());
  }
}

TEST(StreamState, OnlyShapesWithBoundedMemoryHaveASecret) {
  const auto secret_of = [](const Shape& shape) {
    MomentStream stream({.budget = {.sigma = 1.0},
                         .rows = total_rows,
                         .dimension = 2,
                         .norm_bound = 1.0,
                         .workload = prefix(),
                         .shape = shape});
    for (const auto& row : normal_rows(10, 2)) stream.push(row);
    return stream.state().secret.size();
  };
  EXPECT_EQ(secret_of(Shape::identity()), 0U);
  EXPECT_EQ(secret_of(Shape::square_root()), 0U);
  EXPECT_EQ(secret_of(Shape::dense()), 0U);
  // Two vectors for each of 2 + 3 coordinates, and a header.
  EXPECT_GT(secret_of(Shape::banded(3)), 2 * 5 * sizeof(double));
}

// The whole noise of a stream that was opened several times is C^-1 Z, each step's Z drawn under its own
// nonce.
TEST(StreamState, FreshNoncesChangeTheLaterNoiseWhichStaysShapedAcrossOpenings) {
  for (const Shape& shape : shapes()) {
    for (const Secret secret : {Secret::kept, Secret::dropped}) {
      SCOPED_TRACE(shape.name());
      const Mechanism mechanism({.budget = {.sigma = 1.0},
                                 .rows = total_rows,
                                 .dimension = 2,
                                 .norm_bound = 1.0,
                                 .geometry = Geometry::ball,
                                 .workload = prefix(),
                                 .shape = shape});
      const std::vector<double> zero(2, 0.0);
      MomentStream stream(mechanism, key, Nonce{100});
      const std::size_t n = total_rows, size = 3;
      Eigen::MatrixXd released(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(size));
      Eigen::MatrixXd z(released.rows(), released.cols());
      std::uint8_t opened = 100;
      for (std::size_t t = 0; t < n; ++t) {
        if (t == 4 || t == 11 || t == 12) {
          StreamState state = stream.state();
          if (secret == Secret::dropped) state.secret.clear(), state.kept.clear();
          stream = MomentStream::resume(mechanism, key, Nonce{++opened}, state);
          // Opened twice without a row between: the nonce that drew nothing is not kept.
          stream = MomentStream::resume(mechanism, key, Nonce{++opened}, stream.state());
        }
        stream.push(zero);
        std::vector<double> draws(size);
        GaussianSource(key, Nonce{opened}).fill(Channel::second, t, 0, draws);
        for (std::size_t j = 0; j < size; ++j) {
          const auto row = static_cast<Eigen::Index>(t), column = static_cast<Eigen::Index>(j);
          released(row, column) = stream.release().second()[j];
          z(row, column) = draws[j];
        }
      }
      EXPECT_EQ(stream.state().nonces.size(), 4U);
      const double std = mechanism.calibration().std_second;
      z.col(1) /= std::sqrt(2.0);
      const Eigen::MatrixXd noise = std * mechanism.c2().to_dense().triangularView<Eigen::Lower>().solve(z);
      const Eigen::MatrixXd expected = mechanism.a2().to_dense() * noise;
      // Half a lattice unit per step by rounding, and a little for the order of summation.
      const double tolerance = (0.5 + 1e-3) * static_cast<double>(n) * mechanism.lattice().second;
      EXPECT_LT((released - expected).cwiseAbs().maxCoeff(), tolerance);
      EXPECT_GT(expected.cwiseAbs().maxCoeff(), 1e3 * tolerance);
    }
  }
}

TEST(StreamState, AResumedStreamUnderAFreshNonceDrawsOtherNoise) {
  const Mechanism mechanism(
      {.budget = {.sigma = 1.0}, .rows = 10, .dimension = 2, .norm_bound = 1.0, .workload = prefix()});
  MomentStream stream(mechanism, key, nonce);
  const std::vector<double> row{0.1, 0.2};
  for (int i = 0; i < 5; ++i) stream.push(row);
  const StreamState state = stream.state();
  MomentStream one = MomentStream::resume(mechanism, key, Nonce{7}, state);
  MomentStream two = MomentStream::resume(mechanism, key, Nonce{8}, state);
  EXPECT_EQ(one.release().second()[1], two.release().second()[1]);
  EXPECT_NE(one.push(row).second()[1], two.push(row).second()[1]);
  EXPECT_NE(one.release().second()[1], stream.push(row).second()[1]);
}

class CorruptState : public ::testing::Test {
 protected:
  CorruptState() : mechanism_(config()), good_(state()) {}

  static StreamConfig config() {
    return {.budget = {.sigma = 1.0},
            .rows = 20,
            .every = 2,
            .dimension = 3,
            .norm_bound = 1.0,
            .workload = mean(),
            .shape = Shape::banded(4)};
  }
  [[nodiscard]] StreamState state() const {
    MomentStream stream(mechanism_, key, nonce);
    for (const auto& row : normal_rows(10, 3)) stream.push(row);
    return stream.state();
  }
  void expect_refused(const StreamState& state) const {
    EXPECT_THROW((void)MomentStream::resume(mechanism_, key, Nonce{9}, state), StateError);
  }

  Mechanism mechanism_;
  StreamState good_;
};

TEST_F(CorruptState, CountsThatDoNotFitAreRefused) {
  EXPECT_NO_THROW((void)MomentStream::resume(mechanism_, key, Nonce{9}, good_));
  for (const std::uint64_t rows : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{12}, std::uint64_t{22},
                                   std::numeric_limits<std::uint64_t>::max()}) {
    StreamState bad = good_;
    bad.rows = rows;
    expect_refused(bad);
    bad.finished = true;
    expect_refused(bad);
    bad.steps = rows / 2;
    expect_refused(bad);
  }
  for (const std::uint64_t steps :
       {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{6}, ~std::uint64_t{0}}) {
    StreamState bad = good_;
    bad.steps = steps;
    expect_refused(bad);
  }
}

TEST_F(CorruptState, NoncesThatDoNotFitAreRefused) {
  StreamState bad = good_;
  bad.nonces.clear();
  expect_refused(bad);
  bad.nonces = {{1, nonce}};
  expect_refused(bad);
  bad.nonces = {{0, nonce}, {0, nonce}};
  expect_refused(bad);
  bad.nonces = {{0, nonce}, {3, nonce}, {2, nonce}};
  expect_refused(bad);
  bad.nonces = {{0, nonce}, {6, nonce}};
  expect_refused(bad);
}

TEST_F(CorruptState, EveryOtherLengthIsRefused) {
  for (const bool secret : {true, false}) {
    for (std::size_t length = 0; length < good_.open.size() + 20; ++length) {
      StreamState bad = good_;
      std::vector<std::byte>& bytes = secret ? bad.secret : bad.open;
      if (length == bytes.size() || (secret && length == 0)) continue;
      bytes.resize(length);
      expect_refused(bad);
    }
  }
}

TEST_F(CorruptState, NumbersThatAreNotFiniteAreRefused) {
  for (const double value : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (const bool secret : {true, false}) {
      StreamState bad = good_;
      std::vector<std::byte>& bytes = secret ? bad.secret : bad.open;
      std::memcpy(bytes.data() + bytes.size() - sizeof(value), &value, sizeof(value));
      expect_refused(bad);
    }
  }
}

TEST_F(CorruptState, OfAnotherMomentOrStreamIsRefused) {
  MomentStream stream(mechanism_, key, nonce);
  for (const auto& row : normal_rows(8, 3)) stream.push(row);
  StreamState mixed = good_;
  mixed.open = stream.state().open;
  expect_refused(mixed);
  mixed = good_;
  mixed.secret = stream.state().secret;
  expect_refused(mixed);
  std::swap(mixed.open, mixed.secret);
  expect_refused(mixed);
  StreamConfig other = config();
  other.second = SecondMoment::diagonal;
  EXPECT_THROW((void)MomentStream::resume(Mechanism(other), key, Nonce{9}, good_), StateError);
}

// Whatever the bytes, a state is refused or gives a stream that works: whoever stored it must notice a
// corrupt number (by a checksum under the key); it must never cause an access outside of memory.
TEST_F(CorruptState, RandomBytesNeverCrash) {
  std::mt19937_64 bits(5);
  std::size_t refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    StreamState bad = good_;
    std::vector<std::byte>& bytes = bits() % 2 == 0 ? bad.secret : bad.open;
    const std::size_t changes = 1 + bits() % 4;
    for (std::size_t i = 0; i < changes; ++i) {
      bytes[bits() % bytes.size()] = static_cast<std::byte>(bits() & 0xFF);
    }
    if (bits() % 8 == 0) bytes.resize(bits() % (2 * bytes.size()));
    if (bits() % 8 == 0) bad.rows = bits();
    if (bits() % 8 == 0) bad.steps = bits() >> (bits() % 64);
    if (bits() % 8 == 0) bad.nonces.push_back({bits() >> (bits() % 64), nonce});
    try {
      MomentStream stream = MomentStream::resume(mechanism_, key, Nonce{9}, bad);
      stream.push(std::vector<double>(3, 0.1));
      stream.push(std::vector<double>(3, 0.1));
    } catch (const StateError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500U);
}

}  // namespace
}  // namespace jme
