#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

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

/// One release with all that can be computed from it.
class OneRelease {
 public:
  OneRelease(std::shared_ptr<const ReleaseReading> reading, Release release)
      : reading_(std::move(reading)), release_(std::move(release)) {}
  [[nodiscard]] const ReleaseReading& reading() const { return *reading_; }
  [[nodiscard]] const Release& release() const { return release_; }
  [[nodiscard]] RunningMoments moments() const { return {release_, reading_->units, reading_->bias}; }

 private:
  std::shared_ptr<const ReleaseReading> reading_;
  Release release_;
};

/// Releases in one piece of memory, or every `step`th of them from `begin` on.
class ManyReleases {
 public:
  ManyReleases(std::shared_ptr<const ReleaseReading> reading, std::shared_ptr<const Releases> all)
      : reading_(std::move(reading)), all_(std::move(all)), count_(all_->size()) {}
  [[nodiscard]] ManyReleases part(std::size_t begin, std::ptrdiff_t step, std::size_t count) const;

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] const ReleaseReading& reading() const { return *reading_; }
  [[nodiscard]] Release at(std::size_t i) const { return (*all_)[place(i)]; }
  [[nodiscard]] OneRelease item(std::size_t i) const { return {reading_, at(i)}; }
  [[nodiscard]] std::size_t rows(std::size_t i) const { return all_->rows(place(i)); }
  [[nodiscard]] std::size_t steps(std::size_t i) const { return all_->steps(place(i)); }
  [[nodiscard]] std::span<const double> packed(std::size_t i) const { return all_->packed(place(i)); }

 private:
  [[nodiscard]] std::size_t place(std::size_t i) const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(begin_) +
                                    static_cast<std::ptrdiff_t>(i) * step_);
  }
  std::shared_ptr<const ReleaseReading> reading_;
  std::shared_ptr<const Releases> all_;
  std::size_t begin_ = 0, count_;
  std::ptrdiff_t step_ = 1;
};

void bind_releases(nanobind::module_& m);
void bind_models(nanobind::class_<OneRelease>& release, nanobind::module_& m);

}  // namespace jme::python
