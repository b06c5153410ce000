"""Tables of every kind: with named columns, masked arrays, types of numpy that have to be converted."""

from __future__ import annotations

import array
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from . import _core
from .errors import DataError

# Rows that are converted at a time, so that a push needs little memory beside its input.
PIECE = 1 << 16

Columns = list[Any]


class Sink(Protocol):
    """What rows go to: a stream, a sum, or the rows of an iterable until all of them are there."""

    @property
    def columns(self) -> list[str]: ...
    @property
    def _is_open(self) -> bool: ...
    @property
    def _zeroes_bad_rows(self) -> bool: ...
    def _places(self, names: list[str] | None, width: int) -> list[int]: ...
    def _check_room(self, rows: int, /) -> None: ...
    def _check_columns(self, columns: Columns, before: int, /) -> None: ...
    def _take_columns(self, columns: Columns, /) -> None: ...
    def _push_arrow(self, source: object, /) -> None: ...


def push_table(sink: Sink, rows: Any) -> None:
    """Whatever has its rows in columns."""
    if is_pandas(rows, "DataFrame"):
        _push_pandas(sink, rows)
    elif is_pandas(rows, "Series"):
        _push_series(sink, rows)
    elif hasattr(rows, "__arrow_c_stream__"):
        sink._push_arrow(rows)
    elif hasattr(rows, "__arrow_c_array__"):
        import pyarrow as pa

        sink._push_arrow(pa.table(pa.record_batch(rows)))
    elif isinstance(rows, Mapping):
        _push_mapping(sink, rows)
    else:
        refuse_lookalike(rows)
        _push_array(sink, rows)


def has_columns(value: Any) -> bool:
    """Whether its items are columns or their names: iterating over it does not give its rows."""
    if isinstance(value, Mapping) or is_pandas(value, "DataFrame"):
        return True
    is_arrow = hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")
    return is_arrow and dimensions(value) != 1


def is_table(value: Any) -> bool:
    """Whether it has rows in columns, and is neither a row nor a sequence of rows of its own."""
    return has_columns(value) or (is_array(value) and dimensions(value) > 1)


def is_array(value: Any) -> bool:
    return isinstance(value, (array.array, memoryview)) or hasattr(value, "__array__") or hasattr(value, "__dlpack__")


def is_pandas(value: Any, kind: str) -> bool:
    """Whether it is one of pandas, or of a class that somebody made from it. Nobody has one who has not imported it."""
    found = getattr(sys.modules.get("pandas"), kind, None)  # none while another thread is importing it
    return found is not None and isinstance(value, found)


def dimensions(value: Any) -> int:
    """0 for what has none, and for what does not say."""
    found = getattr(value, "ndim", None)
    if not isinstance(found, int):
        shape = getattr(value, "shape", ())
        found = len(shape) if isinstance(shape, tuple) else 0
    return found


def refuse_lookalike(rows: Any) -> None:
    """Tables of other libraries, whose rows nobody here can read: their items are their columns or names."""
    if isinstance(rows, (tuple, list)):  # a named tuple may call a field as it likes
        return
    kind = type(rows)
    names = getattr(kind, "columns", vars(rows).get("columns") if hasattr(rows, "__dict__") else None)
    has_names = (names is not None and not callable(names)) or hasattr(kind, "__dataframe__")
    if not has_names and (dimensions(rows) < 2 or is_array(rows)):
        return
    if hasattr(rows, "collect"):
        hint = "collect() it first"
    elif hasattr(rows, "toarray"):
        hint = "make an array of it with toarray()"
    else:
        hint = "make a table of pandas, polars or pyarrow of it"
    raise TypeError(f"the rows of a table of type {kind.__module__}.{kind.__name__} cannot be read; {hint}")


def is_cell(value: Any) -> bool:
    """One value, and not a row of some. Text is neither, as in rows that the extension reads."""
    return value is None or (hasattr(value, "__float__") and dimensions(value) == 0)


def _push_pieces(sink: Sink, rows: int, pieces: Any) -> None:
    """`pieces()` gives lists of columns, the same ones each time it is called."""
    sink._check_room(rows)
    before = 0
    for piece, length in pieces():
        sink._check_columns(piece, before)
        before += length
    for piece, _ in pieces():
        sink._take_columns(piece)


def _push_pandas(sink: Sink, frame: Any) -> None:
    names = [str(name) for name in frame.columns]
    places = sink._places(names, len(names))
    for place in places:
        check_pandas_type(names[place], frame.dtypes.iloc[place], sink._zeroes_bad_rows)

    def pieces() -> Iterator[tuple[Columns, int]]:
        for begin in range(0, len(frame), PIECE):
            part = frame.iloc[begin : begin + PIECE]
            yield [_pandas_column(part.iloc[:, place]) for place in places], len(part)

    _push_pieces(sink, len(frame), pieces)


def _push_series(sink: Sink, column: Any) -> None:
    name = "1" if column.name is None else column.name
    if sink._is_open and str(name) not in sink.columns and set(sink.columns) <= {str(n) for n in column.index}:
        raise TypeError(
            "a Series is one column of rows; for one row with these names push row.to_frame().T.infer_objects()"
        )
    _push_pandas(sink, column.to_frame(name))


def check_pandas_type(name: str, dtype: Any, zeroes_bad_rows: bool = False) -> None:
    """Numbers and booleans. Text that looks like a number is refused: to take it for one is the owner's decision.

    `zeroes_bad_rows`: a column of objects is looked at cell by cell."""
    if zeroes_bad_rows and str(dtype) == "object":
        return
    kind = getattr(dtype, "kind", "O")
    if kind not in "fiub" or str(dtype).startswith(("decimal", "complex")):
        raise TypeError(f"column {name} is not of numbers (type {dtype}); convert it if it should be")


def _pandas_column(column: Any) -> Any:
    import numpy as np

    if isinstance(column.dtype, np.dtype):
        return _simple(column.to_numpy())
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _simple(values: Any) -> Any:
    """An array whose memory the extension can read: numbers in this machine's order of bytes. Of objects, those that
    are no numbers become infinite, which makes their rows bad."""
    import numpy as np

    if values.dtype.kind == "O":
        cells = [_core.read_cells(column.tolist()) for column in (values.T if values.ndim == 2 else [values])]
        return np.stack(cells, axis=1) if values.ndim == 2 else cells[0]
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        return values.astype(np.float64)
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def _push_array(sink: Sink, rows: Any) -> None:
    import numpy as np

    values = rows if isinstance(rows, np.ndarray) else np.asarray(rows)
    if values.dtype.kind not in _kinds(sink):
        raise TypeError(f"an array of numbers was expected, not one of {values.dtype}")
    if values.ndim == 1:
        # One row; where rows have one number only, one row for each number.
        width = len(sink.columns) if sink._is_open else values.shape[0]
        values = values[:, np.newaxis] if width == 1 else values[np.newaxis, :]
    if values.ndim != 2:
        raise DataError(f"an array of one or two dimensions was expected, not of {values.ndim}: {type(rows).__name__}")
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    values = np.asarray(values.data) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    places = sink._places(None, values.shape[1])

    def pieces() -> Iterator[tuple[Columns, int]]:
        for begin in range(0, len(values), PIECE):
            part = _simple(values[begin : begin + PIECE])
            columns: Columns = [part[:, place] for place in places]
            if mask is not None:
                holes = mask[begin : begin + PIECE]
                columns = [(column, holes[:, place]) for column, place in zip(columns, places, strict=True)]
            yield columns, len(part)

    _push_pieces(sink, len(values), pieces)


def _push_mapping(sink: Sink, columns: Mapping[Any, Any]) -> None:
    """Columns by name, each something that numpy reads."""
    import numpy as np

    names = [str(name) for name in columns]
    for name, column in zip(names, columns.values(), strict=True):
        if dimensions(column) > 1:
            raise TypeError(f"column {name} is a table of type {type(column).__name__}; push tables one by one")
    kinds = _kinds(sink)
    arrays = [_array_of(column, kinds) for column in columns.values()]
    if arrays and all(values.ndim == 0 for values in arrays):
        raise DataError("columns of numbers were expected under each name; one row is a tuple, or columns of length 1")
    if not arrays or any(values.ndim != 1 or len(values) != len(arrays[0]) for values in arrays):
        raise DataError("columns of the same length were expected")
    places = sink._places(names, len(names))
    for place in places:
        if arrays[place].dtype.kind not in kinds:
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

    _push_pieces(sink, len(arrays[0]), pieces)


def _kinds(sink: Sink) -> str:
    """Types of arrays that are taken, by numpy's letters. Where bad rows count, objects are looked at one by one."""
    return "fiubO" if sink._zeroes_bad_rows else "fiub"


def _array_of(column: Any, kinds: str) -> Any:
    import numpy as np

    values = np.asanyarray(column)
    if "O" not in kinds or values.dtype.kind in kinds or hasattr(column, "dtype") or values.ndim != 1:
        return values
    cells = np.empty(len(values), dtype=object)  # numpy makes text of all cells where one is text
    cells[:] = list(column)
    return cells
