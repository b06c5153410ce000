"""Rows of every kind that people have, on their way into a stream.

Plain rows and arrays of numbers are read by the extension itself. All else comes here: tables with named columns,
masked arrays, types of numpy that have to be converted, iterables of rows. Each input is looked at twice: all of its
rows are checked before the first one is taken.
"""

from __future__ import annotations

import array
import datetime
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from . import _core
from .errors import DataError

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
    module = type(rows).__module__.partition(".")[0]
    if isinstance(rows, (str, bytes, bytearray)):
        raise _unexpected(rows)
    told: Any = stream  # what sums of blocks do not have
    if person := getattr(stream, "_person", ""):
        ids, rows = _set_apart(rows, person, "person", "says whose they are")
        told._set_persons([_id_of(value) for value in _values(ids)])
    if time := getattr(stream, "_time", ""):
        times, rows = _set_apart(rows, time, "time", "says when they happened")
        told._set_times(_seconds(times))
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
        raise DataError(f"the rows have no column {column}, which {what}")
    if not is_table:
        return rows[column], {name: rows[name] for name in rows if name != column}
    return rows[column], rows.drop(columns=[column]) if hasattr(rows, "iloc") else rows.drop([column])


def _values(column: Any) -> list[Any]:
    lists = (getattr(column, name) for name in ("tolist", "to_list", "to_pylist") if hasattr(column, name))
    return next(lists, lambda: list(column))()


def _seconds(column: Any) -> list[float | None]:
    """Times as seconds since 1970; None where nobody can tell."""
    if type(column).__module__.partition(".")[0] == "numpy" and column.dtype.kind == "M":
        import numpy as np

        whole = column.astype("datetime64[s]")
        return [None if np.isnat(time) else float(time.astype("int64")) for time in whole]
    return [_second_of(value) for value in _values(column)]


def _second_of(value: Any) -> float | None:
    """As in a file: ISO 8601, UTC where it has no offset, or seconds since 1970."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return _core.parse_time(value)
    if isinstance(value, datetime.datetime):
        if value != value:  # NaT
            return None
        known = value if value.tzinfo is not None else value.replace(tzinfo=datetime.timezone.utc)
        return float(math.floor(known.timestamp()))
    if isinstance(value, datetime.date):
        return _core.parse_time(value.isoformat())
    return None


def _id_of(value: Any) -> str | None:
    """As in a file: text, or a number as it is written. What stands for a missing value is nobody."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    if isinstance(value, float) and value.is_integer():
        # pandas makes a column of whole numbers floats where one is missing: nobody's missing id may give others
        # another id.
        if abs(value) >= 2**53:
            raise TypeError("ids of this size are not exact as floats; give them as text or as whole numbers (Int64)")
        value = int(value)
    text = value if isinstance(value, str) else repr(value)
    return None if text.strip().lower() in ("", "na", "n/a", "nan", "null") else text


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
        raise TypeError("a Series is one column of rows; for one row with these names push row.to_frame().T")
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


def _push_iterable(stream: Sink, rows: Iterable[Any]) -> None:
    """All rows are collected first, so that an iterable that fails gives none. It is read up to the horizon."""
    collected = _core.RowCollector()
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
