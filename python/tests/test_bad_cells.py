"""Where bad rows count as zero, a cell that is no number makes its own row bad and no other."""

from __future__ import annotations

import datetime
import decimal

import jme
import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import BOUNDS, SEEDED, made_up, same_releases

NAMES = list(BOUNDS)
SETTINGS = {**SEEDED, "rows": 400, "every": 50, "on_bad_row": "zero"}

# (row, column) of what is no number, and of what is one although it is an object.
STRAY = {
    (3, 0): "n/a",
    (3, 2): None,  # the row is bad already
    (10, 1): "17",  # text that looks like a number is text
    (11, 2): b"1",
    (20, 0): datetime.date(2026, 1, 1),
    (21, 1): 1j,
    (22, 1): 10**400,
    (30, 2): object(),
    (31, 0): decimal.Decimal("sNaN"),
}
EXACT = {(40, 0): decimal.Decimal("1.5"), (41, 1): True, (42, 2): np.float32(0.5), (43, 0): 7}
BAD = sorted({row for row, _ in STRAY})


@pytest.fixture
def rows(rng):
    return made_up(rng, 200)


@pytest.fixture
def cells(rows):
    """Objects, and the numbers that stand for them: an infinite cell makes a bad row."""
    held = rows.astype(object)
    for (row, column), value in {**STRAY, **EXACT}.items():
        held[row, column] = value
        rows[row, column] = float(value) if (row, column) in EXACT else np.inf
    return held


HOLDERS = {
    "frame": lambda cells: pd.DataFrame(cells, columns=NAMES),
    "frame with one column of objects": lambda cells: pd.DataFrame(cells, columns=NAMES).infer_objects(),
    "array": lambda cells: cells,
    "masked array": lambda cells: np.ma.masked_array(cells, mask=np.zeros(cells.shape, bool)),
    "tuples": lambda cells: [tuple(row) for row in cells],
    "generator": lambda cells: (list(row) for row in cells),
    "arrays of one row": list,
    "lists by name": lambda cells: {name: list(column) for name, column in zip(NAMES, cells.T, strict=True)},
    "columns by name": lambda cells: dict(zip(NAMES, cells.T, strict=True)),
    "series by name": lambda cells: dict(pd.DataFrame(cells, columns=NAMES).items()),
    "frames": lambda cells: [pd.DataFrame(part, columns=NAMES) for part in (cells[:25], cells[25:])],
}


@pytest.mark.parametrize("kind", HOLDERS)
def test_a_cell_that_is_no_number_makes_its_row_bad_and_no_other(rows, cells, kind):
    expected, stream = jme.Stream(**SETTINGS), jme.Stream(**SETTINGS)
    releases = expected.push(rows)
    assert expected.notes[0] == {"kind": "bad_rows", "count": len(BAD), "rows": 200}
    same_releases(stream.push(HOLDERS[kind](cells)), releases)
    assert stream.notes == expected.notes
    settings = {**SETTINGS, "rows": 200, "every": 200}
    block, other = jme.BlockSum(**settings), jme.BlockSum(**settings)
    block.add(HOLDERS[kind](cells))
    other.add(rows)
    assert block.to_bytes() == other.to_bytes()


@pytest.mark.parametrize("row", [("a", 1.0, 2.0), [1.0, "b", 2.0], ("a", "b", "c"), (1.0, 2.0, b"3")], ids=str)
def test_a_single_row_with_text_is_one_bad_row(row):
    stream = jme.Stream(**SETTINGS)
    stream.push((1.0, 2.0, 3.0))
    stream.push(row)
    assert stream.notes == [{"kind": "bad_rows", "count": 1, "rows": 2}]


def test_the_columns_of_a_first_push_may_have_text():
    stream = jme.Stream(epsilon=1, delta=1e-6, norm_bound=2, dimension=2, rows=10, on_bad_row="zero")
    stream.push(pd.DataFrame({"a": [1.0, "x"], "b": [0.5, 0.5]}, dtype=object))
    assert stream.columns == ["a", "b"]
    assert stream.notes == [{"kind": "bad_rows", "count": 1, "rows": 2}]


def test_none_and_nan_are_missing_cells_and_not_bad_ones(rows):
    held = rows.astype(object)
    held[5, 0], held[6, 1], held[7, 2], held[8, 0] = None, float("nan"), np.float64("nan"), "text"
    stream = jme.Stream(**SETTINGS, missing="mean")
    stream.push(pd.DataFrame(held, columns=NAMES))
    kinds = {note["kind"]: note["count"] for note in stream.notes if "column" not in note}
    assert kinds == {"bad_rows": 1, "filled_rows": 3}


def test_people_with_a_bad_cell_use_up_their_limit_alone():
    settings = {"sigma": 1e-3, "bounds": {"x": (0, 1)}, "rows": 100, "every": 5, "on_bad_row": "zero"}
    stream = jme.Stream(**settings, person="who", rows_per_person=1, insecure_test_seed=7)
    stream.push(pd.DataFrame({"who": ["ann", "ann", "bob", "eve", "dan"], "x": ["?", 1.0, 0.5, 0.5, 0.5]}))
    notes = {note["kind"]: note["count"] for note in stream.notes}
    assert notes == {"unread_rows": 1, "rows_over_limit": 1}


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (pd.DataFrame({"temp": ["1", "2"], "co": [2.0, 1.0], "rain": [1.0, 1.0]}, dtype="string"), "temp is not of"),
        (pd.DataFrame({"temp": pd.to_datetime(["2026-01-01"]), "co": [1.0], "rain": [1.0]}), "temp is not of numbers"),
        (pl.DataFrame({"temp": ["1"], "co": [2.0], "rain": [1.0]}), "temp is not of numbers but of text"),
        (np.array([["1", "2", "3"]]), "an array of numbers"),
        ({"temp": np.array(["1"]), "co": [1.0], "rain": [1.0]}, "temp is not of numbers"),
        ([(1.0, [2.0], 3.0)], "row 1, value 2: a number was expected, not list"),
        ([(1.0, 2.0, pd.DataFrame({"a": [1.0]}))], "row 1, value 3: a number was expected, not DataFrame"),
        ([(1.0, 2.0, 3.0), "row"], "row 2: a row is a tuple"),
    ],
    ids=["text column", "dates", "arrow text", "text array", "text by name", "a list", "a table", "text as a row"],
)
def test_a_column_whose_type_has_no_numbers_is_refused_whatever_bad_rows_do(held, words):
    stream = jme.Stream(**SETTINGS)
    with pytest.raises(TypeError, match=words):
        stream.push(held)
    assert stream.rows == 0


@pytest.mark.parametrize("kind", HOLDERS)
def test_where_bad_rows_fail_such_a_cell_is_refused_and_no_row_is_taken(cells, kind):
    stream = jme.Stream(**{**SETTINGS, "on_bad_row": "fail"})
    with pytest.raises(TypeError):
        stream.push(HOLDERS[kind](cells))
    assert stream.rows == 0


def test_a_file_with_the_same_cells_has_the_same_bad_rows(rows, tmp_path):
    import json
    import os
    import subprocess

    binary = os.environ.get("JME_BINARY", "")
    if not binary:
        pytest.skip("JME_BINARY does not name the command")
    held = rows.astype(object)
    held[4, 1] = held[9, 0] = "broken"
    frame = pd.DataFrame(held, columns=NAMES)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "run.json").write_text(json.dumps(SETTINGS))
    words = [binary, "run", str(tmp_path / "rows.csv"), "--config", str(tmp_path / "run.json")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = jme.Stream(**SETTINGS).push(frame)
    assert [r.mean.tolist() for r in found] == [line["mean"] for line in lines[1:]]
