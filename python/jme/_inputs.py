"""Rows of every kind that people have, on their way into a stream.

Plain rows and arrays of numbers are read by the extension itself. All else comes here: tables, and iterables of rows
and of tables. Each input is looked at twice: all of its rows are checked before the first one is taken.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from . import _core
from ._tables import Columns, Sink, dimensions, is_array, is_cell, is_pandas, is_table, push_table, refuse_lookalike
from ._told import Told

# Rows of an iterable that are read before its progress is told again.
PIECE_READ = 256


class RowSink(Sink, Protocol):
    """What takes any input."""

    def _left(self) -> int: ...
    def _tell_read(self, rows: int, /) -> None: ...


def push(stream: RowSink, rows: Any) -> None:
    """Called by `Stream.push`."""
    # A sum of a block is one thread's for the whole of a push, which comes in pieces.
    with getattr(stream, "_block", contextlib.nullcontext()):
        _push(stream, rows)


def _push(stream: RowSink, rows: Any) -> None:
    if isinstance(rows, (str, bytes, bytearray)):
        raise _unexpected(rows)
    told = Told(stream)
    if is_table(rows):
        if told:
            rows = told.set_apart(rows)
            told.give()
        push_table(stream, rows)
    elif is_array(rows) or is_pandas(rows, "Series"):
        if told:
            told.set_apart(rows)  # says what is missing
        push_table(stream, rows)
    elif isinstance(rows, Iterable):
        refuse_lookalike(rows)
        _push_iterable(stream, rows, told)
    else:
        raise _unexpected(rows)


def _unexpected(rows: Any) -> TypeError:
    hint = "; collect() it first" if hasattr(rows, "collect") else ""
    return TypeError(f"rows of numbers were expected, not {type(rows).__name__}{hint}")


def _is_single_row(rows: Iterable[Any], zeroes_bad_rows: bool) -> bool:
    if not isinstance(rows, (tuple, list)) or not rows:
        return False
    if not zeroes_bad_rows:
        return is_cell(rows[0])
    # Text is no row, so that it is a cell of one.
    first = next((cell for cell in rows if not isinstance(cell, (str, bytes))), None)
    return is_cell(first)


def _push_iterable(stream: RowSink, rows: Iterable[Any], told: Told) -> None:
    """All rows are collected first, so that an iterable that fails gives none. It is read up to the horizon."""
    gathered = Gathered(stream)
    only_tables = bool(told)
    if not only_tables and _is_single_row(rows, stream._zeroes_bad_rows):
        # Numbers: one row, or one row each where rows have one number. What else is among them is the fault.
        rows = [[cell] for cell in rows] if stream._is_open and len(stream.columns) == 1 else [rows]
    most = sys.maxsize if told.has_times else stream._left()  # slots of time have any number of rows
    count = 0
    add = None
    for row in rows:
        if only_tables or (not isinstance(row, (tuple, list)) and _is_table_of_rows(row)):
            add = None
            gathered.add_table(row, told)
            count = gathered.rows
            stream._tell_read(count)
        else:
            if add is None:
                add = gathered.begin_rows()
            add(row)
            count += 1
            if count % PIECE_READ == 0:
                stream._tell_read(count)
        if count > most:
            break  # too many, whatever follows
    told.give()
    gathered.push()


def _is_table_of_rows(item: Any) -> bool:
    """Whether an item of an iterable is a table and not a row."""
    if dimensions(item) == 1:
        return False
    if isinstance(item, Mapping) and all(isinstance(v, (str, bytes)) or is_cell(v) for v in item.values()):
        raise TypeError("rows of numbers were expected, not mappings; give columns by name, or a table")
    if is_table(item):
        return True
    refuse_lookalike(item)
    return False


class Gathered:
    """The rows of an iterable, until all of them are there. Each table is read when it comes."""

    def __init__(self, stream: RowSink) -> None:
        self._stream = stream
        self._zeroes_bad_rows = stream._zeroes_bad_rows
        self._is_open = True
        self._names: list[str] | None = None  # of the columns, where the first rows tell them
        self._parts: list[Columns] = []
        self._collector = _core.RowCollector(0, self._zeroes_bad_rows)
        self._has_rows = False  # and not tables: their columns are in the input's order
        self._before = 0

    @property
    def columns(self) -> list[str]:
        return self._stream.columns if self._names is None else self._names

    @property
    def rows(self) -> int:
        return self._before + len(self._collector)

    def begin_rows(self) -> Callable[[object], None]:
        """What takes the rows that follow, until the next table."""
        self._end_part()
        self._has_rows = True
        return self._collector.add

    def add_table(self, table: Any, told: Told) -> None:
        if self._has_rows:
            self._end_part()
        if not told:
            return push_table(self, table)
        before = self.rows
        push_table(self, told.set_apart(table))
        told.check(self.rows - before)

    def _end_part(self) -> None:
        if len(self._collector) > 0:
            self._before = self.rows
            table = self._collector.array()
            places = self._places(None, table.shape[1]) if self._has_rows else range(table.shape[1])
            self._parts.append([table[:, place] for place in places])
            self._collector = _core.RowCollector(self._before, self._zeroes_bad_rows)
        self._has_rows = False

    def push(self) -> None:
        """Into the stream, which checks all of them before it takes one."""
        self._end_part()
        if not self._parts:
            return
        self._stream._check_room(self._before)
        before = 0
        for part in self._parts:
            self._stream._check_columns(part, before)
            before += len(part[0])
        for part in self._parts:
            self._stream._take_columns(part)

    # What a table asks of its sink.

    def _places(self, names: list[str] | None, width: int) -> list[int]:
        if self._names is not None:
            return _core.column_places(self._names, names, width)
        places = self._stream._places(names, width)
        if not self._stream._is_open:
            self._names = [str(place + 1) for place in range(width)] if names is None else names
        return places

    def _check_room(self, rows: int) -> None:
        pass

    def _check_columns(self, columns: Columns, before: int) -> None:
        pass

    def _take_columns(self, columns: Columns) -> None:
        self._collector.add_columns(columns)

    def _push_arrow(self, source: object) -> None:
        rows = _core.ArrowRows(source)
        self._collector.add_arrow(rows, self._places(rows.names, len(rows.names)))
