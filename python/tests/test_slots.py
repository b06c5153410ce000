"""Rows with times of their own, in slots of time."""

import datetime

import jme
import numpy as np
import pytest
from conftest import same_releases

SETTINGS = {
    "on_bad_row": "fail",
    "epsilon": 1,
    "delta": 1e-6,
    "bounds": {"x": (0, 1)},
    "every": "1h",
    "time": "when",
    "from_": "2026-01-01",
    "until": "2026-01-02",
    "insecure_test_seed": 5,
}
START = 1767225600


def rows(count=500):
    generator = np.random.default_rng(1)
    return START + generator.integers(-3600, 90000, count), generator.random(count)


def released(*pushes, **others):
    with jme.Stream(**{**SETTINGS, **others}) as stream:
        for push in pushes:
            assert len(stream.push(push)) == 0
        return stream.finish()


def test_every_form_of_a_time_goes_to_the_same_slot():
    pd = pytest.importorskip("pandas")
    when, x = rows()
    whole = released({"when": when, "x": x})
    assert [release.t for release in whole] == list(range(1, 25))
    moments = [datetime.datetime.fromtimestamp(int(t), datetime.timezone.utc) for t in when]
    forms = [
        {"when": when + 0.75, "x": x},
        {"when": [m.isoformat() for m in moments], "x": x},
        {"when": [m.replace(tzinfo=None) for m in moments], "x": x},
        {"when": when.astype("datetime64[s]"), "x": x},
        {"when": when.astype("datetime64[s]").astype("datetime64[ns]"), "x": x},
        pd.DataFrame({"when": pd.to_datetime(when, unit="s"), "x": x}),
        pd.DataFrame({"when": pd.to_datetime(when, unit="s", utc=True).tz_convert("Asia/Tokyo"), "x": x}),
    ]
    for form in forms:
        same_releases(released(form), whole)
    order = np.argsort(x)
    half = len(x) // 2
    parts = [{"when": when[part], "x": x[part]} for part in (order[:half], order[half:])]
    same_releases(released(*parts), whole)


def test_a_file_with_the_same_rows_gives_the_same_releases(command):
    when, x = rows()
    lines = command(np.column_stack([when, x]), ["when", "x"], **SETTINGS)
    found = released({"when": when, "x": x})
    for release, line in zip(found, lines[1:], strict=True):
        assert release.t == line["t"]
        assert [None if np.isnan(mean) else mean for mean in release.mean] == line["mean"]
        assert release.row_count.value == line["rows"]


def test_a_row_without_a_time_is_a_bad_row():
    push = {"when": [START, None, "noon", float("nan")], "x": [0.5] * 4}
    with jme.Stream(**SETTINGS) as stream, pytest.raises(jme.DataError, match="no time"):
        stream.push(push)
    only = {"when": [START], "x": [0.5]}
    same_releases(released(push, on_bad_row="zero"), released(only, on_bad_row="zero"))


def test_rows_of_a_person_are_limited_in_windows_by_their_own_times():
    people = {"person": "who", "sigma": 1e-4, "epsilon": None, "delta": None}
    push = {"who": ["ann"] * 48, "when": START + 3600 * (np.arange(48) % 24), "x": [0.5] * 48}
    for limit, count in ((3, 3), ("1/slot", 24), ("2/12h", 4), ("2/12h:3", 3)):
        settings = {k: v for k, v in {**SETTINGS, **people, "rows_per_person": limit}.items() if v is not None}
        with jme.Stream(**settings) as stream:
            stream.push(push)
            assert round(stream.finish()[-1].row_count.value) == count


def test_rows_without_times_are_refused():
    with jme.Stream(**SETTINGS) as stream:
        with pytest.raises(TypeError, match="named columns"):
            stream.push(np.zeros((2, 1)))
        with pytest.raises(jme.DataError, match="when"):
            stream.push({"x": [0.5]})
