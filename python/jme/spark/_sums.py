"""Sums of rows of one process: of one block, or of slots of time where rows have times of their own."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from .. import _core, _told
from ..errors import InvalidParameter

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Notes(Counter[tuple[str, str | None]]):
    """Counts by kind and column. They are exact, so that they are for the owner of the rows alone."""

    def to_bytes(self) -> bytes:
        return json.dumps([[kind, column, count] for (kind, column), count in sorted(self.items(), key=str)]).encode()

    def add_bytes(self, text: bytes) -> None:
        for kind, column, count in json.loads(text):
            self[(kind, column)] += count

    def __str__(self) -> str:
        """What happened, without the numbers."""
        words = {
            "bad_rows": "bad rows counted as zero",
            "unread_rows": "bad rows counted as rows without cells",
            "rows_outside": "rows had a time outside of the schedule and counted nowhere",
            "filled_rows": "rows had missing cells that were filled",
            "absent_rows": "rows had missing cells that were left out",
        }
        return "; ".join(text for kind, text in words.items() if self[(kind, None)])

    @property
    def rows_are_lost(self) -> bool:
        return any(self[(kind, None)] for kind in ("bad_rows", "unread_rows", "rows_outside"))

    def as_list(self) -> list[dict[str, Any]]:
        """As `jme.Stream.notes` has them, without the number of the first row: rows have no order here."""
        notes = []
        for (kind, column), count in sorted(self.items(), key=str):
            note = {"kind": kind, "count": count}
            notes.append(note if column is None else {**note, "column": column})
        return notes


class Sums:
    """Whole numbers: the same for the same rows, however they were divided and in whatever order they came."""

    def __init__(self, stream: _core.Stream) -> None:
        self._stream = stream
        self.columns = stream.columns
        self.time = stream._time
        self.names = [*self.columns, self.time] if self.time else self.columns
        self.has_slots = stream._has_slots
        self._slots = _core.SlotSums(stream) if self.time else None
        self._block = _core.BlockSum(stream)
        self._other = _core.BlockSum(stream)

    def add(self, batch: Any) -> None:
        """Rows of an Arrow batch that has the columns `names`, in this order."""
        import pyarrow as pa

        table = pa.Table.from_batches([batch]).rename_columns(self.names)
        if self._slots is None:
            self._block.push_arrow(self._stream, table)
        else:
            self._slots.push_arrow(
                self._stream, seconds_of(table[self.time], self._stream._time_unit), table.drop_columns([self.time])
            )

    def merge(self, slot: int, part: bytes) -> None:
        """Refuses what was made with another configuration, or was damaged on its way."""
        if self._slots is not None:
            self._slots.merge(slot, part)
            return
        if slot != 0:
            raise InvalidParameter("the sums are of a slot, and this run has none", field="block")
        self._other.load(part)
        self._block.merge(self._other)

    def parts(self) -> list[tuple[int, bytes]]:
        if self._slots is not None:
            return self._slots.parts()
        return [(0, self._block.bytes())] if self._block.rows else []

    def notes(self) -> Notes:
        """How many rows and cells were not as they came."""
        taken = self._block if self._slots is None else self._slots
        return Notes({(kind, column): count for kind, count, _, column in taken.notes()})

    @property
    def rows(self) -> int:
        return self._block.rows

    def block(self) -> _core.BlockSum:
        return self._block

    def empty(self) -> bytes:
        return _core.BlockSum(self._stream).bytes()

    def to_bytes(self) -> bytes:
        return self._block.bytes()

    def release_to(self, stream: Any) -> Any:
        """Every slot of the schedule is released, also those without rows."""
        assert self._slots is not None
        return self._slots._push_to(stream)


def _text_of(cell: bytes | None) -> str | None:
    try:
        return None if cell is None else cell.decode()
    except UnicodeDecodeError:
        return None


def seconds_of(column: Any, unit: str = "s") -> npt.NDArray[np.float64]:
    """Times of an Arrow column as seconds since 1970; NaN where nobody can tell. Numbers count `unit`s. The stream cuts
    fractions off."""
    import numpy as np
    import pyarrow as pa

    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return _told.seconds(column, unit=unit)
    # Spark does not check that its text is UTF-8. A cell that is not is a bad time, and troubles no other row.
    times = [_told.second_of(_text_of(cell), unit) for cell in column.cast(pa.binary()).to_pylist()]
    return np.array([np.nan if time is None else time for time in times], dtype=np.float64)
