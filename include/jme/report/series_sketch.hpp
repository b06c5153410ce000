#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <jme/report/line_chart.hpp>

namespace jme::report {

/// A series of any length in bounded memory: it keeps all that a chart of the series can show. Up to `most`
/// values are kept as they are; beyond that, neighbours share a bucket that keeps its first, last, highest
/// and lowest value and the hull of its intervals.
class SeriesSketch {
 public:
  explicit SeriesSketch(std::size_t most = 2048);

  /// Adds the next value, with the interval value +- half_width; where one of them is not finite there is a
  /// gap. `x` must grow.
  void add(double x, double value, double half_width) {
    add(x, value, value - half_width, value + half_width);
  }
  /// The same with any interval around it.
  void add(double x, double value, double low, double high);

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool is_thinned() const { return bucket_size_ > 1; }
  /// What was kept, in order; values that are NaN stand for gaps between others.
  [[nodiscard]] Series series() const;

 private:
  struct Value {
    double x, y;
  };
  struct Bucket {
    Value first, low, high, last;
    double interval_low, interval_high;
    bool after_gap = false;  // where buckets are merged a gap moves to the beginning of the bucket
    void merge(const Bucket& next);
  };
  void halve();
  std::size_t most_;
  std::size_t count_ = 0;
  std::size_t bucket_size_ = 1;
  bool in_gap_ = false;
  std::vector<Bucket> buckets_;
};

}  // namespace jme::report
