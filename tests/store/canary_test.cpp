// What must never be on disk: a row, a block's sum, the noise (docs/theory/safety.md#what-is-on-disk).
#include <algorithm>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include <jme/moments/moment_stream.hpp>

#include "canaries.hpp"
#include "store/state_folder.hpp"

namespace jme {
namespace {

using test::Canaries;
using test::Row;
using test::sample_rows;
namespace fs = std::filesystem;

class Canary : public test::StateFolder {
 protected:
  [[nodiscard]] std::size_t found(const Canaries& canaries) const {
    return canaries.found_in_files(path("state"));
  }
};

TEST_F(Canary, NeitherRowsNorSumsNorNoiseAreOnDisk) {
  constexpr std::size_t every = 5, d = 3;
  for (const char* shape : {"banded:4", "blt:3", "scaled-blt:3", "identity", "window"}) {
    SCOPED_TRACE(shape);
    const bool is_window = std::string(shape) == "window";
    const Mechanism mechanism(StreamConfig{.budget = {.epsilon = 1, .delta = 1e-6},
                                           .rows = 60,
                                           .every = every,
                                           .dimension = d,
                                           .norm_bound = 1.0,
                                           .workload = is_window ? window(4 * every) : prefix(),
                                           .shape = Shape::parse(is_window ? "auto" : shape)});
    const std::vector<Row> rows = sample_rows(58, d);  // ends inside a block
    const double unit = mechanism.lattice().first;
    DurableOptions with = seeded();
    with.stream = shape;
    DurableStream stream(mechanism, with);
    MomentStream twin(mechanism, InsecureTestSeed{11});
    Canaries raw, noise, published;
    // What a stream of nothing but zeros keeps, settings and the file's own bytes, is not from these rows.
    DurableOptions without = seeded("zeros");
    without.stream = shape;
    DurableStream zeros(mechanism, without);
    for (std::size_t t = 0; t < rows.size(); ++t) zeros.push(Row(d, 0.0));
    raw.leave_out_files(path("zeros"));
    std::vector<double> sum(d), squares(d * d);
    for (std::size_t t = 0; t < rows.size(); ++t) {
      stream.push(rows[t]);
      if (t % every == 0) {
        std::fill(sum.begin(), sum.end(), 0.0);
        std::fill(squares.begin(), squares.end(), 0.0);
      }
      Row snapped(d);
      for (std::size_t i = 0; i < d; ++i) snapped[i] = std::floor(rows[t][i] / unit + 0.5);
      for (std::size_t i = 0; i < d; ++i) {
        raw.add(rows[t][i]);
        raw.add(snapped[i]);
        raw.add(snapped[i] * unit);
        sum[i] += snapped[i];
        raw.add(sum[i]);
        raw.add(sum[i] * unit);
        for (std::size_t j = 0; j < d; ++j) {
          squares[i * d + j] += snapped[i] * snapped[j];
          raw.add(snapped[i] * snapped[j]);
          raw.add(squares[i * d + j]);
          raw.add(squares[i * d + j] * unit * unit);
          raw.add(std::floor(squares[i * d + j] * 0x1p-20 + 0.5));
        }
      }
      double trace = 0;
      for (std::size_t i = 0; i < d; ++i) trace += squares[i * d + i];
      raw.add(trace);
      raw.add(trace * unit * unit);
      raw.add(std::floor(trace * 0x1p-20 + 0.5));
      if (const Release& release = twin.push(rows[t]); release.is_new()) {
        const StreamState state = twin.state();
        noise.add_all(state.secret);
        for (const KeptNoise& kept : state.kept) {
          for (const double value : kept.first) noise.add(value);
          for (const double value : kept.second) noise.add(value);
        }
        for (const double value : release.first()) published.add(value);
        // Only every commit's file matters; a later one may have overwritten it.
        EXPECT_EQ(found(raw), 0U) << t;
        EXPECT_EQ(found(noise), 0U) << t;
      }
    }
    EXPECT_EQ(found(raw), 0U);
    EXPECT_GT(raw.size(), 1000U);
    // The search finds what is there: releases, which are public.
    EXPECT_GE(found(published), published.size());
    if (std::string(shape) != "identity") {
      EXPECT_GT(noise.size(), 50U);
    }
  }
}

TEST_F(Canary, TheSearchFindsWhatIsHidden) {
  Canaries canaries;
  canaries.add(0.1234567890123);
  fs::create_directories(path("state"));
  std::string bytes(1001, 'x');
  const double value = 0.1234567890123;
  std::memcpy(bytes.data() + 333, &value, 8);
  overwrite(path("state") / "file", bytes);
  EXPECT_EQ(found(canaries), 1U);
}

}  // namespace
}  // namespace jme
