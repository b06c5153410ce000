#pragma once

#include <string>

#include "measure.hpp"

namespace jme::bench {

struct Options {
  Effort effort;
  bool quick;
  std::string scratch;  ///< folder for files that a section writes; whoever named it removes it
};

// One section each: raw measurements without any judgement.
[[nodiscard]] Json sampler_section(const Options& options);
[[nodiscard]] Json wide_section(const Options& options);       ///< d = 1000, one release per row
[[nodiscard]] Json middle_section(const Options& options);     ///< d = 100, n = 1000
[[nodiscard]] Json long_section(const Options& options);       ///< d = 10, cost against t
[[nodiscard]] Json dimension_section(const Options& options);  ///< cost against d
[[nodiscard]] Json block_section(const Options& options);      ///< d = 1000, a release every 1000 rows
[[nodiscard]] Json bulk_section(const Options& options);       ///< d = 10, many rows at a time
[[nodiscard]] Json wide_memory_section(const Options& options);
[[nodiscard]] Json long_memory_section(const Options& options);
[[nodiscard]] Json ingest_section(const Options& options);
[[nodiscard]] Json reading_section(const Options& options);    ///< a large CSV file: its bytes, its rows
[[nodiscard]] Json people_section(const Options& options);     ///< a limit of rows per person, 1e7 people
[[nodiscard]] Json shape_section(const Options& options);      ///< errors over the proven optimum
[[nodiscard]] Json start_section(const Options& options);      ///< before the first row: stream and plan
[[nodiscard]] Json unbounded_section(const Options& options);  ///< what not knowing the horizon costs

}  // namespace jme::bench
