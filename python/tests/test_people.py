"""Streams that limit the rows of a person by ids."""

import decimal
import enum
import fractions
import uuid

import jme
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

SETTINGS = {
    "on_bad_row": "fail",
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


def notes_of(ids, **settings):
    rows = {"who": ids, "x": np.full(len(ids), 0.5), "y": np.full(len(ids), 0.5)}
    with jme.Stream(**{**SETTINGS, **settings}) as stream:
        stream.push(rows)
        return {note[0]: note[1] for note in stream._notes()}


SOMEBODY = uuid.UUID("12345678-1234-5678-1234-567812345678")


@pytest.mark.parametrize(
    "same",
    [
        pytest.param([7, np.int64(7), np.uint8(7), "7", np.str_("7"), 7.0, np.float64(7), np.float32(7)], id="whole"),
        pytest.param([0.5, np.float64(0.5), np.float32(0.5), np.float16(0.5), "0.5"], id="float"),
        pytest.param([7, fractions.Fraction(7), enum.IntEnum("Who", {"seven": 7}).seven, "7"], id="other numbers"),
        pytest.param([SOMEBODY, str(SOMEBODY), SOMEBODY], id="UUID"),
        pytest.param(pd.Series([np.int64(7), 7, "7"], dtype=object), id="objects of pandas"),
        pytest.param(np.array([np.int64(7), 7, "7"], dtype=object), id="objects of numpy"),
    ],
)
def test_an_id_is_the_same_in_every_type(same):
    assert notes_of(same) == {"rows_over_limit": len(same) - 2}


def test_what_is_missing_is_nobody():
    missing = [None, float("nan"), np.float64("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), "", "NA"]
    assert notes_of(missing) == {"nobodys_rows": len(missing)}
    assert notes_of(np.ma.masked_array([7, 7], mask=[False, True])) == {"nobodys_rows": 1}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "bool"),
        (np.True_, "numpy.bool"),
        (b"ann", "bytes"),
        (decimal.Decimal(7), "decimal.Decimal"),
        (fractions.Fraction(1, 3), "fractions.Fraction"),
        (1j, "complex"),
        (("ann", 7), "tuple"),
        (pd.Timestamp("2026-01-01"), "Timestamp"),
        (np.datetime64("2026-01-01"), "numpy.datetime64"),
        (np.timedelta64(7, "s"), "numpy.timedelta64"),
    ],
)
def test_an_id_that_is_none_is_refused_and_not_nobody(value, kind):
    with jme.Stream(**SETTINGS) as stream:
        with pytest.raises(TypeError, match=kind):
            stream.push({"who": ["ann", value], "x": [0.5, 0.5], "y": [0.5, 0.5]})
        assert stream.rows == 0
    # Where one record must not end the run for all others it is nobody's, as in a file of JSON.
    with jme.Stream(**{**SETTINGS, "on_bad_row": "zero"}) as stream:
        stream.push({"who": ["ann", value], "x": [0.5, 0.5], "y": [0.5, 0.5]})
        assert [(note["kind"], note["count"]) for note in stream.notes] == [("nobodys_rows", 1)]
        for column in (np.array([True, False]), pa.array([b"ann", b"bob"])):
            with pytest.raises(TypeError, match="an id is text"):
                stream.push({"who": column, "x": [0.5, 0.5], "y": [0.5, 0.5]})


def test_whole_ids_that_their_float_cannot_tell_apart_are_refused():
    assert notes_of(np.array([2**24 - 1] * 3, np.float32)) == {"rows_over_limit": 1}
    for ids in (np.array([2**24], np.float32), [np.float32(2**24)], pd.Series([2**24], dtype="Float32")):
        with pytest.raises(TypeError, match="not exact as floats"):
            notes_of(ids)


@pytest.mark.parametrize("ids", [["ann"], ["ann", "bob", "eve"], []], ids=["too few", "too many", "none"])
def test_rows_and_their_ids_come_all_or_none(ids):
    with jme.Stream(**SETTINGS) as stream:
        with pytest.raises(jme.DataError, match=f"who has {len(ids)} values for 2 rows; none of the rows was taken"):
            stream.push({"who": ids, "x": [0.5, 0.5], "y": [0.5, 0.5]})
        assert stream.rows == 0 and not stream._notes()


@pytest.mark.parametrize("ids", ["ab", b"ab", {"a", "b"}, {"a": 1, "b": 2}], ids=lambda ids: type(ids).__name__)
def test_a_column_of_ids_has_an_order(ids):
    with jme.Stream(**SETTINGS) as stream, pytest.raises(TypeError, match="a value for each row"):
        stream.push({"who": ids, "x": [0.5, 0.5], "y": [0.5, 0.5]})


def test_two_columns_of_ids_are_refused():
    frame = pd.DataFrame([["ann", 0.5, 0.5, "bob"]] * 2, columns=["who", "x", "y", "who"])
    with jme.Stream(**SETTINGS) as stream, pytest.raises(jme.InvalidParameter, match="who twice"):
        stream.push(frame)


def test_a_person_that_is_a_data_column_is_refused_before_any_row():
    for kind in (jme.Stream, jme.BlockSum):
        with pytest.raises(jme.InvalidParameter, match="person") as caught:
            kind(bounds={"x": (0, 1)}, person="x", rows_per_person=1, sigma=1, rows=10)
        assert caught.value.field == "person"
