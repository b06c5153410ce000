"""Streams of rows and their private releases."""

from __future__ import annotations

import inspect
import json
import os
import tempfile
import warnings
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, overload

from . import _core, _html, _settings, _tables, blocks
from ._notes import notes_of
from .plans import Plan

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Unpack

    from ._keywords import Settings
    from .blocks import BlockSum
    from .releases import Release, Releases


class Stream(_core.Stream):
    """Private running mean and covariance of a stream of rows.

    Everything public is fixed at the start: the budget, the most rows there will ever be, the range of each column.
    Rows then come by `push`, all at once or one after another, and releases come back. Watching all of them, however
    long, tells about any single row no more than the budget allows.

    >>> import jme
    >>> s = jme.Stream(epsilon=1, delta=1e-6, bounds={"temp": (-20, 45), "co": (0, 100)}, rows=4000, every=1000)
    >>> releases = s.push([(15.0, 40.0), (17.5, 42.5)] * 2000)
    >>> [r.t for r in releases]
    [1000, 2000, 3000, 4000]
    >>> releases[-1].covariance.shape
    (2, 2)

    With `state="folder"` the stream is durable: it survives its process. Give the rows again from the first one, and
    the releases that were made before come again; nothing is drawn twice.

    A stream belongs to the thread that made it, and cannot be used after a fork or pickled: its noise must not be used
    twice.

    Keywords, of which `epsilon`, `delta`, `rows` and `bounds` (or `norm_bound`) are what most streams need. They are
    the flags of `jme run` and the keys of its settings file, so `Stream(**json.load(file))` is the same run.
    Those that say how a file is read change nothing here.
    """

    def __init__(self, **settings: Unpack[Settings]) -> None:
        given = _settings.checked("Stream()", settings)
        text, matrices = _settings.encoded(given)
        super().__init__(text, matrices)
        for note in self._notes_on_budget():
            warnings.warn(note, UserWarning, stacklevel=2)
        self._given = settings
        self._settings_text = text

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting, with the defaults of those that were not given: what `jme run --config` reads."""
        settings: dict[str, Any] = json.loads(_core.complete_settings(self._settings_text))
        return settings

    @property
    def metadata(self) -> dict[str, Any]:
        """What readers of the releases must know: the first line that `jme run` writes. All of it is public."""
        metadata: dict[str, Any] = json.loads(self._metadata())
        return metadata

    @property
    def notes(self) -> list[dict[str, Any]]:
        """How many rows and cells were not as they came. These counts are data: keep them to yourself.

        `clamped_low` and `clamped_high` count the cells of a column that were below and above its bounds; their `rows`
        is the number of rows that had a cell in this column. A `UserWarning` tells of columns with more than 1%."""
        return notes_of(self._notes())

    @overload
    def follow(self, source: Iterable[Any]) -> Iterator[Release]: ...
    @overload
    def follow(self, source: AsyncIterable[Any]) -> AsyncIterator[Release]: ...
    def follow(self, source: Iterable[Any] | AsyncIterable[Any]) -> Iterator[Release] | AsyncIterator[Release]:
        """Releases as they come, while `source` gives one row, or one table of rows, after another. Each is pushed as
        soon as it is there; with an asynchronous source, `async for`. The stream stays open when the source ends.

        >>> import jme
        >>> s = jme.Stream(epsilon=1, delta=1e-6, bounds={"x": (0, 1)}, rows=1000, every=2)
        >>> [r.t for r in s.follow((0.5,) for _ in range(6))]
        [2, 4, 6]
        """
        if isinstance(source, AsyncIterable):
            return self._follow_async(source)
        if _tables.has_columns(source) and not isinstance(source, Iterator):
            source = [source]  # a table, whose items are its columns
        return (release for rows in source for release in self.push(rows))

    async def _follow_async(self, source: AsyncIterable[Any]) -> AsyncIterator[Release]:
        async for rows in source:
            for release in self.push(rows):
                yield release

    def plan(self) -> Plan:
        """The errors to expect of this stream. `jme.plan` compares others."""
        return Plan(json.loads(self._plan()))

    def block_sum(self) -> BlockSum:
        """An empty sum for rows of one block of this stream, to be filled here or elsewhere."""
        return blocks.BlockSum(**self._given)

    def push_block(self, block: BlockSum, id: str = "") -> Releases:
        """Takes a whole block whose rows were summed elsewhere. A durable stream needs an `id` that is never given to
        other rows: the same block again gives the same release."""
        blocks.check(block)
        releases: Releases = block._core._push_to(self, id)
        return releases

    def report(self, path: str | os.PathLike[str] | None = None, *, title: str = "") -> str:
        """One HTML page about the releases so far, which works offline and may be published as it is. Written to `path`
        where one is given, whole or not at all; returned in any case."""
        page = self._page(title)
        if path is not None:
            _write(os.fspath(path), page)
        return page

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a stream cannot be pickled or copied: its noise would be used twice; pickle its releases")

    def __repr__(self) -> str:
        names = ", ".join(self.columns) if self._is_open else "columns not known yet"
        unit = "slots" if self._has_slots else "rows"
        return f"<jme.Stream of {names}: {self.rows} {unit}{', durable' if self.is_durable else ''}>"

    def _repr_html_(self) -> str:
        return _html.stream(self)


Stream.__init__.__signature__ = _settings.signature(  # type: ignore[attr-defined]
    [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
)
Stream.__doc__ = (Stream.__doc__ or "") + _settings.described()


def _write(path: str, text: str) -> None:
    folder = os.path.dirname(path) or "."
    mask = os.umask(0)
    os.umask(mask)
    handle, draft = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(draft, 0o666 & ~mask)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
