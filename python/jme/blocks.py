"""Sums of rows that are made elsewhere than their stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core, _inputs, _settings
from ._notes import notes_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import Settings

# Where a stream is kept and how it is watched says nothing about its rows.
OF_THE_STREAM = [field.name for field in _settings.FIELDS.values() if field.group == "Durable runs"]


class BlockSum:
    """The sums of some rows of one block, clipped and snapped, as whole numbers: the same bytes however a block's rows
    are divided, and in whatever order the parts are merged.

    RAW DATA: it has no noise. Whoever holds it knows sums of people's rows.

    The keywords are those of the stream that will take it; `Stream.block_sum` gives an empty one.

    >>> import jme
    >>> settings = dict(epsilon=1, delta=1e-6, bounds={"x": (0, 1)}, rows=4, every=4)
    >>> here, there = jme.BlockSum(**settings), jme.BlockSum(**settings)
    >>> here.add([(0.25,), (0.5,)]); there.add([(0.75,), (1.0,)])
    >>> here.merge(there)
    >>> [r.t for r in jme.Stream(**settings).push_block(here)]
    [4]
    """

    def __init__(self, **settings: Unpack[Settings]) -> None:
        given = _settings.checked("BlockSum()", settings)
        rows_alone = {name: value for name, value in given.items() if name not in OF_THE_STREAM}
        self._stream = _core.Stream(*_settings.encoded(rows_alone))
        if not self._stream._is_open:
            self._stream._places(None, self._stream.dimension)
            self._stream._check_block_room(0)
        self._core = _core.BlockSum(self._stream)
        self._settings = settings

    @property
    def rows(self) -> int:
        return self._core.rows

    @property
    def notes(self) -> list[dict[str, Any]]:
        """As `Stream.notes`, about the rows that were added here. Sums that were merged or loaded have none: their
        notes stay where the rows were added."""
        return notes_of(self._core.notes())

    def add(self, rows: Any) -> None:
        """Adds whatever holds rows, as `Stream.push` takes it: all of them or none."""
        _inputs.push(_Sink(self._stream, self._core), rows)

    def merge(self, other: BlockSum) -> None:
        """Adds the sums of other rows of the same block."""
        check(other)
        self._core.merge(other._core)

    def to_bytes(self) -> bytes:
        """The same bytes for the same sums, to be sent to the stream's place."""
        return self._core.bytes()

    @classmethod
    def from_bytes(cls, data: bytes, **settings: Unpack[Settings]) -> BlockSum:
        """What `to_bytes` gave. Refused where it is damaged, or was made with other columns, bounds or rules."""
        block = cls(**settings)
        block._core.load(data)
        return block

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlockSum) and bool(self._core == other._core)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return (_from_state, (self.to_bytes(), self._settings))

    def __repr__(self) -> str:
        return f"<jme.BlockSum of {self.rows} rows: raw data>"


def check(block: Any) -> None:
    if not isinstance(block, BlockSum):
        raise TypeError(f"block must be a BlockSum, not {_settings.type_name(block)}")


class _Sink:
    """What takes the rows of an input: as a stream does, but into a sum."""

    def __init__(self, stream: _core.Stream, block: _core.BlockSum) -> None:
        self._stream = stream
        self._block = block
        self._is_open = True
        self._zeroes_bad_rows = stream._zeroes_bad_rows
        self.columns = stream.columns

    def _places(self, names: list[str] | None, width: int) -> list[int]:
        return self._stream._places(names, width)

    def _check_columns(self, columns: list[Any], before: int) -> None:
        self._block._check_columns(columns, before)

    def _take_columns(self, columns: list[Any]) -> None:
        self._block._take_columns(columns)

    def _check_room(self, rows: int) -> None:
        self._stream._check_block_room(rows + self._block.rows)

    def _tell_read(self, rows: int) -> None:
        pass

    def _left(self) -> int:
        return self._stream._block_room() - self._block.rows

    def _push_arrow(self, source: object) -> None:
        self._block.push_arrow(self._stream, source)


def _from_state(data: bytes, settings: dict[str, Any]) -> BlockSum:
    return BlockSum.from_bytes(data, **settings)
