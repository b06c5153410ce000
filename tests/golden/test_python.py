"""The package gives the recorded releases, whatever the rows come in."""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import golden
import inputs
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import CASES

sys.path.insert(0, os.environ["JME_PYTHON_DIR"])

import jme

RELEASES = {case: recorded["releases"] for case, recorded in golden.load().items()}
# The package cannot search bounds, and wants one workload for both moments.
NAMED = [case for case in CASES if CASES[case].get("bounds") != "auto" and "workload2" not in CASES[case]]
PLAIN = [case for case in NAMED if not {"person", "time"} & set(CASES[case])]


def settings(case: str, **more: Any) -> dict[str, Any]:
    names = {"from": "from_"}
    given = {names.get(key, key): value for key, value in CASES[case].items() if key != "emit"}
    return {**given, **more}


def released(case: str, pushes: Iterator[Any], **more: Any) -> list[dict[str, Any]]:
    with jme.Stream(**settings(case, **more)) as stream:
        found = [release for push in pushes for release in stream.push(push)]
        found += stream.finish()
        return [golden.recorded(as_line(release, CASES[case]["emit"]), CASES[case]["emit"]) for release in found]


def as_line(release: Any, quantities: list[str]) -> dict[str, Any]:
    line = {name: np.asarray(getattr(release, name)).tolist() for name in quantities}
    return {"t": release.t, **line}


def in_pieces(rows: Any, length: int) -> Iterator[Any]:
    return (rows[begin : begin + length] for begin in range(0, len(rows), length))


@pytest.mark.parametrize("length", [1, 37, 5000])
@pytest.mark.parametrize("case", PLAIN)
def test_arrays_have_the_recorded_releases(case: str, length: int):
    assert released(case, in_pieces(inputs.numbers(case), length)) == RELEASES[case]


@pytest.mark.parametrize("make", [pd.DataFrame, pa.table], ids=["pandas", "pyarrow"])
@pytest.mark.parametrize("case", NAMED)
def test_tables_have_the_recorded_releases(case: str, make: Callable[[Any], Any]):
    assert released(case, iter([make(inputs.table(case))])) == RELEASES[case]


@pytest.mark.parametrize("case", PLAIN)
def test_a_durable_stream_has_the_recorded_releases(case: str, tmp_path: pathlib.Path):
    assert released(case, in_pieces(inputs.numbers(case), 150), state=str(tmp_path / "state")) == RELEASES[case]
