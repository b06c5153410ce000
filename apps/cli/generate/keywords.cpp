// The keywords of a run for type checkers.
#include <jme/pipeline/run_fields.hpp>

#include "generated.hpp"
#include "words.hpp"

namespace jme::cli::generate {

namespace {

std::string type_of(const Field& field) {
  const std::string further = field.takes == Field::Takes::length_of_time
                                  ? " | datetime.timedelta | np.timedelta64"
                              : field.takes == Field::Takes::date ? " | float | datetime.date | np.datetime64"
                              : field.takes == Field::Takes::column ? " | int"
                                                                    : "";
  const bool is_matrix = field.name.starts_with("workload") || field.name.starts_with("shape");
  switch (field.type) {
    case Field::Type::real:
      return "float | str" + further;
    case Field::Type::count:
      return "int | str" + further;
    case Field::Type::list:
      return "str | Sequence[str]";
    case Field::Type::ranges:
      return "str | Mapping[str, Range] | Sequence[Range]";
    case Field::Type::flag:
      return "bool";
    case Field::Type::text:
      break;
  }
  return std::string("str | os.PathLike[str]") + (is_matrix ? " | npt.ArrayLike" : further);
}

}  // namespace

std::string python_keywords() {
  std::string text =
      "# Made by scripts/generate from the table of settings.\n"
      "import datetime\n"
      "import os\n"
      "from collections.abc import Mapping, Sequence\n"
      "from typing import TypedDict\n"
      "\n"
      "import numpy as np\n"
      "import numpy.typing as npt\n"
      "\n"
      "Range = tuple[float, float] | list[float]\n"
      "\n"
      "class Settings(TypedDict, total=False):\n";
  for (const RunField& field : run_fields()) {
    const bool is_word_of_python = field.name == "lambda" || field.name == "from";
    text += "    # ";
    for (const char c : wrapped(field.help, 110)) text += c == '\n' ? "\n    # " : std::string(1, c);
    text += '\n';
    text += "    " + field.name + (is_word_of_python ? "_: " : ": ") + type_of(field) + " | None\n";
  }
  return text;
}

}  // namespace jme::cli::generate
