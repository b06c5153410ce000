// Adding a double-precision Gaussian to a double reveals the input through the output's last digits: 0 + z
// with a small z has bits below 2^-53, 1 + z never has. The same attack on a naive mechanism and on a million
// outputs of jme.
#include <cmath>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command.hpp"

namespace jme::test {
namespace {

constexpr std::size_t outputs = 500'000;  // per side

bool is_off_grid(double value, int bits) {
  const double scaled = std::ldexp(value, bits);
  return scaled != std::floor(scaled);
}

TEST(GridAttack, TellsZeroFromOneOnTheNaiveMechanismWithSevenPercent) {
  std::mt19937_64 bits(1);
  std::normal_distribution<double> noise(0, 3.73);  // (1, 1e-5) at sensitivity 1
  std::size_t off_zero = 0, off_one = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    off_zero += is_off_grid(0.0 + noise(bits), 53) ? 1 : 0;
    off_one += is_off_grid(1.0 + noise(bits), 53) ? 1 : 0;
  }
  // If the event is seen once, it proves that the input was not 1.
  EXPECT_EQ(off_one, 0U);
  EXPECT_NEAR(static_cast<double>(off_zero) / outputs, 0.07, 0.02);
}

using GridAttackOnJme = InDirectory;

// One column, one independent release per row: x_t + noise_t.
std::vector<double> released(const std::string& rows, const std::string& out) {
  const auto result = jme({"run",        rows,           "--epsilon", "1",        "--delta",
                           "1e-5",       "--norm-bound", "1",         "--rows",   std::to_string(outputs),
                           "--workload", "window:1",     "--shape",   "identity", "--second",
                           "none",       "--emit",       "first",     "--output", out});
  EXPECT_EQ(result.code, 0) << result.err;
  std::vector<double> values;
  std::ifstream file(out);
  std::string line;
  std::getline(file, line);  // metadata
  const std::string key = "\"first\":[";
  while (std::getline(file, line)) values.push_back(std::stod(line.substr(line.find(key) + key.size())));
  return values;
}

// Chi-square over the sixteen residues of the lattice number: 15 degrees of freedom.
double residue_statistic(const std::vector<double>& values) {
  std::vector<double> counts(16, 0.0);
  for (const double value : values) {
    const double units = std::ldexp(value, 20);
    counts[static_cast<std::size_t>(units - 16 * std::floor(units / 16))] += 1;
  }
  const double expected = static_cast<double>(values.size()) / 16;
  double statistic = 0;
  for (const double count : counts) statistic += (count - expected) * (count - expected) / expected;
  return statistic;
}

TEST_F(GridAttackOnJme, FindsNothingInAMillionOutputs) {
  for (const std::string x : {"0", "1"}) {
    std::string rows = "x\n";
    for (std::size_t i = 0; i < outputs; ++i) rows += x + '\n';
    const std::vector<double> values = released(file("rows.csv", rows), path("out.ndjson"));
    ASSERT_EQ(values.size(), outputs);
    std::size_t off = 0;
    for (const double value : values) off += is_off_grid(value, 20) ? 1 : 0;
    EXPECT_EQ(off, 0U) << "an output off the public lattice of 2^-20, x = " << x;
    // The digits on the lattice reveal nothing either: noise of millions of units makes residues uniform.
    // P(chi-square with 15 degrees of freedom > 75) = 7e-10.
    EXPECT_LT(residue_statistic(values), 75) << "x = " << x;
  }
}

}  // namespace
}  // namespace jme::test
