#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/models/adam.hpp>

namespace jme {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t adam_dimension = 37;  // whole vectors and a remainder

BatchConfig config(BatchMethod method = BatchMethod::jme) {
  return {.budget = {.sigma = 0.3},
          .steps = 40,
          .dimension = adam_dimension,
          .norm_bound = 1,
          .method = method,
          .batch = 4,
          .participation = Participation{}};
}

/// Sums that four clipped gradients can have.
std::vector<float> gradients(std::size_t step) {
  std::vector<float> g(adam_dimension);
  for (std::size_t i = 0; i < adam_dimension; ++i)
    g[i] = 0.3F * std::sin(static_cast<float>(3 * i + 7 * step));
  return g;
}
std::vector<float> squares(std::size_t step) {
  std::vector<float> s = gradients(step);
  for (float& x : s) x *= 0.5F * x;
  return s;
}
std::span<const float> needed(const std::vector<float>& s, BatchMethod method) {
  return takes_squares(method) ? std::span<const float>(s) : std::span<const float>{};
}

/// Adam as its definition says, in double, on the noisy sums of a twin stream.
class Reference {
 public:
  Reference(const BatchConfig& batch, const AdamSettings& settings, std::uint64_t seed)
      : settings_(settings),
        mechanism_(made_for(batch, settings)),
        stream_(mechanism_, InsecureTestSeed{seed}) {}

  void step(std::vector<double>& parameters, std::span<const float> g, std::span<const float> s) {
    std::vector<double> x(adam_dimension), x2(adam_dimension, 0.0);
    stream_.step(
        [&](const BlockTile& tile) {
          std::copy(g.begin(), g.end(), tile.first.begin());
          if (!s.empty()) std::copy(s.begin(), s.end(), tile.second.begin());
        },
        [&](const BlockTile& tile) {
          std::copy(tile.first.begin(), tile.first.end(), x.begin());
          std::copy(tile.second.begin(), tile.second.end(), x2.begin());
        });
    ++t_;
    const double batch = mechanism_.config().batch, b1 = settings_.beta_first, b2 = settings_.beta_second;
    std::vector<double> update(adam_dimension);
    double length = 0;
    for (std::size_t i = 0; i < adam_dimension; ++i) {
      m_[i] = b1 * m_[i] + (1 - b1) * x[i] / batch;
      v_[i] = b2 * v_[i] + (1 - b2) * square(x[i], x2[i]);
      const double mhat = m_[i] / (1 - std::pow(b1, t_)), vhat = v_[i] / (1 - std::pow(b2, t_));
      update[i] = mhat / (std::sqrt(std::max({vhat, 0.0, settings_.least_square})) + settings_.epsilon);
      if (settings_.update_bound)
        update[i] = std::clamp(update[i], -*settings_.update_bound, *settings_.update_bound);
      length += update[i] * update[i];
    }
    const double scale =
        settings_.update_norm ? std::min(1.0, *settings_.update_norm / std::sqrt(length)) : 1.0;
    for (std::size_t i = 0; i < adam_dimension; ++i) {
      parameters[i] -= settings_.learning_rate * (settings_.weight_decay * parameters[i] + scale * update[i]);
    }
  }

 private:
  static BatchMechanism made_for(BatchConfig batch, const AdamSettings& settings) {
    batch.workload = decay(settings.beta_first);
    batch.workload_second = decay(settings.beta_second);
    return BatchMechanism(batch);
  }
  [[nodiscard]] double square(double x, double x2) const {
    const double batch = mechanism_.config().batch;
    const double noise = mechanism_.calibration().std_first / batch;
    const std::vector<double> rows = mechanism_.squared_noise_rows();
    switch (mechanism_.config().method) {
      case BatchMethod::jme:
      case BatchMethod::joint_clip:
        return x2 / batch;
      case BatchMethod::jme_batch_mean:
        return x2;
      case BatchMethod::jme_paper:
        return x2 / (batch * batch);
      case BatchMethod::pp:
        return x * x / (batch * batch);
      case BatchMethod::pp_debiased:
        return x * x / (batch * batch) - noise * noise * rows[static_cast<std::size_t>(t_) - 1];
    }
    return 0;
  }

  AdamSettings settings_;
  BatchMechanism mechanism_;
  BlockStream stream_;
  std::vector<double> m_ = std::vector<double>(adam_dimension, 0.0), v_ = m_;
  int t_ = 0;
};

void expect_agreement(const BatchConfig& batch, const AdamSettings& settings) {
  SCOPED_TRACE(::testing::Message() << name(batch.method) << " " << batch.shape.name());
  Adam adam(batch, settings, InsecureTestSeed{3});
  Reference reference(batch, settings, 3);
  std::vector<float> parameters(adam_dimension, 0.5F);
  std::vector<double> exact(adam_dimension, 0.5);
  for (std::size_t t = 0; t < 25; ++t) {
    const auto g = gradients(t), s = squares(t);
    adam.step(parameters, g, needed(s, batch.method), 4);
    reference.step(exact, g, needed(s, batch.method));
    // Floats: m and v are good to some 1e-6 of their largest value so far; where v is near its floor the
    // quotient amplifies this by at most |m| / (2 v sqrt v), kept small by least_square.
    for (std::size_t i = 0; i < adam_dimension; ++i)
      ASSERT_NEAR(parameters[i], exact[i], 2e-4 * settings.learning_rate * static_cast<double>(t + 1) + 1e-6)
          << t << " " << i;
  }
}

constexpr AdamSettings steady{.learning_rate = 0.01, .beta_second = 0.99, .least_square = 1e-2};

TEST(Adam, IsItsDefinitionForEveryMethod) {
  for (BatchMethod method : {BatchMethod::jme, BatchMethod::jme_batch_mean, BatchMethod::jme_paper,
                             BatchMethod::pp, BatchMethod::pp_debiased, BatchMethod::joint_clip}) {
    expect_agreement(config(method), steady);
  }
}

TEST(Adam, IsItsDefinitionForShapedNoise) {
  for (const char* shape : {"blt:2", "banded:3", "scaled-blt:2"}) {
    for (BatchMethod method : {BatchMethod::jme, BatchMethod::pp_debiased}) {
      BatchConfig batch = config(method);
      batch.shape = Shape::parse(shape);
      batch.participation = Participation{.rows = 2, .separation = 20};
      expect_agreement(batch, steady);
    }
  }
}

TEST(Adam, DecaysWeightsAndBoundsUpdates) {
  AdamSettings settings = steady;
  settings.weight_decay = 0.3;
  expect_agreement(config(), settings);
  settings.update_bound = 0.2;
  expect_agreement(config(), settings);
  settings.update_norm = 0.5;
  expect_agreement(config(), settings);
}

TEST(Adam, ClampsNegativeSecondMomentsAtZero) {
  BatchConfig batch = config();
  batch.budget.sigma = 20;  // the noise on v dwarfs it
  AdamSettings settings{.learning_rate = 1, .epsilon = 1, .update_bound = 5};
  Adam adam(batch, settings, InsecureTestSeed{1});
  std::vector<float> parameters(adam_dimension, 0.0F);
  const auto g = gradients(0), s = squares(0);
  adam.step(parameters, g, s, 4);
  EXPECT_LT(*std::min_element(adam.second_moment().begin(), adam.second_moment().end()), 0);
  for (std::size_t i = 0; i < adam_dimension; ++i) {
    EXPECT_TRUE(std::isfinite(parameters[i]));
    if (adam.second_moment()[i] >= 0) continue;
    const float mhat = adam.first_moment()[i] / 0.1F;
    EXPECT_NEAR(parameters[i], -std::clamp(mhat, -5.0F, 5.0F), 1e-4F);  // eps = 1 alone below the fraction
  }
}

TEST(Adam, DebiasedSecondMomentsAreRightOnAverage) {
  // v after one step over 1 - beta2: the noisy squares. Their mean over many coordinates, with its exact
  // variance.
  const std::size_t width = 100'000;
  BatchConfig batch = config(BatchMethod::pp_debiased);
  batch.dimension = width;
  batch.budget.sigma = 1;
  const std::vector<float> g(width, 0.01F);
  for (BatchMethod method : {BatchMethod::pp_debiased, BatchMethod::pp}) {
    batch.method = method;
    Adam adam(batch, {}, InsecureTestSeed{2});
    std::vector<float> parameters(width, 0.0F);
    adam.step(parameters, g, {}, 4);
    double mean = 0;
    for (const float v : adam.second_moment())
      mean += static_cast<double>(v) / 0.001 / static_cast<double>(width);
    const double noise = adam.mechanism().calibration().std_first / 4;
    // (a + N)^2 has variance 2 noise^4 + 4 a^2 noise^2; 6.2 standard errors are 1e-9 of a normal.
    const double error = 6.2 * std::sqrt(2.1 / static_cast<double>(width)) * noise * noise;
    const double truth = std::pow(0.01 / 4, 2);
    if (method == BatchMethod::pp_debiased) {
      EXPECT_NEAR(mean, truth, error);
    } else {
      EXPECT_NEAR(mean, truth + noise * noise, error);
    }
    EXPECT_LT(error, 0.1 * noise * noise);  // so that no debiasing, or debiasing twice, is noticed
  }
}

TEST(Adam, SaysHowNoisyItsMomentsAre) {
  const std::size_t width = 50'000;
  for (const char* shape : {"identity", "blt:2"}) {
    BatchConfig batch = config();
    batch.dimension = width;
    batch.shape = Shape::parse(shape);
    Adam adam(batch, {}, InsecureTestSeed{4});
    std::vector<float> parameters(width, 0.0F);
    const std::vector<float> zero(width, 0.0F);
    for (int t = 0; t < 12; ++t) adam.step(parameters, zero, zero, 4);
    const auto root_mean_square = [&](std::span<const float> values, double correction) {
      double sum = 0;
      for (const float v : values) sum += static_cast<double>(v) * static_cast<double>(v);
      return std::sqrt(sum / static_cast<double>(width)) / correction;
    };
    const auto level = adam.noise_level();
    // Standard error of a standard deviation: 1/sqrt(2 n); 6.2 of them.
    const double slack = 6.2 / std::sqrt(2.0 * static_cast<double>(width));
    EXPECT_NEAR(root_mean_square(adam.first_moment(), 1 - std::pow(0.9, 12)) / level.first, 1, slack);
    EXPECT_NEAR(root_mean_square(adam.second_moment(), 1 - std::pow(0.999, 12)) / level.second, 1, slack);
  }
}

TEST(Adam, FreshNoiseHasTheSameLevelByItsClosedFormAndByItsWeights) {
  BatchConfig sampled = config();
  sampled.sampling_rate = 0.01;
  const Adam closed(sampled, steady, InsecureTestSeed{1});
  const Adam summed(config(), steady, InsecureTestSeed{1});
  for (const std::size_t steps : {1U, 2U, 17U, 40U}) {
    const auto a = closed.noise_level(steps), b = summed.noise_level(steps);
    const auto &x = closed.mechanism().calibration(), &y = summed.mechanism().calibration();
    EXPECT_NEAR(a.first / x.std_first / (b.first / y.std_first), 1, 1e-12);
    EXPECT_NEAR(a.second / x.std_second / (b.second / y.std_second), 1, 1e-12);
  }
  EXPECT_THROW((void)closed.noise_level(41), InvalidParameter);
}

TEST(Adam, NoiseFloorIsALeastSquareThatFollowsTheNoise) {
  AdamSettings floored = steady;
  floored.noise_floor = 2;
  Adam by_floor(config(), floored, InsecureTestSeed{3}), by_hand(config(), steady, InsecureTestSeed{3});
  Adam without(config(), steady, InsecureTestSeed{3});
  std::vector<float> a(adam_dimension, 0.1F), b = a, c = a;
  for (std::size_t t = 0; t < 5; ++t) {
    by_hand.settings().least_square = 2 * by_hand.noise_level(t + 1).second;
    by_floor.step(a, gradients(t), squares(t), 4);
    by_hand.step(b, gradients(t), squares(t), 4);
    without.step(c, gradients(t), squares(t), 4);
  }
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

TEST(Adam, SaysHowNoisyEveryLayerOfBoundedSquaresIs) {
  const std::size_t width = 100'000, split = 50'000;
  for (const bool is_sampled : {false, true}) {
    BatchConfig batch = config();
    batch.dimension = width;
    if (is_sampled) batch.sampling_rate = 0.01;
    batch.square_clip = {{.count = split, .bound = 0.2}, {.count = split, .bound = 0.002}};
    Adam adam(batch, {}, InsecureTestSeed{4});
    std::vector<float> parameters(width, 0.0F);
    const std::vector<float> zero(width, 0.0F);
    for (int t = 0; t < 12; ++t) adam.step(parameters, zero, zero, 4);
    const double level = adam.noise_level().second;
    const double slack = 6.2 / std::sqrt(2.0 * static_cast<double>(split));  // as above
    for (const std::size_t begin : {std::size_t{0}, split}) {
      double sum = 0;
      for (const float v : adam.second_moment().subspan(begin, split))
        sum += static_cast<double>(v) * static_cast<double>(v);
      const double found = std::sqrt(sum / static_cast<double>(split)) / (1 - std::pow(0.999, 12));
      EXPECT_NEAR(found / (begin == 0 ? level : 0.01 * level), 1, slack);
    }
  }
}

TEST(Adam, NoiseFloorFollowsTheNoiseOfEveryLayer) {
  AdamSettings floored = steady;
  floored.least_square = 1e-12;
  floored.noise_floor = 3;
  for (const bool by_length : {false, true}) {
    if (by_length) floored.update_norm = 1e9;  // never reached, but computed in another way
    BatchConfig batch = config();
    batch.square_clip = {{.count = 13, .bound = 0.3}, {.count = adam_dimension - 13, .bound = 0.03}};
    Adam layered(batch, floored, InsecureTestSeed{3});
    std::vector<float> a(adam_dimension, 0.1F);
    const std::vector<float> s(adam_dimension, 0.0F);
    layered.step(a, gradients(0), s, 4);
    // The same v and m with the floor of one layer everywhere.
    for (const double ratio : {1.0, 0.1}) {
      AdamSettings by_hand = floored;
      by_hand.noise_floor = 0;
      by_hand.least_square = 3 * layered.noise_level(1).second * ratio;
      Adam single(batch, by_hand, InsecureTestSeed{3});
      std::vector<float> b(adam_dimension, 0.1F);
      single.step(b, gradients(0), s, 4);
      for (std::size_t i = 0; i < adam_dimension; ++i) {
        if ((i < 13) == (ratio == 1.0)) {
          EXPECT_FLOAT_EQ(a[i], b[i]) << i;
        }
      }
    }
  }
}

TEST(Adam, RefusesSquaresThatWereNotBoundedLayerByLayer) {
  BatchConfig batch = config();
  batch.square_clip = {{.count = 13, .bound = 0.3}, {.count = adam_dimension - 13, .bound = 0.003}};
  Adam adam(batch, steady, InsecureTestSeed{1});
  std::vector<float> parameters(adam_dimension, 0.25F), s(adam_dimension, 0.0F);
  // Four examples' squares in a layer are at most 4 c zeta long; 1e-6 of room, and the error of sums.
  for (const auto& [place, bound] : {std::pair<std::size_t, float>{2, 0.3F}, {20, 0.003F}}) {
    std::fill(s.begin(), s.end(), 0.0F);
    s[place] = 4.01F * bound;
    EXPECT_THROW(adam.step(parameters, gradients(0), s, 4), DataError) << place;
    EXPECT_EQ(adam.steps_done(), 0U);
  }
  s[2] = 0;
  s[20] = 3.99F * 0.003F;
  adam.step(parameters, gradients(0), s, 4);
  EXPECT_EQ(adam.steps_done(), 1U);
}

TEST(Adam, GoesOnFromASavedStateInEveryNumber) {
  for (const char* shape : {"identity", "blt:2"}) {
    BatchConfig batch = config();
    batch.shape = Shape::parse(shape);
    Adam whole(batch, steady, InsecureTestSeed{9}), resumed(batch, steady, InsecureTestSeed{9});
    std::vector<float> a(adam_dimension, 0.1F);
    for (std::size_t t = 0; t < 6; ++t) whole.step(a, gradients(t), squares(t), 4);
    std::vector<float> b = a;
    resumed.restore(whole.state());
    for (std::size_t t = 6; t < 9; ++t) {
      whole.step(a, gradients(t), squares(t), 4);
      resumed.step(b, gradients(t), squares(t), 4);
    }
    EXPECT_EQ(a, b);
    EXPECT_EQ(resumed.steps_done(), 9U);
  }
  AdamState broken = Adam(config(), steady, InsecureTestSeed{9}).state();
  broken.second.pop_back();
  Adam adam(config(), steady, InsecureTestSeed{9});
  EXPECT_THROW(adam.restore(broken), StateError);
}

TEST(Adam, ThreadsNeverChangeANumber) {
  const std::size_t width = 60'011;
  std::vector<float> g(width), results[2];
  for (std::size_t i = 0; i < width; ++i) g[i] = 1e-3F * std::sin(static_cast<float>(i));
  for (const unsigned threads : {1U, 4U}) {
    BatchConfig batch = config();
    batch.dimension = width;
    batch.threads = threads;
    AdamSettings settings = steady;
    settings.update_norm = 1;
    Adam adam(batch, settings, InsecureTestSeed{5});
    std::vector<float>& parameters = results[threads == 1 ? 0 : 1];
    parameters.assign(width, 0.0F);
    for (int t = 0; t < 3; ++t) adam.step(parameters, g, g, 4);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(Adam, RefusesSumsThatWereNotClippedBeforeAnyNoiseIsDrawn) {
  Adam adam(config(), steady, InsecureTestSeed{1});
  std::vector<float> parameters(adam_dimension, 0.25F), good = gradients(0), s = squares(0);
  const auto refused = [&](const std::vector<float>& g, const std::vector<float>& q, std::size_t examples) {
    EXPECT_THROW(adam.step(parameters, g, q, examples), DataError);
    EXPECT_EQ(adam.steps_done(), 0U);
    EXPECT_EQ(parameters, std::vector<float>(adam_dimension, 0.25F));
  };
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), 5.0F}) {
    std::vector<float> g = good, q = s;
    g[adam_dimension - 1] = bad;
    refused(g, s, 4);
    q[3] = bad;
    refused(good, q, 4);
  }
  refused(good, s, 1);  // longer than one example allows
  refused(good, s, 5);  // a batch has four
  refused({1.0F}, s, 4);
  refused(good, {}, 4);
  adam.step(parameters, good, s, 4);
  EXPECT_EQ(adam.steps_done(), 1U);
}

TEST(Adam, EndsAfterItsSteps) {
  BatchConfig batch = config();
  batch.steps = 1;
  Adam adam(batch, steady, InsecureTestSeed{1});
  std::vector<float> parameters(adam_dimension);
  adam.step(parameters, gradients(0), squares(0), 4);
  const std::vector<float> before = parameters;
  EXPECT_THROW(adam.step(parameters, gradients(0), squares(0), 4), BudgetExhausted);
  EXPECT_EQ(parameters, before);
}

TEST(Adam, NamesASettingThatIsWrong) {
  const auto complaint = [](const AdamSettings& settings) -> std::string {
    try {
      const Adam adam(config(), settings, InsecureTestSeed{1});
    } catch (const InvalidParameter& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(complaint({.learning_rate = -1}), HasSubstr("learning-rate = -1"));
  EXPECT_THAT(complaint({.beta_first = 1}), HasSubstr("beta1 = 1"));
  EXPECT_THAT(complaint({.beta_second = 0}), HasSubstr("beta2 = 0"));
  EXPECT_THAT(complaint({.epsilon = 0}), HasSubstr("eps = 0"));
  EXPECT_THAT(complaint({.weight_decay = std::nan("")}), HasSubstr("weight-decay"));
  EXPECT_THAT(complaint({.update_bound = 0}), HasSubstr("update-bound"));
  EXPECT_THAT(complaint({.update_norm = -1}), HasSubstr("update-norm"));
}

// A factor below the normal floats would be rounded by more than the margin allows for.
TEST(ClipFactor, IsNothingWhereFloatsWouldLoseDigits) {
  EXPECT_EQ(clip_factor(1e41, 1e-3), 0);
  EXPECT_GE(clip_factor(1e36, 1), 0x1p-126);
  for (double norm = 1e30; norm < 1e43; norm *= 1.01)
    EXPECT_LE(static_cast<double>(static_cast<float>(clip_factor(norm, 1))) * norm, 1 - 0x1p-23);
}

TEST(ClipFactor, KeepsFloatProductsWithinTheBound) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<float> g(50);
    double square = 0, fourth = 0;
    const float scale = std::exp(2 * normal(engine));
    for (float& x : g) {
      x = scale * normal(engine);
      square += static_cast<double>(x) * x;
      fourth += std::pow(static_cast<double>(x), 4);
    }
    const auto factor = static_cast<float>(clip_factor(std::sqrt(square), 0.7));
    const auto joint = static_cast<float>(joint_clip_factor(square, fourth, 0.3, 0.7));
    double length = 0, joint_length = 0;
    for (const float x : g) {
      length += std::pow(static_cast<double>(factor * x), 2);
      joint_length += std::pow(static_cast<double>(joint * x), 2) +
                      0.3 * std::pow(static_cast<double>(joint * (x * x)), 2);
    }
    EXPECT_LE(std::sqrt(length), 0.7);
    EXPECT_LE(std::sqrt(joint_length), 0.7);
    if (std::sqrt(square) > 0.8) {
      EXPECT_GT(std::sqrt(length), 0.7 * (1 - 1e-6));
    }
  }
  EXPECT_EQ(clip_factor(0.5, 1), 1);
  EXPECT_EQ(clip_factor(0, 1), 1);
  EXPECT_EQ(clip_factor(std::nan(""), 1), 0);
  EXPECT_EQ(clip_factor(std::numeric_limits<double>::infinity(), 1), 0);
}

}  // namespace
}  // namespace jme
