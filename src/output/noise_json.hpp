#pragma once

#include <nlohmann/json.hpp>

#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// Adds the standard deviations of the noise on one entry of one step; null where there is no such entry.
inline void add_noise(nlohmann::ordered_json& object, const Calibration& noise) {
  const auto add = [&](const char* key, double value) {
    object[key] = value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  add("std_first", noise.std_first);
  add("std_diagonal", noise.std_diagonal());
  add("std_offdiagonal", noise.std_off_diagonal);
  add("std_count", noise.std_count);
  add("std_pair_count", noise.std_pair_count);
  add("std_rows", noise.std_rows);
  add("std_trace", noise.std_trace);
}

}  // namespace jme
