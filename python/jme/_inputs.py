"""Rows of every kind that people have, on their way into a stream.

Plain rows and arrays of numbers are read by the extension itself. All else comes here: tables with named columns,
masked arrays, types of numpy that have to be converted, iterables of rows. Each input is looked at twice: all of its
rows are checked before the first one is taken.
"""

from __future__ import annotations

import array
import contextlib
import datetime
import math
import numbers
import uuid
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, Protocol

from . import _core
from .errors import DataError, InvalidParameter

# Rows that are converted at a time, so that a push needs little memory beside its input.
PIECE = 1 << 16
# Rows of an iterable that are read before its progress is told again.
PIECE_READ = 256

Columns = list[Any]


class Sink(Protocol):
    """What rows go to: a stream, or a sum."""

    @property
    def columns(self) -> list[str]: ...
    @property
    def _is_open(self) -> bool: ...
    def _places(self, names: list[str] | None, width: int) -> list[int]: ...
    def _check_room(self, rows: int, /) -> None: ...
    def _check_columns(self, columns: Columns, before: int, /) -> None: ...
    def _take_columns(self, columns: Columns, /) -> None: ...
    def _push_arrow(self, source: object, /) -> None: ...
    def _left(self) -> int: ...
    def _tell_read(self, rows: int, /) -> None: ...


def push(stream: Sink, rows: Any) -> None:
    """Called by `Stream.push`."""
    # A sum of a block is one thread's for the whole of a push, which comes in pieces.
    with getattr(stream, "_block", contextlib.nullcontext()):
        _push(stream, rows)


def _push(stream: Sink, rows: Any) -> None:
    module = type(rows).__module__.partition(".")[0]
    if isinstance(rows, (str, bytes, bytearray)):
        raise _unexpected(rows)
    told: Any = stream  # what sums of blocks do not have
    if person := getattr(stream, "_person", ""):
        ids, rows = _set_apart(rows, person, "person", "says whose they are")
        told._set_persons(_ids(ids, told._zeroes_bad_rows))
    if time := getattr(stream, "_time", ""):
        times, rows = _set_apart(rows, time, "time", "says when they happened")
        told._set_times(_seconds(times, told._zeroes_bad_rows))
    if module == "pandas" and hasattr(rows, "columns"):
        _push_pandas(stream, rows)
    elif module == "pandas" and hasattr(rows, "to_frame"):
        _push_series(stream, rows)
    elif hasattr(rows, "__arrow_c_stream__"):
        _push_arrow(stream, rows)
    elif hasattr(rows, "__arrow_c_array__"):
        import pyarrow as pa

        _push_arrow(stream, pa.table(pa.record_batch(rows)))
    elif isinstance(rows, (array.array, memoryview)) or hasattr(rows, "__array__") or hasattr(rows, "__dlpack__"):
        _push_array(stream, rows)
    elif isinstance(rows, Mapping):
        _push_mapping(stream, rows)
    elif isinstance(rows, Iterable):
        _push_iterable(stream, rows)
    else:
        raise _unexpected(rows)


def _unexpected(rows: Any) -> TypeError:
    hint = "; collect() it first" if hasattr(rows, "collect") else ""
    return TypeError(f"rows of numbers were expected, not {type(rows).__name__}{hint}")


def _set_apart(rows: Any, column: str, setting: str, what: str) -> tuple[Any, Any]:
    """A column that is not of numbers whose moments are taken, and the others."""
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


def _seconds(column: Any, zeroes_bad_rows: bool = False) -> list[float | None]:
    """Times as seconds since 1970; None where nobody can tell.

    `zeroes_bad_rows`: what stands in one record ends no push; a column whose type has no times does."""
    if type(column).__module__.partition(".")[0] == "numpy" and column.dtype.kind == "M":
        import numpy as np

        whole = column.astype("datetime64[s]")
        if isinstance(whole, np.ma.MaskedArray):
            whole = whole.filled(np.datetime64("NaT"))
        return [None if np.isnat(time) else float(time.astype("int64")) for time in whole]
    if not zeroes_bad_rows or _has_one_type(column):
        return [_second_of(value) for value in _values(column)]

    def second_of(value: Any) -> float | None:
        try:
            return _second_of(value)
        except TypeError:
            return None

    return [second_of(value) for value in _values(column)]


def _second_of(value: Any) -> float | None:
    """As in a file: ISO 8601, UTC where it has no offset, or seconds since 1970. Text that is no time is a bad time."""
    if isinstance(value, str):
        return _core.parse_time(value)
    if _is_missing(value):
        return None
    if _is_real(value):
        try:
            seconds = float(value)
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


def _push_pieces(stream: Sink, rows: int, pieces: Any) -> None:
    """`pieces()` gives lists of columns, the same ones each time it is called."""
    stream._check_room(rows)
    before = 0
    for piece, length in pieces():
        stream._check_columns(piece, before)
        before += length
    for piece, _ in pieces():
        stream._take_columns(piece)


def _push_pandas(stream: Sink, frame: Any) -> None:
    names = [str(name) for name in frame.columns]
    places = stream._places(names, len(names))
    for place in places:
        _check_pandas_type(names[place], frame.dtypes.iloc[place])

    def pieces() -> Iterator[tuple[Columns, int]]:
        for begin in range(0, len(frame), PIECE):
            part = frame.iloc[begin : begin + PIECE]
            yield [_pandas_column(part.iloc[:, place]) for place in places], len(part)

    _push_pieces(stream, len(frame), pieces)


def _push_series(stream: Sink, column: Any) -> None:
    name = "1" if column.name is None else column.name
    if stream._is_open and str(name) not in stream.columns and set(stream.columns) <= {str(n) for n in column.index}:
        raise TypeError(
            "a Series is one column of rows; for one row with these names push row.to_frame().T.infer_objects()"
        )
    _push_pandas(stream, column.to_frame(name))


def _check_pandas_type(name: str, dtype: Any) -> None:
    """Numbers and booleans. Text that looks like a number is refused: to take it for one is the owner's decision."""
    kind = getattr(dtype, "kind", "O")
    if kind not in "fiub" or str(dtype).startswith(("decimal", "complex")):
        raise TypeError(f"column {name} is not of numbers (type {dtype}); convert it if it should be")


def _pandas_column(column: Any) -> Any:
    import numpy as np

    if isinstance(column.dtype, np.dtype):
        return _simple(column.to_numpy())
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _push_arrow(stream: Sink, table: Any) -> None:
    stream._push_arrow(table)


def _simple(values: Any) -> Any:
    """An array whose memory the extension can read: numbers in this machine's order of bytes."""
    import numpy as np

    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        return values.astype(np.float64)
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def _push_array(stream: Sink, rows: Any) -> None:
    import numpy as np

    values = rows if isinstance(rows, np.ndarray) else np.asarray(rows)
    if values.dtype.kind not in "fiub":
        raise TypeError(f"an array of numbers was expected, not one of {values.dtype}")
    if values.ndim == 1:
        # One row; where rows have one number only, one row for each number.
        width = len(stream.columns) if stream._is_open else values.shape[0]
        values = values[:, np.newaxis] if width == 1 else values[np.newaxis, :]
    if values.ndim != 2:
        raise DataError(f"an array of one or two dimensions was expected, not of {values.ndim}")
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    values = np.asarray(values.data) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    places = stream._places(None, values.shape[1])

    def pieces() -> Iterator[tuple[Columns, int]]:
        for begin in range(0, len(values), PIECE):
            part = _simple(values[begin : begin + PIECE])
            columns: Columns = [part[:, place] for place in places]
            if mask is not None:
                holes = mask[begin : begin + PIECE]
                columns = [(column, holes[:, place]) for column, place in zip(columns, places, strict=True)]
            yield columns, len(part)

    _push_pieces(stream, len(values), pieces)


def _push_mapping(stream: Sink, columns: Mapping[Any, Any]) -> None:
    """Columns by name, each something that numpy reads."""
    import numpy as np

    names = [str(name) for name in columns]
    arrays = [np.asanyarray(column) for column in columns.values()]
    if arrays and all(values.ndim == 0 for values in arrays):
        raise DataError("columns of numbers were expected under each name; one row is a tuple, or columns of length 1")
    if not arrays or any(values.ndim != 1 or len(values) != len(arrays[0]) for values in arrays):
        raise DataError("columns of the same length were expected")
    places = stream._places(names, len(names))
    for place in places:
        if arrays[place].dtype.kind not in "fiub":
            raise TypeError(f"column {names[place]} is not of numbers (type {arrays[place].dtype})")

    def part_of(values: Any, begin: int) -> Any:
        part = values[begin : begin + PIECE]
        if isinstance(values, np.ma.MaskedArray):
            return _simple(np.asarray(part.data)), np.ma.getmaskarray(part)
        return _simple(np.asarray(part))

    def pieces() -> Iterator[tuple[Columns, int]]:
        for begin in range(0, len(arrays[0]), PIECE):
            yield (
                [part_of(arrays[place], begin) for place in places],
                min(PIECE, len(arrays[0]) - begin),
            )

    _push_pieces(stream, len(arrays[0]), pieces)


def _is_cell(value: Any) -> bool:
    """One value, and not a row of some. Text is neither, as in rows that the extension reads."""
    return value is None or (hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0)


def _push_iterable(stream: Sink, rows: Iterable[Any]) -> None:
    """All rows are collected first, so that an iterable that fails gives none. It is read up to the horizon."""
    collected = _core.RowCollector()
    if isinstance(rows, (tuple, list)) and rows and _is_cell(rows[0]):
        # Numbers: one row, or one row each where rows have one number. What else is among them is the fault.
        rows = [[cell] for cell in rows] if stream._is_open and len(stream.columns) == 1 else [rows]
    for row in rows:
        if isinstance(row, Mapping):
            raise TypeError("rows of numbers were expected, not mappings; give columns by name, or a table")
        collected.add(row)
        if len(collected) % PIECE_READ == 0:
            stream._tell_read(len(collected))
        if len(collected) > stream._left():
            break  # too many, whatever follows
    if len(collected) == 0:
        return
    table = collected.array()
    places = stream._places(None, table.shape[1])
    stream._check_room(len(collected))
    columns = [table[:, place] for place in places]
    stream._check_columns(columns, 0)
    stream._take_columns(columns)
