# Made by scripts/generate from the table of settings.
import datetime
import os
from collections.abc import Mapping, Sequence
from typing import TypedDict

import numpy as np
import numpy.typing as npt

Range = tuple[float, float] | list[float]

class Settings(TypedDict, total=False):
    # csv, ndjson or npy (default: by the file's extension; stdin is csv)
    format: str | os.PathLike[str] | None
    # none, gzip or xz (default: by the file's extension, .gz or .xz; stdin is plain)
    compression: str | os.PathLike[str] | None
    # Columns to use, in this order, by name or number (default: the bounded ones, else all of the header's; without
    # a header they must be given here, by bounds or, as 1 to D, by dimension)
    columns: str | Sequence[str] | None
    # PUBLIC range of every column; values are clamped to it and results come back in these units; or @FILE: ranges
    # that jme bounds found, on records that the run leaves out; or auto: the run finds them itself from its first
    # records, which it then leaves out
    bounds: str | Mapping[str, Range] | Sequence[Range] | None
    # With bounds @FILE: take the records that were searched for bounds too; both spend privacy on them
    same_rows: bool | None
    # The first CSV line is a row, not names; columns are 1, 2, ..
    no_header: bool | None
    # Cells of every record that has no header and no keys (default: the largest column number that columns, bounds,
    # person or time name); records of another width are bad rows
    width: int | str | None
    # What a CSV record is: lines (default), one line whatever quotes it holds, safe where people control bytes; or
    # quoted, cells with line breaks (RFC 4180), for files that a CSV writer made
    records: str | os.PathLike[str] | None
    # Between CSV fields (default ,): one character, or tab, semicolon or pipe
    delimiter: str | os.PathLike[str] | None
    # Decimal sign of CSV numbers: point (default), or comma for 1,5; then a point is no part of a number
    decimal: str | os.PathLike[str] | None
    # fail: the run ends there; or zero: it counts as the zero row or, where counts are private, nowhere (default:
    # zero with private-count, person, missing observed or slots of time, else fail)
    on_bad_row: str | os.PathLike[str] | None
    # Missing cells become: centre (of the bounds), mean (as last released), model (predicted from the last release
    # and the row's other cells), PUBLIC values, such as mean,RAIN=0; or nothing (observed: results are over the
    # cells that are there, which are counted privately; needs bounds); or fail (default: the row is bad)
    missing: str | os.PathLike[str] | None
    # When a row happened: ISO 8601 (UTC where it has no offset) or seconds since 1970. With every, from and until
    # every row counts in the slot of its own time
    time: str | os.PathLike[str] | int | None
    # What numbers in the column of times count since 1970: s (default), ms, us, minute, hour or day
    time_unit: str | os.PathLike[str] | None
    # When the first slot of time begins (live input: by default with the slot in which the run starts)
    from_: str | os.PathLike[str] | float | datetime.date | np.datetime64 | None
    # When the last slot of time ends, exclusive; left out for live input, which has steps
    until: str | os.PathLike[str] | float | datetime.date | np.datetime64 | None
    # Live input with time: a row whose own time is before the open slot counts in it (current, default) or nowhere
    # (drop)
    late: str | os.PathLike[str] | None
    # Wait for more at the end of a file that grows; it may be rotated by renaming
    follow: bool | None
    # Records to search for bounds, the first of the input, readable or not; the run leaves them out
    first: int | str | None
    # The column that says whose row it is: with rows-per-person, only so many rows of a person count, the first
    # ones, and the number of rows is private; an id is text or a number and is never published
    person: str | os.PathLike[str] | int | None
    # Privacy loss, with delta
    epsilon: float | str | None
    # Slack of the guarantee, in (0, 1); well below 1/people
    delta: float | str | None
    # Noise multiplier, in place of epsilon and delta
    sigma: float | str | None
    # replace-one (default) or add-remove (default with slots of time)
    adjacency: str | os.PathLike[str] | None
    # Rows one person may contribute (default 1)
    participations: int | str | None
    # Any two of them are at least this many rows apart (default 1)
    separation: int | str | None
    # Rows of a person that count, enforced by ids (person): the promise is about all rows of a person together;
    # near the median number of rows that a person has. With slots of time also P/day, P/6h or P/slot: so many in
    # each window, about whose rows the promise then is; P/day:N, and N in all, or P/day:all: about all rows of a
    # person again
    rows_per_person: int | str | None
    # At most this many rows will ever come, or unbounded
    rows: int | str | None
    # The same in releases: rows = steps * every; with slots of time, their number
    steps: int | str | None
    # Publish after every K rows (default 1); more rows per release mean less noise. Or after every slot of time:
    # 90s, 15m, 1h, 1d; how many rows a slot has is then private
    every: int | str | datetime.timedelta | np.timedelta64 | None
    # Numbers in a row
    dimension: int | str | None
    # Largest Euclidean length of a row; longer rows are clipped
    norm_bound: float | str | None
    # What rows lie in: box (every cell in [-1, 1], as bounds make them), ball (of the norm bound, as in the paper),
    # ball-trace (the ball, and the trace is released besides) or auto (default: the one with less noise)
    geometry: str | os.PathLike[str] | None
    # How many rows exist is private and released with noise; bad rows do not exist
    private_count: bool | None
    # prefix, mean (default), decay:0.99, window:100 or @matrix.npy; with slots of time decay:half=1d, window:24h
    workload: str | os.PathLike[str] | npt.ArrayLike | None
    # The same for the second moment (default: as the first)
    workload2: str | os.PathLike[str] | npt.ArrayLike | None
    # Second moment: full (default), diagonal or none
    second: str | os.PathLike[str] | None
    # jme (default), lambda-jme, ime, cs, pp or pp-debiased
    method: str | os.PathLike[str] | None
    # auto (default), identity, sqrt, banded:16, banded-inverse:16, blt:4, scaled-blt:4, scaled-blt:4:prefix, dense
    # or @matrix.npy
    shape: str | os.PathLike[str] | npt.ArrayLike | None
    # The same for the second moment (default: as the first)
    shape2: str | os.PathLike[str] | npt.ArrayLike | None
    # Weight of the second moment for jme and lambda-jme
    lambda_: float | str | None
    # free (default), balanced, or the weight of the second moment's error
    balance: float | str | None
    # ime: the first moment's share of the budget (default 0.5)
    alpha: float | str | None
    # cs: weight of the squares (default 1/norm-bound^2)
    tau: float | str | None
    # What auto minimises: rmse (default) or max
    objective: str | os.PathLike[str] | None
    # Most memory auto may use, in vectors (default 5; windows: 256 MB)
    max_state_vectors: int | str | None
    # Threads that share large steps (default: as many as the processor has, where they help)
    threads: int | str | None
    # Keep the stream there: after a crash the same command goes on where it was
    state: str | os.PathLike[str] | None
    # Whose data these are (default: default); jme ledger adds up what was spent on each source
    source: str | os.PathLike[str] | None
    # Name of the stream, where a source has several
    stream: str | os.PathLike[str] | None
    # Releases within this many milliseconds share a commit (default 50; 0: one commit each)
    commit_interval: int | str | None
    # At the end of input leave a partial block open for a longer input, instead of ending the stream
    leave_open: bool | None
    # Refuse to start a stream that brings the source's total above this mu
    max_mu: float | str | None
    # first, second, mean, covariance, correlation, precision, pca:K, regression:COLUMN, density (default
    # mean,covariance)
    emit: str | Sequence[str] | None
    # Keep the covariance's bias instead of removing it
    raw: bool | None
    # Project covariances to the nearest positive semidefinite matrix
    psd: bool | None
    # Accept a delta of 0.1 or more, which protects almost nothing
    allow_weak: bool | None
    # Reproducible noise that protects NOBODY; for tests
    insecure_test_seed: int | str | None
