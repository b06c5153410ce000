#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/run_fields.hpp>

#include "stream_flags.hpp"

namespace jme::cli {

void HorizonFlags::attach(CLI::App& app) {
  const auto add = [&](const std::string& name, Text& target) {
    const RunField& field = *find_run_field(name);
    add_text(app, "--" + name, target, field.value, field.help)->group(field.group);
  };
  add("rows", rows);
  add("steps", steps);
  add("every", every);
}

bool HorizonFlags::is_unbounded() const {
  return (rows && *rows == "unbounded") || (steps && *steps == "unbounded");
}

Horizon HorizonFlags::horizon() const {
  const std::size_t block = every ? parse_count("every", *every) : 1;
  if (rows && steps) throw InvalidParameter("rows", "give either rows or steps, not both");
  if (is_unbounded()) return Horizon::unbounded(block);
  if (rows) return Horizon(parse_count("rows", *rows), block);
  if (!steps) {
    throw InvalidParameter(
        "rows",
        "must be given (or steps): it is the horizon, the most rows this stream will ever have; the "
        "noise is prepared for exactly that many, so it must be chosen in public before the first "
        "row and cannot be counted from the data; choose generously, fewer rows may come; or unbounded, "
        "for prefix, mean and decay");
  }
  const std::size_t releases = parse_count("steps", *steps);
  std::size_t total = 0;
  if (__builtin_mul_overflow(releases, block, &total) || total > (std::size_t{1} << 53)) {
    throw InvalidParameter("steps", *steps, "at most 2^53 rows when multiplied by every");
  }
  return Horizon(total, block);
}

}  // namespace jme::cli
