"""Streams that limit the rows of a person by ids."""

import jme
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

SETTINGS = {
    "person": "who",
    "rows_per_person": 2,
    "bounds": {"x": [0, 1], "y": [0, 1]},
    "sigma": 0.001,
    "rows": 12,
    "every": 12,
    "insecure_test_seed": 1,
}


def columns():
    rows = 12
    return {
        "who": ["ann", "bob", "ann", "ann", None, "", 7, 7, 7, "7", "eve", "ann"],
        "x": np.linspace(0, 1, rows),
        "y": np.linspace(1, 0, rows),
    }


def test_only_the_first_rows_of_a_person_count():
    with jme.Stream(**SETTINGS) as stream:
        stream.push(columns())
        assert "all rows of one person together" in stream.statement
        notes = {note[0]: note[1] for note in stream._notes()}
    # ann 2 of 4, bob 1, 7 two of four, eve 1; two are nobody's.
    assert notes == {"rows_over_limit": 4, "nobodys_rows": 2}


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_a_table_gives_the_same(table):
    given = columns()
    if table is not pd.DataFrame:  # their columns have one type
        given["who"] = [None if who is None else str(who) for who in given["who"]]
    with jme.Stream(**SETTINGS) as stream:
        stream.push(table(given))
        notes = {note[0]: note[1] for note in stream._notes()}
    assert notes == {"rows_over_limit": 4, "nobodys_rows": 2}


def test_rows_without_a_person_are_refused():
    with jme.Stream(**SETTINGS) as stream:
        with pytest.raises(TypeError, match="named columns"):
            stream.push(np.zeros((2, 2)))
        with pytest.raises(jme.DataError, match="who"):
            stream.push({"x": [0.5], "y": [0.5]})
        assert stream.rows == 0


def test_nobodys_missing_id_gives_others_another_id():
    pd = pytest.importorskip("pandas")
    # One missing id makes the whole column floats.
    whole = pd.DataFrame({"who": [7, 7], "x": [0.5, 0.5], "y": [0.5, 0.5]})
    holes = pd.DataFrame({"who": [7, None], "x": [0.5, 0.5], "y": [0.5, 0.5]})
    with jme.Stream(**SETTINGS) as stream:
        stream.push(whole)
        stream.push(holes)
        notes = {note[0]: note[1] for note in stream._notes()}
        assert notes == {"rows_over_limit": 1, "nobodys_rows": 1}
        with pytest.raises(TypeError, match="not exact as floats"):
            stream.push({"who": [2.0**60], "x": [0.5], "y": [0.5]})
