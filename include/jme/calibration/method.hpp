#pragma once

#include <string_view>

namespace jme {

/// The paper's methods. All methods except PP are calibrations (std1, std2) of one engine.
enum class Method { jme, lambda_jme, ime, cs, pp, pp_debiased };

[[nodiscard]] Method parse_method(std::string_view text);
[[nodiscard]] std::string_view name(Method method);
/// PP squares its noisy rows instead of adding noise to the squares.
[[nodiscard]] constexpr bool squares_noisy_rows(Method method) {
  return method == Method::pp || method == Method::pp_debiased;
}

}  // namespace jme
