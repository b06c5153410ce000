"""Streams whose rows have times of their own."""

from __future__ import annotations

import datetime
import decimal
import time
import warnings

import jme
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from jme import _told

SETTINGS = {
    "on_bad_row": "fail",
    "bounds": {"x": (0, 1)},
    "sigma": 1e-6,
    "every": "1h",
    "time": "when",
    "from_": "2026-01-01",
    "until": "2026-01-01T03:00",
    "insecure_test_seed": 1,
}
SECOND = 1767225600  # 2026-01-01
NINE = SECOND + 3600


def released(*pushes, **settings):
    stream = jme.Stream(**{**SETTINGS, **settings})
    for rows in pushes:
        stream.push(rows)
    return [release.mean.tobytes() for release in stream.finish()]


EXPECTED = {"when": [SECOND, NINE, NINE + 7000], "x": [0.25, 0.5, 0.75]}
INSTANT = datetime.datetime(2026, 1, 1, 1, tzinfo=datetime.timezone.utc)


@pytest.mark.parametrize(
    "nine",
    [
        pytest.param(np.int64(NINE), id="numpy.int64"),
        pytest.param(np.uint32(NINE), id="numpy.uint32"),
        pytest.param(np.float64(NINE), id="numpy.float64"),
        pytest.param(np.str_("2026-01-01T01:00"), id="numpy.str_"),
        pytest.param(np.datetime64("2026-01-01T01:00:00.999999999"), id="numpy.datetime64"),
        pytest.param(np.array("2026-01-01T01", "M8[h]"), id="array without dimensions"),
        pytest.param(pd.Timestamp("2026-01-01T01:00:00.999999999"), id="pandas.Timestamp"),
        pytest.param(pd.Timestamp("2026-01-01T10:00", tz="Asia/Tokyo"), id="with a zone"),
        pytest.param(INSTANT, id="datetime"),
        pytest.param("2026-01-01T01:00Z", id="text"),
    ],
)
def test_a_time_is_the_same_in_every_type(nine):
    expected = released(EXPECTED)
    when = [SECOND, nine, NINE + 7000]
    assert released({**EXPECTED, "when": when}) == expected
    assert released(pd.DataFrame({**EXPECTED, "when": pd.Series(when, dtype=object)})) == expected


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_a_table_gives_the_same(table):
    when = [datetime.datetime.fromtimestamp(second, datetime.timezone.utc) for second in EXPECTED["when"]]
    assert released(table({**EXPECTED, "when": when})) == released(EXPECTED)


SECONDS = np.array([SECOND, NINE, -1, NINE + 7000], dtype="M8[s]")  # the third is outside of the schedule
PARTS = SECONDS.astype("M8[ns]") + np.timedelta64(999_999_999, "ns")
BULK = {
    "numpy, ns": PARTS,
    "numpy, hours": SECONDS.astype("M8[h]"),
    "numpy, masked": np.ma.masked_array(PARTS, mask=[False] * 4),
    "numpy, floats": SECONDS.astype("i8") + 0.75,
    "numpy, whole numbers": SECONDS.astype("i4"),
    "pandas": pd.Series(PARTS),
    "pandas, s": pd.Series(SECONDS),
    "pandas, zone": pd.Series(PARTS).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
    "pandas, Int64": pd.Series(SECONDS.astype("i8")).astype("Int64"),
    "pandas, arrow": pd.Series(PARTS).astype(pd.ArrowDtype(pa.timestamp("ns"))),
    "polars": pl.Series(PARTS),
    "polars, zone": pl.Series(PARTS).dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"),
    "polars, ms": pl.Series(PARTS).dt.cast_time_unit("ms"),
    "datetimes": PARTS.astype("M8[us]").tolist(),
    "datetimes with a zone": [t.replace(tzinfo=datetime.timezone.utc) for t in PARTS.astype("M8[us]").tolist()],
    "pandas, objects": pd.Series(PARTS.astype("M8[us]").tolist(), dtype=object),
    "pyarrow": pa.array(PARTS),
    "pyarrow, chunks": pa.chunked_array([pa.array(PARTS[:2]), pa.array(PARTS[2:])]),
    "pyarrow, zone": pa.array(PARTS.astype("M8[us]")).cast(pa.timestamp("us", "Asia/Tokyo")),
}


@pytest.mark.parametrize("kind", BULK)
def test_columns_of_times_are_read_as_their_times_are(kind):
    rows = {"x": [0.25, 0.5, 1.0, 0.75]}
    expected = released({"when": [SECOND, NINE, -1, NINE + 7000], **rows})
    if kind == "numpy, hours":
        expected = released({"when": [SECOND, NINE, -3600, NINE + 3600], **rows})
    stream = jme.Stream(**SETTINGS)
    stream.push({"when": BULK[kind], **rows})
    assert stream.notes == [{"kind": "rows_outside", "count": 1, "rows": 4}]
    assert [release.mean.tobytes() for release in stream.finish()] == expected


@pytest.mark.parametrize(
    "column",
    [
        np.array([NINE, "NaT"], dtype="M8[s]"),
        np.array([NINE, np.nan]),
        np.array([NINE, np.inf]),
        np.ma.masked_array(np.array([NINE, NINE]), mask=[False, True]),
        pd.Series([pd.Timestamp(NINE, unit="s"), pd.NaT]),
        pd.Series([NINE, pd.NA], dtype="Int64"),
        pl.Series([datetime.datetime(2026, 1, 1, 1), None]),
        pl.Series([datetime.date(2026, 1, 1), None]),
        pa.array([datetime.datetime(2026, 1, 1, 1), None]),
        pa.chunked_array([pa.array([datetime.date(2026, 1, 1), None])]),
    ],
    ids=lambda column: f"{type(column).__module__} {column.dtype if hasattr(column, 'dtype') else column.type}",
)
def test_a_hole_in_a_column_of_times_is_a_row_without_a_time(column):
    stream = jme.Stream(**SETTINGS)
    with pytest.raises(jme.DataError, match="row 2, column when: has no time"):
        stream.push({"when": column, "x": [0.5, 0.5]})


def test_times_that_nanoseconds_cannot_hold_are_read():
    far = np.array(["2026-01-01T01", "3000-01-01"], dtype="M8[s]")
    expected = [NINE, int(far[1].astype("i8"))]
    series = pd.Series(far)
    for column in (far, series, series.dt.tz_localize("UTC"), pl.Series(far.astype("M8[ms]")), pa.array(far)):
        assert _told.seconds(column).tolist() == expected


def test_datetimes_are_read_all_at_once():
    """One by one they took 2 s. The limit is ten times what they take on a slow machine."""
    count = 429_000
    when = pd.Series(np.arange(SECOND, SECOND + count).astype("M8[s]"))
    zoned, parts = when.dt.tz_localize("UTC"), when.to_numpy().astype("M8[us]")
    for column in (when, zoned, parts, pl.Series(parts), pa.array(parts)):
        began = time.process_time()
        found = _told.seconds(column)
        assert time.process_time() - began < 0.2
        assert found.tolist() == list(range(SECOND, SECOND + count))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, "bool"),
        (np.False_, "numpy.bool"),
        (b"2026-01-01", "bytes"),
        (decimal.Decimal(SECOND), "decimal.Decimal"),
        (datetime.time(1), "datetime.time"),
        (datetime.timedelta(hours=1), "datetime.timedelta"),
        (np.timedelta64(1, "h"), "numpy.timedelta64"),
        (1j, "complex"),
    ],
)
def test_a_time_that_is_none_is_refused_and_not_missing(value, kind):
    stream = jme.Stream(**SETTINGS)
    with pytest.raises(TypeError, match=kind):
        stream.push({"when": [SECOND, value], "x": [0.5, 0.5]})
    assert stream.notes == []
    # Where one record must not end the run for all others it is a bad row.
    stream = jme.Stream(**{**SETTINGS, "on_bad_row": "zero"})
    stream.push({"when": [SECOND, value], "x": [0.5, 0.5]})
    (note,) = stream.notes
    assert (note["kind"], note["count"]) == ("unread_rows", 1)


def test_a_column_that_can_have_no_times_is_refused_also_where_bad_rows_count():
    for column in (np.array([True, False]), pd.Series([1, 2], dtype="timedelta64[s]"), pa.array([True, False])):
        stream = jme.Stream(**{**SETTINGS, "on_bad_row": "zero"})
        with pytest.raises(TypeError, match="a time is a datetime"):
            stream.push({"when": column, "x": [0.5, 0.5]})


@pytest.mark.parametrize(
    ("unit", "per_second"), [("s", 1), ("ms", 1000), ("us", 10**6), ("minute", 1 / 60), ("hour", 1 / 3600)]
)
def test_numbers_count_the_unit_and_other_times_stay_what_they_are(unit, per_second):
    """The release is that of the same times in seconds, and so are the times of the metadata."""
    when = [SECOND, NINE, NINE + 7200]
    rows = {"when": [second * per_second for second in when], "x": [0.25, 0.5, 0.75]}
    expected = released({**rows, "when": when})
    assert released(rows, time_unit=unit) == expected
    assert released(pd.DataFrame(rows), time_unit=unit) == expected
    dated = [datetime.datetime.fromtimestamp(second, datetime.timezone.utc) for second in when]
    assert released({**rows, "when": dated}, time_unit=unit) == expected
    text = [str(rows["when"][0]), "2026-01-01T01:00", dated[2]]
    assert released({**rows, "when": text}, time_unit=unit) == expected
    stream = jme.Stream(**SETTINGS, time_unit=unit)
    assert stream.metadata["configuration"]["from"] == jme.Stream(**SETTINGS).metadata["configuration"]["from"]


def test_a_unit_of_time_is_checked():
    with pytest.raises(jme.InvalidParameter, match="s, ms, us, minute, hour or day") as caught:
        jme.Stream(**SETTINGS, time_unit="fortnight")
    assert caught.value.field == "time_unit"


def test_times_of_the_wrong_unit_warn_their_owner():
    hours = {"when": [SECOND / 3600 + i / 8 for i in range(24)], "x": [0.5] * 24}
    stream = jme.Stream(**SETTINGS)
    stream.push(hours)
    with pytest.warns(UserWarning, match=r"\(24 of 24\) have a time outside of the schedule .* time_unit says"):
        assert len(stream.finish()) == 3
    day = {**SETTINGS, "from_": "1970-01-01", "until": "1970-01-02"}
    stream = jme.Stream(**day)
    stream.push({"when": list(range(24)), "x": [0.5] * 24})
    with pytest.warns(UserWarning, match=r"\(24 of 24\) are in the same slot of time, which begins at 1970-01-01T00"):
        stream.finish()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = jme.Stream(**day, time_unit="hour")
        right.push({"when": list(range(24)), "x": [0.5] * 24})
        assert len(right.finish()) == 24


MISSING = [None, float("nan"), np.float32("nan"), pd.NaT, pd.NA, np.datetime64("NaT")]
MISSING += ["", "noon", 10**400, float("inf")]


@pytest.mark.parametrize("missing", MISSING, ids=lambda value: f"{type(value).__name__} {str(value)[:9]}")
def test_a_push_with_a_missing_time_takes_no_row(missing):
    """The rows may be pushed again once the time is known."""
    rows = {"when": [NINE, missing, NINE], "x": [0.75, 0.25, 0.5]}
    stream = jme.Stream(**SETTINGS)
    stream.push(EXPECTED)
    with pytest.raises(jme.DataError, match="row 5, column when: has no time that can be read; none of") as caught:
        stream.push(rows)
    assert (caught.value.row, caught.value.column) == (5, "when")
    stream.push({**rows, "when": [NINE, SECOND, NINE]})
    found = [release.mean.tobytes() for release in stream.finish()]
    assert found == released(EXPECTED, {**rows, "when": [NINE, SECOND, NINE]})


@pytest.mark.filterwarnings("ignore:more than half of the rows:UserWarning")
def test_no_piece_of_a_long_push_is_taken_before_a_missing_time_is_found():
    rows = 200_000  # more than are converted, or looked at, at a time
    when = np.full(rows, NINE, dtype="M8[s]")
    x = np.linspace(0, 1, rows)
    for table in (dict, pd.DataFrame, pa.table):
        stream = jme.Stream(**SETTINGS)
        whole = when.copy()
        whole[-1] = np.datetime64("NaT")
        with pytest.raises(jme.DataError, match=f"row {rows},"):
            stream.push(table({"when": whole, "x": x}))
        stream.push(table({"when": when, "x": x}))
        assert [release.mean.tobytes() for release in stream.finish()] == released({"when": when, "x": x})


def test_a_missing_time_makes_a_bad_row_where_these_count():
    stream = jme.Stream(**{**SETTINGS, "on_bad_row": "zero"})
    stream.push({"when": MISSING, "x": np.full(len(MISSING), 0.5)})
    masked = np.ma.masked_array(np.array([NINE, NINE], dtype="M8[s]"), mask=[True, False])
    stream.push({"when": masked, "x": [0.5, 0.5]})
    (note,) = stream._notes()
    assert note[:3] == ("unread_rows", len(MISSING) + 1, len(MISSING) + 2)


@pytest.mark.parametrize("times", [[NINE], [NINE] * 3, []], ids=["too few", "too many", "none"])
def test_rows_and_their_times_come_all_or_none(times):
    rows = {"when": times, "x": [0.5, 0.5]}
    stream = jme.Stream(**SETTINGS)
    with pytest.raises(jme.DataError, match=f"when has {len(times)} values for 2 rows; none of") as caught:
        stream.push(rows)
    assert caught.value.column == "when"
    with pytest.raises(jme.DataError, match="the rows have no column when") as caught:
        stream.push({"x": [0.5, 0.5]})
    assert caught.value.column == "when"
    stream.push(EXPECTED)
    assert [release.mean.tobytes() for release in stream.finish()] == released(EXPECTED)


def test_rows_outside_of_the_schedule_are_noted():
    stream = jme.Stream(**SETTINGS)
    stream.push(EXPECTED)
    assert stream.notes == []
    stream.push({"when": ["2030-01-01", "2025-12-31T23:59:59", "2026-01-01T03:00", SECOND], "x": [1, 1, 1, 0.5]})
    assert stream.notes == [{"kind": "rows_outside", "count": 3, "rows": 7}]
    stream.finish()
    stream.close()
    assert stream.notes == [{"kind": "rows_outside", "count": 3, "rows": 7}]


TOKYO = datetime.timezone(datetime.timedelta(hours=9))


@pytest.mark.parametrize(
    "start",
    [
        datetime.date(2026, 1, 1),
        datetime.datetime(2026, 1, 1),
        datetime.datetime(2026, 1, 1, 0, 0, 0, 250_000),  # cut off, as those of rows
        datetime.datetime(2026, 1, 1, 9, tzinfo=TOKYO),
        pd.Timestamp("2026-01-01"),
        pd.Timestamp("2026-01-01T09:00", tz="Asia/Tokyo"),
        np.datetime64("2026-01-01"),
        np.datetime64("2026-01-01T00", "h"),
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    "hour",
    [
        datetime.timedelta(hours=1),
        pd.Timedelta("1h"),
        np.timedelta64(1, "h"),
        np.timedelta64(3600 * 10**9, "ns"),
    ],
    ids=repr,
)
def test_a_schedule_may_be_of_times_and_lengths_of_any_type(start, hour):
    assert released(EXPECTED, from_=start, every=hour) == released(EXPECTED)
    settings = jme.Stream(**{**SETTINGS, "from_": start, "every": hour}).settings
    assert released(EXPECTED, **{**settings, "insecure_test_seed": 1}) == released(EXPECTED)


@pytest.mark.parametrize(
    ("keyword", "value", "words"),
    [
        ("every", datetime.timedelta(seconds=1.5), "0:00:01.500000 is not a positive whole number of seconds"),
        ("every", datetime.timedelta(0), "not a positive whole number of seconds"),
        ("every", -pd.Timedelta("1h"), "not a positive whole number of seconds"),
        ("every", pd.Timedelta(3600 * 10**9 + 1, "ns"), "not a positive whole number of seconds"),
        ("every", np.timedelta64(1, "M"), "not a positive whole number of seconds"),
        ("every", np.timedelta64(1), "not a positive whole number of seconds"),
        (
            "every",
            datetime.time(1),
            "every: must be a whole number of at least 1, or a length of time .* datetime.time",
        ),
        ("every", np.timedelta64("NaT"), "every: is missing"),
        ("from_", pd.NaT, "from_: is missing"),
        (
            "until",
            datetime.datetime.max.replace(tzinfo=datetime.timezone(-datetime.timedelta(hours=1))),
            "until: .*9999",
        ),
        ("from_", pd.Period("2026-01-01"), "from_: must be a time in ISO 8601 .*, not pandas"),
        ("sigma", decimal.Decimal(1), "sigma: must be .*, not decimal.Decimal"),
        ("columns", {"x"}, "columns: must be .*, not set"),
        ("time", b"when", "time: must be text, not bytes"),
        ("bounds", {"x": (datetime.date(2026, 1, 1), 1)}, "bounds: must be a pair of numbers for each column"),
        ("bounds", {"x": 1}, "bounds: must be a pair of numbers for each column"),
        ("bounds", 1, "bounds: must be a pair of numbers for each column"),
    ],
    ids=str,
)
def test_a_setting_of_a_type_that_is_none_is_refused_by_its_keyword(keyword, value, words):
    with pytest.raises(jme.InvalidParameter, match=words) as caught:
        jme.Stream(**{**SETTINGS, keyword: value})
    assert caught.value.field == keyword


@pytest.mark.parametrize("settings", [{"bounds": {"when": (0, 1)}}, {"bounds": {"x": (0, 1), "when": (0, 1)}}])
def test_a_time_that_is_a_data_column_is_refused_before_any_row(settings):
    with pytest.raises(jme.InvalidParameter, match="time") as caught:
        jme.Stream(**{**SETTINGS, **settings})
    assert caught.value.field == "time"


def test_a_stream_of_slots_says_how_many_slots_were_released_and_nothing_of_rows():
    stream = jme.Stream(**SETTINGS)
    stream.push(EXPECTED)
    assert repr(stream) == "<jme.Stream of x: 0 slots>"
    stream.finish()
    assert repr(stream) == "<jme.Stream of x: 3 slots>"
    assert "3 slots so far" in stream._repr_html_()
