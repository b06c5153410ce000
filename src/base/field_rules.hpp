#pragma once

namespace jme::field_rules {

// Rules of fields (Field::rule) that several of them have.
inline constexpr const char* above_0 = "a finite number above 0";
inline constexpr const char* words = "text";

}  // namespace jme::field_rules
