"""Writes _keywords.pyi, the keywords of a run for type checkers, beside the extension module that knows them.

Usage: write_keywords.py FOLDER; the build calls it.
"""

import keyword
import pathlib
import sys

TYPES = {
    "real": "float | str",
    "count": "int | str",
    "text": "str | os.PathLike[str] | npt.ArrayLike",
    "list": "str | Sequence[str]",
    "ranges": "str | Mapping[str, tuple[float, float] | list[float]] | Sequence[tuple[float, float] | list[float]]",
    "flag": "bool",
}


def type_of(kind: str, rule: str) -> str:
    if "a length of time such as" in rule:
        return f"{TYPES[kind]} | datetime.timedelta | np.timedelta64"
    return f"{TYPES[kind]} | datetime.date" if rule.startswith("a time in ISO 8601") else TYPES[kind]


folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
import _core  # noqa: E402

lines = [
    "# Made by write_keywords.py from the engine's table of settings.",
    "import datetime",
    "import os",
    "from collections.abc import Mapping, Sequence",
    "from typing import TypedDict",
    "",
    "import numpy as np",
    "import numpy.typing as npt",
    "",
    "class Settings(TypedDict, total=False):",
]
for name, kind, _, rule, _, text in _core.fields():
    lines += [f"    # {text}", f"    {name + '_' if keyword.iskeyword(name) else name}: {type_of(kind, rule)} | None"]
(folder / "_keywords.pyi").write_text("\n".join(lines) + "\n")
