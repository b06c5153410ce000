#include "data/foreign_format.hpp"

#include <array>

#include <fmt/format.h>

namespace jme::data {
namespace {

using namespace std::string_view_literals;

struct Mark {
  std::string_view bytes;
  ForeignFormat format;
};

// Each has a byte that text in UTF-8 does not have. UTF-32 begins like UTF-16 and comes before it.
constexpr std::array marks{
    Mark{"PAR1\x15"sv,
         {"a Parquet file",
          "make it CSV with duckdb -csv -c \"FROM 'FILE'\" | jme run -, or give it to Python's jme.Stream "
          "as a table of pandas, polars or pyarrow"}},
    Mark{"ARROW1\0\0"sv, {"an Arrow file", "give it to Python's jme.Stream as a table of pyarrow"}},
    Mark{"PK\x03\x04"sv,
         {"a zip archive, as Excel workbooks (.xlsx) are",
          "save the sheet as CSV UTF-8, or unpack the archive"}},
    Mark{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv,
         {"an Excel workbook (.xls) or another Office document", "save the sheet as CSV UTF-8"}},
    Mark{"SQLite format 3\0"sv,
         {"a SQLite database", "make it CSV with sqlite3 -header -csv FILE 'SELECT ...' | jme run -"}},
    Mark{"\xff\xfe\0\0"sv, {"text in UTF-32", "convert it with iconv -f UTF-32 -t UTF-8 FILE | jme run -"}},
    Mark{"\0\0\xfe\xff"sv, {"text in UTF-32", "convert it with iconv -f UTF-32 -t UTF-8 FILE | jme run -"}},
    Mark{"\xff\xfe"sv, {"text in UTF-16", "convert it with iconv -f UTF-16 -t UTF-8 FILE | jme run -"}},
    Mark{"\xfe\xff"sv, {"text in UTF-16", "convert it with iconv -f UTF-16 -t UTF-8 FILE | jme run -"}},
    Mark{"\x28\xb5\x2f\xfd"sv, {"zstd data", "unpack it with zstd -dc FILE | jme run -"}},
};

}  // namespace

const ForeignFormat* foreign_format(std::string_view beginning) {
  for (const Mark& mark : marks) {
    if (beginning.starts_with(mark.bytes)) return &mark.format;
  }
  return nullptr;
}

std::string explain(const ForeignFormat& format) {
  return fmt::format("the input is {}, not text in UTF-8: {}", format.name, format.remedy);
}

}  // namespace jme::data
