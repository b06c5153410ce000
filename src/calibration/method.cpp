#include <array>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/calibration/method.hpp>

namespace jme {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 6> names{{{Method::jme, "jme"},
                                                                    {Method::lambda_jme, "lambda-jme"},
                                                                    {Method::ime, "ime"},
                                                                    {Method::cs, "cs"},
                                                                    {Method::pp, "pp"},
                                                                    {Method::pp_debiased, "pp-debiased"}}};

}  // namespace

Method parse_method(std::string_view text) {
  for (const auto& [method, spelling] : names) {
    if (spelling == text) return method;
  }
  throw InvalidParameter("method", text, "jme, lambda-jme, ime, cs, pp or pp-debiased");
}

std::string_view name(Method method) {
  for (const auto& [known, spelling] : names) {
    if (known == method) return spelling;
  }
  throw InvalidParameter("method", "must be jme, lambda-jme, ime, cs, pp or pp-debiased");
}

}  // namespace jme
