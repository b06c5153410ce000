"""Keywords of a run. They come from the engine's own table of settings, so that a new setting is a new keyword."""

from __future__ import annotations

import datetime
import inspect
import json
import math
import numbers
import os
from collections.abc import Callable, Mapping, Sequence
from keyword import iskeyword
from typing import Any, NamedTuple

from . import _core
from .errors import InvalidParameter


def keyword_of(name: str) -> str:
    """The keyword of a setting: a word of the language gets an underscore."""
    return name + "_" if iskeyword(name) else name


class Field(NamedTuple):
    """One setting, as the engine describes it."""

    name: str
    type: str
    takes: str  # besides its type: "date", "column" (its number), "length of time"
    default: str
    rule: str
    group: str
    help: str

    @property
    def keyword(self) -> str:
        """`lambda` and `from` are words of the language."""
        return keyword_of(self.name)


FIELDS: dict[str, Field] = {field.keyword: field for field in (Field(*row) for row in _core.fields())}


def checked(function: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that were given, by the engine's names. `TypeError` for a keyword that there is not."""
    given = {}
    for keyword, value in settings.items():
        field = FIELDS.get(keyword) or FIELDS.get(keyword + "_")
        if field is None:
            nearest = keyword_of(_core.nearest_field(keyword))
            raise TypeError(
                f"{function} got an unexpected keyword argument {keyword!r}; the nearest known one is {nearest!r}"
            )
        if value is not None:
            given[field.name] = value
    return given


def encoded(settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The settings as the JSON of a settings file, and the matrices among them by the names that stand for them."""
    matrices: dict[str, Any] = {}
    values = {name: value_of(name, value, matrices) for name, value in settings.items()}
    return json.dumps(values), matrices


def value_of(name: str, value: Any, matrices: dict[str, Any]) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    is_matrix = name.startswith(("workload", "shape"))
    if (told := _time_or_length(name, value)) is not None:
        return told
    if is_matrix and hasattr(value, "__array__") and getattr(value, "ndim", 0) == 2:
        import numpy as np

        matrices[name] = np.array(value, dtype=np.float64)
        return "@" + name
    if isinstance(value, str) and value.startswith("@") and is_matrix:
        import numpy as np

        matrices[value[1:]] = np.array(np.load(value[1:], allow_pickle=False), dtype=np.float64)
        return value
    kind = FIELDS[keyword_of(name)].type
    if kind == "ranges":
        return _ranges(name, value)
    if kind == "list" and _is_list_of_names(value):
        return [str(item) for item in value]
    if kind == "count" and isinstance(value, float) and value.is_integer():
        return str(int(value))  # 1e6 rows
    _check_type(name, kind, value)
    return number(value)


def _wrong(name: str, what: str) -> InvalidParameter:
    keyword = keyword_of(name)
    return InvalidParameter(f"{keyword}: {what}", field=keyword)


def _is_list_of_names(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, (str, bytes, bytearray))
        and all(isinstance(item, (str, numbers.Integral)) for item in value)
    )


def _check_type(name: str, kind: str, value: Any) -> None:
    is_flag = isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")
    is_number = isinstance(value, numbers.Real) and not is_flag
    if kind == "flag":
        fits = is_flag
    elif isinstance(value, str):
        fits = True
    else:
        # Times in seconds since 1970, and columns that are called by numbers, are numbers too.
        fits = is_number and (kind in ("real", "count") or FIELDS[keyword_of(name)].takes in ("date", "column"))
    if not fits:
        raise _wrong(name, f"must be {FIELDS[keyword_of(name)].rule}, not {type_name(value)}")


def type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _time_or_length(name: str, value: Any) -> str | None:
    """A time in ISO 8601 (UTC where it has no zone, as times of rows) or a length of time in seconds; None for what is
    neither."""
    kind = getattr(getattr(value, "dtype", None), "kind", "") if getattr(value, "ndim", None) == 0 else ""
    is_length = isinstance(value, datetime.timedelta) or kind == "m"
    if not is_length and not isinstance(value, datetime.date) and kind != "M":
        return None
    if value != value:
        raise _wrong(name, "is missing (NaT)")
    if is_length:
        seconds = _whole_seconds(value)
        if seconds is None or seconds < 1:
            raise _wrong(name, f"{value} is not a positive whole number of seconds")
        return f"{seconds}s"
    if kind == "M":
        return str(value.astype("datetime64[s]"))
    if not isinstance(value, datetime.datetime):
        return str(value.isoformat())
    known = value.replace(tzinfo=datetime.timezone.utc) if value.utcoffset() is None else value
    try:
        return known.astimezone(datetime.timezone.utc).isoformat()
    except OverflowError:
        raise _wrong(name, "is outside of the years 1 to 9999") from None


def _whole_seconds(length: Any) -> int | None:
    """None for fractions, and for months and years, whose length differs."""
    if isinstance(length, datetime.timedelta):
        seconds, rest = divmod(length, datetime.timedelta(seconds=1))
        return None if rest else int(seconds)
    if str(length.dtype) == "timedelta64":  # of nothing in particular
        return None
    seconds = length.astype("timedelta64[s]")
    try:
        return int(seconds.astype("int64")) if seconds == length else None
    except TypeError:
        return None


def _ranges(name: str, value: Any) -> Any:
    """Bounds by column: a mapping, or a sequence of pairs for columns that are called 1, 2, ..."""
    if isinstance(value, str):
        return value
    try:
        given = value if isinstance(value, Mapping) else {str(place): pair for place, pair in enumerate(value, start=1)}
        pairs = {str(column): [_finite(bound) for bound in pair] for column, pair in given.items()}
    except (TypeError, ValueError, OverflowError):
        raise _wrong(name, "must be a pair of numbers for each column: in a mapping by name, or in order") from None
    if not isinstance(value, Mapping):
        refuse_lows_and_highs(list(pairs.values()), lambda what: _wrong(name, what), ('"1"', '"2"'))
    return pairs


def refuse_lows_and_highs(
    pairs: Sequence[Sequence[Any]], wrong: Callable[[str], InvalidParameter], names: tuple[str, str]
) -> None:
    """Other libraries have the lower bounds of all columns first and then the upper ones. Of two columns nobody can
    tell the two forms apart."""
    if len(pairs) != 2 or len(pairs[0]) != len(pairs[1]) or len(pairs[0]) == 0:
        return
    example = f"give a mapping, such as {{{names[0]}: (low, high), {names[1]}: (low, high)}}"
    if len(pairs[0]) == 2:
        raise wrong(f"two pairs may be (low, high) of two columns, or the lows and the highs of both: {example}")
    raise wrong(f"the lows of all columns and then the highs are not taken: {example}")


def _finite(bound: Any) -> Any:
    number = float(bound)
    return number if math.isfinite(number) else str(number)


def number(value: Any) -> Any:
    """Numbers travel as text, which no reader of JSON can round."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return value


def signature(leading: Sequence[inspect.Parameter] = ()) -> inspect.Signature:
    """For help() and editors: every keyword with its default."""
    keywords = [
        inspect.Parameter(keyword, inspect.Parameter.KEYWORD_ONLY, default=_default(field))
        for keyword, field in FIELDS.items()
    ]
    return inspect.Signature([*leading, *keywords])


def _default(field: Field) -> Any:
    if field.type == "flag":
        return False
    if field.type == "count" and field.default.isdigit():
        return int(field.default)
    return field.default or None


def described() -> str:
    """The keywords and what they mean, for docstrings."""
    lines = []
    group = ""
    for keyword, field in FIELDS.items():
        if field.group != group:
            group = field.group
            lines.append(f"\n    {group}:")
        lines.append(f"        {keyword}: {field.help}")
    return "\n".join(lines)
