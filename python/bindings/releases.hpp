#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include <jme/models/divisors.hpp>
#include <jme/models/running_moments.hpp>
#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>
#include <jme/moments/releases.hpp>
#include <jme/output/emit.hpp>

namespace jme::python {

/// What is needed to read the releases of one stream; public, like them.
struct ReleaseReading {
  ReleaseLayout layout;
  Units units;
  Bias bias = Bias::removed;
  bool psd = false;
  std::vector<std::string> columns;

  [[nodiscard]] EmitOptions emit() const { return {.values = {}, .bias = bias, .psd = psd}; }
};

/// Releases in one piece of memory. Where counts are private: which of them were known at each release, since
/// that depends on the releases before.
struct KeptReleases {
  explicit KeptReleases(const ReleaseLayout& layout) : items(layout) {}
  Releases items;
  std::vector<KnownCounts> known{};  ///< empty where counts are public

  void append(const Release& release, CountTracker& counts);
  [[nodiscard]] Divisors divisors(std::size_t i, const Release& release) const;
};

/// One release with all that can be computed from it.
class OneRelease {
 public:
  OneRelease(std::shared_ptr<const ReleaseReading> reading, Release release, Divisors divisors)
      : reading_(std::move(reading)), release_(std::move(release)), divisors_(std::move(divisors)) {}
  [[nodiscard]] const ReleaseReading& reading() const { return *reading_; }
  [[nodiscard]] const Release& release() const { return release_; }
  [[nodiscard]] const Divisors& divisors() const { return divisors_; }
  [[nodiscard]] RunningMoments moments() const {
    return {release_, reading_->units, reading_->bias, divisors_};
  }

 private:
  std::shared_ptr<const ReleaseReading> reading_;
  Release release_;
  Divisors divisors_;
};

/// Releases, or every `step`th of them from `begin` on.
class ManyReleases {
 public:
  ManyReleases(std::shared_ptr<const ReleaseReading> reading, std::shared_ptr<const KeptReleases> all)
      : reading_(std::move(reading)), all_(std::move(all)), count_(all_->items.size()) {}
  /// Release::without_zero_rows of each.
  [[nodiscard]] ManyReleases without_zero_rows(std::size_t count) const;
  [[nodiscard]] ManyReleases part(std::size_t begin, std::ptrdiff_t step, std::size_t count) const;

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] const ReleaseReading& reading() const { return *reading_; }
  [[nodiscard]] OneRelease item(std::size_t i) const;
  [[nodiscard]] std::size_t rows(std::size_t i) const { return all_->items.rows(place(i)); }
  [[nodiscard]] std::size_t steps(std::size_t i) const { return all_->items.steps(place(i)); }
  [[nodiscard]] std::span<const double> packed(std::size_t i) const { return all_->items.packed(place(i)); }
  [[nodiscard]] const KnownCounts* known(std::size_t i) const {
    return all_->known.empty() ? nullptr : &all_->known[place(i)];
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t i) const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(begin_) +
                                    static_cast<std::ptrdiff_t>(i) * step_);
  }
  std::shared_ptr<const ReleaseReading> reading_;
  std::shared_ptr<const KeptReleases> all_;
  std::size_t begin_ = 0, count_;
  std::ptrdiff_t step_ = 1;
};

void bind_releases(nanobind::module_& m);
void bind_models(nanobind::class_<OneRelease>& release, nanobind::module_& m);

}  // namespace jme::python
