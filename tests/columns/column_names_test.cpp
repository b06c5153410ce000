#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/columns/column_names.hpp>

namespace jme {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ColumnNames, OfEveryLanguageAreTaken) {
  for (const char* name : {"temp", "CO (mg/m³)", "température", "温度", "درجة الحرارة", "טמפרטורה", "π",
                           "a b", "😀", "\xff not UTF-8", ""}) {
    EXPECT_EQ(misleading_character(name), 0U) << name;
  }
}

TEST(ColumnNames, WithInvisibleOrTurningCharactersAreRefusedAndNotShown) {
  const std::vector<std::pair<std::string, std::string>> misleading{
      {"a\nb", "U+000A"},           {"a\x1b[31m", "U+001B"},
      {"a\x7f", "U+007F"},          {"a\xc2\x9b", "U+009B"},
      {"\xd8\x9c", "U+061C"},       {"\xe2\x80\x8fx", "U+200F"},
      {"a\xe2\x80\xa8", "U+2028"},  {"\xe2\x80\xaepmet", "U+202E"},
      {"x\xe2\x81\xa6y", "U+2066"}, {std::string("a\0b", 3), "U+FFFD"}};
  for (const auto& [name, code] : misleading) {
    try {
      check_column_names(std::vector<std::string>{"ok", name}, "columns");
      ADD_FAILURE() << code << " was taken";
    } catch (const InvalidParameter& error) {
      EXPECT_EQ(error.field(), "columns");
      EXPECT_THAT(error.what(), HasSubstr("column 2 has the character " + code));
      EXPECT_THAT(error.what(), Not(HasSubstr(name)));
    }
  }
}

}  // namespace
}  // namespace jme
