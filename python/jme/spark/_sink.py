"""A structured stream, whose micro-batches go to the open slot of a stream under the id (query, batch)."""

from __future__ import annotations

import json
import logging
import os
from typing import TYPE_CHECKING, Any, NoReturn

from .. import _settings
from ..errors import Conflict, Error, InvalidParameter
from ._job import Config, Job, check_settings, given_settings
from ._places import SERVED, Folder, Place, Server
from ._sums import Notes

if TYPE_CHECKING:
    from types import TracebackType

    from pyspark.sql import DataFrame

_log = logging.getLogger("jme.spark")
_QUERY = "sql.streaming.queryId"

BATCHES_ARE_PUBLIC = (
    "Rows came in micro-batches. When they came, and how many rows each had, is public and not protected."
)


def sink(
    config: Config,
    *,
    name: str,
    state: str | os.PathLike[str] | None = None,
    url: str | None = None,
    token: str | None = None,
    public_batches: bool = False,
    keep_stored: bool = False,
    mergers: int | None = None,
    patience: float = 300,
) -> Sink:
    """What `df.writeStream.foreachBatch` takes: the rows of every micro-batch count once in the stream `name`.

    The stream is kept in the folder `state` of this machine, or by the server at `url`, to which `token` may write.
    Steps are slots of time (`every="15m", steps=96`): rows count in the slot that is open when their sums arrive,
    slots end by the clock, and how many rows came is private.

    A stream takes the batches of one query: after its checkpoint was deleted, a query is another one, which would give
    its rows again. The same batch again with the same rows is answered as before. With other rows it is refused, unless
    `keep_stored`: then what was taken first stays, and the other rows count nowhere.

    `public_batches`: steps are rows (`rows`, `every`), and the sizes and times of batches are public and decided by no
    row. `patience`: how many seconds a server that does not answer is tried again."""
    if (state is None) == (url is None):
        raise InvalidParameter("state: give either the folder state or the url of a server", field="state")
    place: Place
    if url is not None:
        place = Server(url, name, token, patience)
    given = {"on_bad_row": "zero", **given_settings(config)}
    check_settings(given, "sink", public_batches)
    job = Job({**SERVED, **given})
    settings = json.loads(_encoded(given))
    if url is None:
        place = Folder(os.fspath(state or ""), name, settings)
    else:
        place.create(settings)
    return Sink(job, name, place, public_batches, keep_stored, mergers)


def _encoded(given: dict[str, Any]) -> str:
    text, matrices = _settings.encoded(given)
    if matrices:
        raise InvalidParameter("workload and shape must have names: a stream that is served takes no matrices")
    return text


class Sink:
    """Called by Spark with every micro-batch."""

    def __init__(
        self, job: Job, name: str, place: Place, public_batches: bool, keep_stored: bool, mergers: int | None
    ) -> None:
        self._job = job
        self._place = place
        self.name = name
        self._public_batches = public_batches
        self._keep_stored = keep_stored
        self._mergers = mergers
        self._notes = Notes()

    def __call__(self, frame: DataFrame, batch_id: int) -> None:
        self.take(_query_of(frame), batch_id, self._job.parts(frame, self._mergers))

    def take(self, query: str, batch: int, parts: list[tuple[int, bytes]]) -> None:
        """Gives a batch to the stream. An empty one is kept under its id too: it must not come again with rows."""
        notes = Notes()
        sums = self._job.merged(parts, f"stream {self.name}, batch {batch}", notes)
        if sums.rows == 0 and self._public_batches:
            return  # a step that is rows has some
        try:
            self._place.take(f"{query}:{batch}", sums.to_bytes(), query)
            self._notes.update(notes)
        except Conflict as error:
            if not (error.same_id and self._keep_stored):
                raise
            _log.warning("stream %s: batch %d came again with other rows; what was taken first stays", self.name, batch)

    def releases(self, since: int = 0) -> list[dict[str, Any]]:
        """Releases after `since` as `jme run` writes them, where the stream is in a folder of this machine."""
        return [json.loads(line) for line in self._place.lines(since)]

    @property
    def notes(self) -> list[dict[str, Any]]:
        """What was not as it came in the batches that this sink was given, with counts: a batch that came twice is
        counted twice. These numbers are exact, so that they are for the owner of the rows alone."""
        return self._notes.as_list()

    @property
    def statement(self) -> str:
        """The guarantee in plain words."""
        text = self._place.statement()
        return f"{text}\n\n{BATCHES_ARE_PUBLIC}" if self._public_batches else text

    @property
    def is_finished(self) -> bool:
        return self._place.is_finished()

    def close(self) -> None:
        """Lets go of the state folder. What was taken is on disk; the next process goes on."""
        self._place.close()

    def __enter__(self) -> Sink:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a sink belongs to its process and is not sent elsewhere; Spark Connect would send it to its server: "
            "run the query in a classic session"
        )

    def __repr__(self) -> str:
        return f"<jme.spark.Sink of the stream {self.name}>"


def _query_of(frame: DataFrame) -> str:
    try:
        context = frame.sparkSession.sparkContext
    except Exception as error:
        raise Error("Spark Connect does not say which query a batch belongs to: run it in a classic session") from error
    query = context.getLocalProperty(_QUERY)
    if not query:
        raise Error("a sink is called by foreachBatch of a streaming query, which has an id")
    return str(query)
