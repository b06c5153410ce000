"""What a configuration means for rows that are summed by executors."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .. import _core, _settings
from ..blocks import OF_THE_STREAM
from ..errors import InvalidParameter
from ._sums import Notes, Sums

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_log = logging.getLogger("jme.spark")
Config = Mapping[str, Any] | str | os.PathLike[str]
Part = tuple[int, bytes]

PARTS_SCHEMA = "slot bigint, part bigint, sums binary"
# In the place of a slot: a part that has notes for the owner of the rows, and no sums.
_NOTES = -1
# Partial sums up to this size go straight to the driver; larger ones are merged by executors first.
BYTES_TO_DRIVER = 1 << 14

_SPARK_NUMBERS = ("ByteType", "ShortType", "IntegerType", "LongType", "FloatType", "DoubleType", "BooleanType")
_SPARK_TIMES = ("TimestampType", "TimestampNTZType", "DateType", "StringType", *_SPARK_NUMBERS[:-1])


def given_settings(config: Config) -> dict[str, Any]:
    """The settings of a mapping or a settings file, by the engine's names."""
    if not isinstance(config, Mapping):
        with open(config, encoding="utf-8") as file:
            try:
                config = json.load(file)
            except ValueError as error:
                raise InvalidParameter(f"config: {os.fspath(file.name)} is not JSON: {error}", field="config") from None
        if not isinstance(config, dict):
            raise InvalidParameter("config must be one JSON object", field="config")
    return _settings.checked("jme.spark", config)


def refuse(field: str, why: str) -> InvalidParameter:
    return InvalidParameter(f"{field} {why}", field=field)


def check_settings(given: Mapping[str, Any], call: str, public_batches: bool = False) -> None:
    """What sums that are made by executors cannot do. The reasons are in docs/spark.md."""
    _core.check_sums(_settings.encoded(given)[0], call, public_batches)


class Job:
    """How executors turn rows into sums, and what must come with every partial sum. It is sent to executors, and has
    nothing that is secret: no key is in it."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        rows_alone = {name: value for name, value in given.items() if name not in OF_THE_STREAM}
        rows_alone.pop("insecure_test_seed", None)
        self._encoded = _settings.encoded(rows_alone)
        sums = self.sums()
        self.columns: list[str] = sums.columns
        self.time: str = sums.time
        self.has_slots: bool = sums.has_slots
        self.names: list[str] = sums.names
        self._bytes = len(sums.empty())

    def sums(self) -> Sums:
        return Sums(_core.Stream(*self._encoded))

    # On executors.

    def sum_rows(self, batches: Iterator[Any]) -> Iterator[Any]:
        """For mapInArrow: the rows of one partition, with the columns of `check_columns` in their order, become one row
        for each slot that has some."""
        sums = self.sums()
        for batch in batches:
            sums.add(batch)
        yield from _batch_of(sums.parts(), sums.notes(), _partition())

    def merge_parts(self, batches: Iterator[Any]) -> Iterator[Any]:
        """For mapInArrow: partial sums become one for each slot."""
        sums, notes = self.sums(), Notes()
        for batch in batches:
            slots, parts = batch.column("slot").to_pylist(), batch.column("sums").to_pylist()
            for slot, part in zip(slots, parts, strict=True):
                _merge(sums, notes, slot, part)
        yield from _batch_of(sums.parts(), notes, 0)

    # On the driver.

    def parts(self, frame: DataFrame, mergers: int | None) -> list[Part]:
        """Runs the job. Which executors did what, how often and in which order leaves no trace in what comes back."""
        from pyspark.sql import functions

        # By place from here on: mapInArrow itself does not find columns that have dots in their names.
        names = enumerate(self.check_columns(frame))
        rows = frame.select([functions.col(quoted(name)).alias(f"c{place}") for place, name in names])
        partial = rows.mapInArrow(self.sum_rows, PARTS_SCHEMA)
        if mergers is None:
            mergers = self._mergers(frame)
        if mergers > 0:
            # By a hash of what is in the row, not in turn: a task that runs again sends every part to the same place.
            place = (functions.col("part") % mergers).alias("part")
            spread = partial.select("slot", place, "sums").repartition(mergers, "slot", "part")
            partial = spread.mapInArrow(self.merge_parts, PARTS_SCHEMA)
        return [(row["slot"], bytes(row["sums"])) for row in partial.collect()]

    def merged(self, parts: list[Part], about: str, notes: Notes | None = None) -> Sums:
        """Adds to `notes`, and tells the log of the driver, what was not as it came. Logs are kept and shown by others:
        how many rows it was stands there only where its owner asks for it."""
        sums = self.sums()
        notes = Notes() if notes is None else notes
        for slot, part in parts:
            _merge(sums, notes, slot, part)
        if text := str(notes):
            _log.log(logging.WARNING if notes.rows_are_lost else logging.INFO, "%s: %s", about, text)
            _log.debug("%s: %s; keep these numbers to yourself", about, notes.as_list())
        return sums

    def _mergers(self, frame: DataFrame) -> int:
        if not self.time and self._bytes <= BYTES_TO_DRIVER:
            return 0
        cores = int(frame.sparkSession.sparkContext.defaultParallelism)
        return max(2, int(cores**0.5))

    def check_columns(self, frame: DataFrame) -> list[str]:
        """The columns that are read, by their exact names. Throws before any row is looked at."""
        wanted = self.names
        for name in wanted:
            found = [field for field in frame.schema.fields if field.name == name]
            if len(found) != 1:
                has = ", ".join(frame.columns)
                what = f"the DataFrame has no column {name}; it has {has}" if not found else f"it has {name} twice"
                raise InvalidParameter(f"columns: {what}", field="columns")
            kind = type(found[0].dataType).__name__
            if name == self.time and kind not in _SPARK_TIMES:
                raise refuse("time", f"is column {name} of {kind}: must be a timestamp, a date, text in ISO 8601 or "
                             "seconds since 1970")  # fmt: skip
            if name != self.time and kind not in _SPARK_NUMBERS:
                raise refuse("columns", f"has {name} of {kind}, which is no number; cast it if it should be one")
        return wanted


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _partition() -> int:
    spark = sys.modules.get("pyspark")  # always there in an executor
    context = None if spark is None else spark.TaskContext.get()
    return 0 if context is None else int(context.partitionId())


def _merge(sums: Sums, notes: Notes, slot: int, part: bytes) -> None:
    notes.add_bytes(part) if slot == _NOTES else sums.merge(slot, part)


def _batch_of(parts: list[Part], notes: Notes, partition: int) -> Iterator[Any]:
    import pyarrow as pa

    if notes:
        parts = [*parts, (_NOTES, notes.to_bytes())]
    if not parts:
        return
    slots, sums = zip(*parts, strict=True)
    columns = [pa.array(slots, pa.int64()), pa.array([partition] * len(parts), pa.int64()), pa.array(sums, pa.binary())]
    yield pa.RecordBatch.from_arrays(columns, names=["slot", "part", "sums"])
