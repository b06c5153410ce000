"""Spark gives the recorded releases of tests/golden, however the rows are divided among executors."""

from __future__ import annotations

import sys
from pathlib import Path

import jme
import jme.spark
import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

import golden
import inputs
from cases import CASES

RELEASES = {case: recorded["releases"] for case, recorded in golden.load().items()}


@pytest.mark.parametrize("case", ["slots", "slots-decay", "slots-window", "slots-replace", "slots-observed"])
def test_slots_have_the_recorded_releases(spark, case):
    settings = {key: value for key, value in CASES[case].items() if key != "emit"}
    frame = spark.createDataFrame(pd.DataFrame(inputs.table(case))).replace(float("nan"), None)
    for partitions in (1, 3, 7):
        releases = jme.spark.moments(frame.repartition(partitions), settings)
        quantities = CASES[case]["emit"]
        found = [{name: np.asarray(getattr(r, name)).tolist() for name in quantities} | {"t": r.t} for r in releases]
        assert [golden.recorded(line, quantities) for line in found] == RELEASES[case]
