"""What tables say of their rows beside numbers: whose they are, and when they happened."""

from __future__ import annotations

import datetime
import math
import numbers
import uuid
from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Any

from . import _core
from .errors import DataError, InvalidParameter

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

# Seconds of a unit of time, and units of a second.
SECONDS_OF = {"s": (1, 1), "ms": (1, 10**3), "us": (1, 10**6), "minute": (60, 1), "hour": (3600, 1), "day": (86400, 1)}
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class Told:
    """Ids and times of the rows of one push, from all of its tables."""

    def __init__(self, stream: Any) -> None:
        # What sums of blocks do not have.
        self._stream = stream
        self._person: str = getattr(stream, "_person", "")
        self._time: str = getattr(stream, "_time", "")
        self._ids: list[str | None] = []
        self._times: list[Floats] = []
        self._lengths: list[tuple[str, int]] = []

    def __bool__(self) -> bool:
        """Whether rows need to say anything."""
        return bool(self._person or self._time)

    @property
    def has_times(self) -> bool:
        return bool(self._time)

    def set_apart(self, table: Any) -> Any:
        """Takes note of a table's ids and times, and returns its other columns."""
        lenient = self._stream._zeroes_bad_rows
        told = []
        if self._person:
            ids, table = _set_apart(table, self._person, "person", "says whose they are")
            self._ids += (given := _ids(ids, lenient))
            told.append((self._person, len(given)))
        if self._time:
            times, table = _set_apart(table, self._time, "time", "says when they happened")
            self._times.append(seconds(times, lenient, self._stream._time_unit))
            told.append((self._time, len(self._times[-1])))
        self._lengths = told
        return table

    def check(self, rows: int) -> None:
        """Rows of one table must not take the ids or times of the next one."""
        for column, length in self._lengths:
            if length != rows:
                raise DataError(
                    f"columns of the same length were expected: {column} has {length} values for {rows} rows",
                    column=column,
                )

    def give(self) -> None:
        """Comes before the first row is checked."""
        if self._person:
            self._stream._set_persons(self._ids)
        if self._time:
            import numpy as np

            self._stream._set_times(np.concatenate(self._times) if self._times else np.empty(0))


def _set_apart(rows: Any, column: str, setting: str, what: str) -> tuple[Any, Any]:
    """A column that is not of numbers whose moments are taken, and the others."""
    if not hasattr(rows, "drop") and (hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__arrow_c_array__")):
        import pyarrow as pa

        rows = pa.table(rows)  # of batches or a reader
    is_table = hasattr(rows, "columns") and hasattr(rows, "drop")  # of pandas, polars or pyarrow
    if not is_table and not isinstance(rows, Mapping):
        raise TypeError(f"rows of a stream with {setting} need named columns: a DataFrame, a table, or columns by name")
    names = getattr(rows, "column_names", rows.columns) if is_table else rows
    if column not in names:
        raise DataError(f"the rows have no column {column}, which {what}", column=column)
    if is_table and list(names).count(column) > 1:
        raise InvalidParameter(f"columns: the input has {column} twice", field="columns")
    if not is_table:
        if isinstance(rows[column], (str, bytes, bytearray, Mapping, Set)):
            raise TypeError(f"column {column} must have a value for each row, not be {_a(rows[column])}")
        return rows[column], {name: rows[name] for name in rows if name != column}
    return rows[column], rows.drop(columns=[column]) if hasattr(rows, "iloc") else rows.drop([column])


def _values(column: Any) -> list[Any]:
    lists = (getattr(column, name) for name in ("tolist", "to_list", "to_pylist") if hasattr(column, name))
    return next(lists, lambda: list(column))()


def _a(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _is_missing(value: Any) -> bool:
    """None, NaN, NaT, pandas.NA and numpy.ma.masked."""
    if value is None or type(value).__name__ in ("NAType", "MaskedConstant"):
        return True
    try:
        return bool(value != value)
    except (ArithmeticError, TypeError, ValueError):  # what is no single value
        return False


def _is_real(value: Any) -> bool:
    """Numbers that booleans and time differences, whole numbers to Python and to numpy, are not."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and kind != "m"


def _has_one_type(column: Any) -> bool:
    """Whether its type decides what its values are, and not each value for itself."""
    kind = getattr(column, "dtype", getattr(column, "type", None))
    return kind is not None and str(kind).lower() != "object"


def seconds(column: Any, zeroes_bad_rows: bool = False, unit: str = "s") -> Floats:
    """Times as seconds since 1970; NaN where nobody can tell. Numbers count `unit`s.

    `zeroes_bad_rows`: what stands in one record ends no push; a column whose type has no times does."""
    import numpy as np

    if (at_once := _seconds_at_once(column, unit)) is not None:
        return at_once
    values = _values(column)
    if values and all(type(v) is datetime.datetime and v.tzinfo in (None, datetime.timezone.utc) for v in values):
        moments = np.array([v.replace(tzinfo=None) for v in values], dtype="datetime64[us]")
        return moments.astype("datetime64[s]").astype(np.int64).astype(np.float64)
    lenient = zeroes_bad_rows and not _has_one_type(column)

    def found_in(value: Any) -> float:
        try:
            second = second_of(value, unit)
        except TypeError:
            if lenient:
                return math.nan
            raise
        return math.nan if second is None else second

    return np.array([found_in(value) for value in values], dtype=np.float64)


def _seconds_at_once(column: Any, unit: str) -> Floats | None:
    """Those of columns whose type is one of times or of numbers; None for other columns."""
    import numpy as np

    module = type(column).__module__.partition(".")[0]
    dtype = getattr(column, "dtype", None)
    kind = getattr(dtype, "kind", "")
    if module == "polars":
        return _seconds_of_polars(column)
    if module == "pyarrow":
        return seconds_of_arrow(column)
    if module == "pandas" and not hasattr(dtype, "pyarrow_dtype"):
        if kind == "M":
            parts = getattr(dtype, "unit", None)  # of a type with a zone, whose values are in UTC
            column = column.to_numpy() if parts is None else column.to_numpy(dtype=f"datetime64[{parts}]")
        elif kind in "iuf":
            column = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if not isinstance(column, np.ndarray) or column.ndim != 1 or kind not in "Miuf":
        return None
    if column.dtype.kind == "M":
        whole = column.astype("datetime64[s]")
        missing = np.isnat(np.asarray(whole)) | np.ma.getmaskarray(whole)
        return np.where(missing, np.nan, np.asarray(whole).astype(np.int64).astype(np.float64))
    of_unit, of_second = SECONDS_OF[unit]
    values = np.ma.filled(column.astype(np.float64), np.nan) * of_unit / of_second
    return np.where(np.isfinite(values), values, np.nan)


def _seconds_of_polars(column: Any) -> Floats | None:
    kind = type(getattr(column, "dtype", None)).__name__
    if kind not in ("Datetime", "Date"):
        return None
    counts = column.to_physical()
    unit = UNITS[column.dtype.time_unit] if kind == "Datetime" else None
    return _whole_seconds(counts.fill_null(0).to_numpy(), counts.is_null().to_numpy(), unit)


def seconds_of_arrow(column: Any) -> Floats | None:
    """Those of a pyarrow column of timestamps or days; None for other types."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        counts, unit = column.cast(pa.int64()), UNITS[column.type.unit]
    elif pa.types.is_date32(column.type):
        counts, unit = column.cast(pa.int32()), None
    else:
        return None
    holes = counts.is_null()
    counts = counts.fill_null(0)
    if isinstance(column, pa.ChunkedArray):
        return _whole_seconds(counts.to_numpy(), holes.to_numpy(), unit)
    return _whole_seconds(counts.to_numpy(), holes.to_numpy(zero_copy_only=False), unit)


def _whole_seconds(counts: Any, holes: Any, unit: int | None) -> Floats:
    """`unit`: parts of a second; None for days. Whole seconds first: a double has no room for nanoseconds."""
    import numpy as np

    whole = counts.astype(np.int64)
    found = whole * 86400 if unit is None else whole // unit
    return np.where(holes, np.nan, found.astype(np.float64))


def second_of(value: Any, unit: str = "s") -> float | None:
    """As in a file: ISO 8601, UTC where it has no offset, or `unit`s since 1970. Text that is no time is a bad time."""
    if isinstance(value, str):
        return _core.parse_time(value, unit)
    if _is_missing(value):
        return None
    if _is_real(value):
        try:
            of_unit, of_second = SECONDS_OF[unit]
            seconds = float(value) * of_unit / of_second
        except OverflowError:
            return None
        return seconds if math.isfinite(seconds) else None
    if isinstance(value, datetime.datetime):
        known = value if value.tzinfo is not None else value.replace(tzinfo=datetime.timezone.utc)
        return float(math.floor(known.replace(microsecond=0).timestamp()))  # which pandas would round
    if isinstance(value, datetime.date):
        return _core.parse_time(value.isoformat())
    if getattr(getattr(value, "dtype", None), "kind", "") == "M" and getattr(value, "ndim", None) == 0:
        return float(value.astype("datetime64[s]").astype("int64"))
    raise TypeError(f"a time is a datetime, a date, text in ISO 8601 or seconds since 1970, not {_a(value)}")


def _ids(column: Any, zeroes_bad_rows: bool = False) -> list[str | None]:
    """Ids as text; None for nobody. `zeroes_bad_rows`: as for times."""
    exact, has_one_type = _exact_below(column), _has_one_type(column)

    def id_of(value: Any) -> str | None:
        try:
            return _id_of(value, exact)
        except TypeError:
            # Also numbers that floats do not have exactly: which number it is depends on its record alone.
            if zeroes_bad_rows and (not has_one_type or _is_real(value)):
                return None
            raise

    return [id_of(value) for value in _values(column)]


def _exact_below(held: Any) -> int:
    """Floats of this type have every whole number up to this one."""
    kind = str(getattr(held, "dtype", getattr(held, "type", ""))).partition("[")[0].lower()
    return {"float16": 2**11, "halffloat": 2**11, "float32": 2**24, "float": 2**24}.get(kind, 2**53)


def _id_of(value: Any, exact_below: int = 2**53) -> str | None:
    """As in a file: text, or a number as it is written. What stands for a missing value is nobody."""
    if isinstance(value, (str, uuid.UUID)):
        text = value if isinstance(value, str) else str(value)
    elif _is_missing(value):
        return None
    elif not _is_real(value):
        raise TypeError(f"an id is text, a whole number, a float or a UUID, not {_a(value)}; give it as text")
    else:
        text = _text_of_number(value, exact_below)
    return None if text.strip().lower() in ("", "na", "n/a", "nan", "null") else text


def _text_of_number(value: numbers.Real, exact_below: int) -> str:
    if isinstance(value, numbers.Integral):
        return str(int(value))
    number = float(value)
    if number != value:
        raise TypeError(f"ids of {_a(value)} are not exact as floats; give them as text")
    if not number.is_integer():
        return repr(number)
    # pandas makes a column of whole numbers floats where one is missing: nobody's missing id may give others another
    # id.
    if abs(number) >= min(exact_below, _exact_below(value)):
        raise TypeError("ids of this size are not exact as floats; give them as text or as whole numbers (Int64)")
    return str(int(number))
