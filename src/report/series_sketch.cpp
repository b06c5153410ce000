#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/report/series_sketch.hpp>

namespace jme::report {

SeriesSketch::SeriesSketch(std::size_t most) : most_(most) {
  if (most < 2) throw InvalidParameter("most", static_cast<double>(most), "at least 2");
}

void SeriesSketch::Bucket::merge(const Bucket& next) {
  if (next.low.y < low.y) low = next.low;
  if (next.high.y > high.y) high = next.high;
  last = next.last;
  interval_low = std::min(interval_low, next.interval_low);
  interval_high = std::max(interval_high, next.interval_high);
  after_gap = after_gap || next.after_gap;
}

void SeriesSketch::add(double x, double value, double low, double high) {
  if (!std::isfinite(value) || !std::isfinite(low) || !std::isfinite(high)) {
    in_gap_ = count_ > 0;
    return;
  }
  // After a gap a new bucket begins, as if the one before were full.
  if (in_gap_) count_ += (bucket_size_ - count_ % bucket_size_) % bucket_size_;
  const Value point{.x = x, .y = value};
  const Bucket single{.first = point,
                      .low = point,
                      .high = point,
                      .last = point,
                      .interval_low = low,
                      .interval_high = high,
                      .after_gap = std::exchange(in_gap_, false)};
  if (count_ % bucket_size_ == 0) {
    if (buckets_.size() == most_) halve();
    // Halving may have made room in the last bucket.
    if (count_ % bucket_size_ == 0) {
      buckets_.push_back(single);
    } else {
      buckets_.back().merge(single);
    }
  } else {
    buckets_.back().merge(single);
  }
  ++count_;
}

void SeriesSketch::halve() {
  std::vector<Bucket> halved;
  for (std::size_t i = 0; i < buckets_.size(); i += 2) {
    halved.push_back(buckets_[i]);
    if (i + 1 < buckets_.size()) halved.back().merge(buckets_[i + 1]);
  }
  buckets_ = std::move(halved);
  bucket_size_ *= 2;
}

Series SeriesSketch::series() const {
  Series result;
  for (const Bucket& bucket : buckets_) {
    const bool low_first = bucket.low.x <= bucket.high.x;
    const Value& earlier = low_first ? bucket.low : bucket.high;
    const Value& later = low_first ? bucket.high : bucket.low;
    if (bucket.after_gap && !result.x.empty()) {
      result.x.push_back(bucket.first.x);
      for (std::vector<double>* values : {&result.y, &result.low, &result.high}) values->push_back(NAN);
    }
    for (const Value* value : {&bucket.first, &earlier, &later, &bucket.last}) {
      if (value != &bucket.first && value->x == result.x.back()) continue;
      result.x.push_back(value->x);
      result.y.push_back(value->y);
      result.low.push_back(bucket.interval_low);
      result.high.push_back(bucket.interval_high);
    }
  }
  return result;
}

}  // namespace jme::report
