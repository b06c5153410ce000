#include <jme/base/errors.hpp>
#include <jme/pipeline/clock_config.hpp>
#include <jme/pipeline/configure.hpp>

namespace jme {

OnBadRow on_bad_row_of(const RunSettings& settings) {
  if (const auto& given = settings["on_bad_row"]) return parse_on_bad_row(*given);
  const auto& missing = settings["missing"];
  const bool counts_are_private = settings.is_on("private_count") || settings["person"] ||
                                  has_clock(settings) ||
                                  (missing && MissingRules::parse(*missing).leaves_absent());
  return counts_are_private ? OnBadRow::zero : OnBadRow::fail;
}

OnBadRow parse_on_bad_row(std::string_view text) {
  if (text == "fail") return OnBadRow::fail;
  if (text == "zero") return OnBadRow::zero;
  throw InvalidParameter("on-bad-row", text, "fail or zero");
}

}  // namespace jme
