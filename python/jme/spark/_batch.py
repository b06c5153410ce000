"""A DataFrame that is there as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _settings
from ..blocks import BlockSum
from ..stream import Stream
from ._job import Config, Job, check_settings, given_settings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from ..releases import Releases


def moments(frame: DataFrame, config: Config, *, mergers: int | None = None) -> Releases:
    """The releases of all rows of a DataFrame: one, or one for each slot of time where `every` is a length of time and
    `time`, `from` and `until` say when rows happened. Executors add up, this process adds the noise: the numbers are
    those that `jme run` gives for the same rows, settings and key.

    `config`: the settings of `jme.Stream` (a mapping, or the path of a settings file). With `state` the releases are
    kept: the same rows again give them again and spend nothing, other rows are refused. `mergers`: how many tasks merge
    partial sums before the driver does (0: none; by default some where the sums are large).

    The sums that come to the driver are raw data, and so is what Spark keeps of them between two stages."""
    given = batch_settings(config)
    job = Job(given)
    job.check_columns(frame)
    with Stream(**_keywords(given)) as stream:
        sums = job.merged(job.parts(frame, mergers), "moments")
        if job.time:
            releases: Releases = sums.release_to(stream)
        elif sums.rows == 0:
            releases = stream.releases()
        else:
            releases = sums.block()._push_to(stream, "all rows")
    return releases


def block_sum(frame: DataFrame, config: Config, *, mergers: int | None = None) -> BlockSum:
    """The sums of all rows of a DataFrame as one block, for `Stream.push_block`.

    RAW DATA: it has no noise."""
    given = {"on_bad_row": "zero", **given_settings(config)}
    check_settings(given, "block_sum")
    job = Job(given)
    block = BlockSum(**_keywords(given))
    block._core.load(job.merged(job.parts(frame, mergers), "block_sum").to_bytes())
    return block


def batch_settings(config: Config) -> dict[str, Any]:
    """Rows of a DataFrame have no order, so that they are one block or find their slots by their own times."""
    given = {"on_bad_row": "zero", **given_settings(config)}
    if "time" not in given and "rows" in given:
        given.setdefault("every", given["rows"])
    check_settings(given, "moments")
    return given


def _keywords(given: dict[str, Any]) -> dict[str, Any]:
    return {_settings.keyword_of(name): value for name, value in given.items()}
