"""Cells outside of their bounds are counted for the owner of the rows, who is warned where there are many."""

import warnings

import jme
import numpy as np
import pytest

SETTINGS = {"epsilon": 1, "delta": 1e-6, "bounds": {"temp": (86, 113), "pulse": (30, 220)}, "rows": 1000, "every": 100}
WARNING = "of the cells of temp were below its lower bound 86 and were clamped to it: check the bounds and the units"


def celsius(count, clamped=None):
    rows = np.column_stack([np.full(count, 90.0), np.full(count, 70.0)])
    rows[: count if clamped is None else clamped, 0] = 37.1
    return rows


def as_data_frame(rows):
    return pytest.importorskip("pandas").DataFrame(rows, columns=["temp", "pulse"])


def as_table(rows):
    return pytest.importorskip("pyarrow").table({"temp": rows[:, 0], "pulse": rows[:, 1]})


def as_rows(rows):
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("form", [np.asarray, as_data_frame, as_table, as_rows])
def test_clamped_cells_are_in_the_notes_with_one_warning_for_each_column(form):
    stream = jme.Stream(**SETTINGS)
    with pytest.warns(UserWarning, match="100% " + WARNING) as told:
        stream.push(form(celsius(200)))
        stream.push(form(celsius(100)))
    assert len(told) == 1
    assert told[0].filename == __file__
    assert stream.notes == [{"kind": "clamped_low", "count": 300, "rows": 300, "column": "temp"}]


def test_rows_one_by_one_warn_when_there_are_enough_of_them_to_judge():
    stream = jme.Stream(**SETTINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stream.push((37.1, 70))  # one of one cell is no share
        for _ in range(98):
            stream.push((90, 70))
        stream.push((90, 70))
    with pytest.warns(UserWarning, match=r"1\.98% " + WARNING):
        stream.push((37.1, 70))
    assert stream.notes[0]["count"] == 2


def test_a_short_stream_warns_at_its_end():
    for end in (lambda stream: stream.finish(), lambda stream: stream.close()):
        stream = jme.Stream(**SETTINGS)
        stream.push([(37.1, 70), (37.2, 70)])
        with pytest.warns(UserWarning, match="100% " + WARNING):
            end(stream)
        assert stream.notes[0]["count"] == 2


def test_one_per_cent_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with jme.Stream(**SETTINGS) as stream:
            stream.push(celsius(300, clamped=3))
    assert stream.notes == [{"kind": "clamped_low", "count": 3, "rows": 300, "column": "temp"}]


def test_a_warning_that_is_an_error_loses_no_release():
    stream = jme.Stream(**SETTINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            stream.push(celsius(200))
    assert stream.rows == 200
    assert [release.t for release in stream.releases()] == [100, 200]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [release.t for release in stream.push(celsius(100))] == [300]


def test_releases_are_those_of_values_at_the_bound():
    seeded = {**SETTINGS, "insecure_test_seed": 7}
    rows = celsius(200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = jme.Stream(**seeded).push(rows)
    rows[:, 0] = 86
    expected = jme.Stream(**seeded).push(rows)
    assert found[-1].mean.tobytes() == expected[-1].mean.tobytes()


def test_a_sum_made_elsewhere_has_its_own_notes():
    sums = jme.BlockSum(**SETTINGS)
    sums.add(celsius(100))
    assert sums.notes == [{"kind": "clamped_low", "count": 100, "rows": 100, "column": "temp"}]
    stream = jme.Stream(**SETTINGS)
    stream.push_block(sums)
    assert stream.notes == []


def test_all_records_of_a_person_are_counted_whether_they_count_or_not():
    pd = pytest.importorskip("pandas")
    stream = jme.Stream(**SETTINGS, person="who", rows_per_person=1)
    with pytest.warns(UserWarning, match="100% " + WARNING):
        stream.push(pd.DataFrame({"who": ["ann"] * 200, "temp": [37.1] * 200, "pulse": [70.0] * 200}))
    assert {note["kind"]: note["count"] for note in stream.notes} == {"rows_over_limit": 199, "clamped_low": 200}


def test_a_stream_with_a_limit_says_which_rows_its_numbers_are_about():
    pd = pytest.importorskip("pandas")
    stream = jme.Stream(**SETTINGS, person="who", rows_per_person=3)
    stream.push(pd.DataFrame({"who": ["ann"] * 100, "temp": [90.0] * 100, "pulse": [70.0] * 100}))
    assert "rows that count (at most 3 per person)" in stream._repr_html_()
    assert "rows that count (at most 3 per person), counted privately" in stream.report()
    assert "about the rows that count (at most 3 per person), not about all rows" in stream.statement
    assert "rows that count" not in jme.Stream(**SETTINGS)._repr_html_()


def test_a_bad_row_counts_nowhere_by_default_where_counts_are_private():
    stream = jme.Stream(**SETTINGS, private_count=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stream.push([(90, 70), (float("inf"), 70), (90, float("nan"))])
    assert stream.rows == 3
    assert stream.notes == [{"kind": "unread_rows", "count": 2, "rows": 3}]
    assert stream.metadata["configuration"]["on_bad_row"] == "zero"
    assert "is a row without cells, and the run goes on" in stream.statement
    strict = jme.Stream(**SETTINGS, private_count=True, on_bad_row="fail")
    with pytest.raises(jme.DataError):
        strict.push([(90, 70), (float("inf"), 70)])
    assert "A record that cannot be used ends the run" in strict.statement
    plain = jme.Stream(**SETTINGS)
    assert plain.metadata["configuration"]["on_bad_row"] == "fail"
    with pytest.raises(jme.DataError):
        plain.push([(90, 70), (float("inf"), 70)])


def test_rows_that_cannot_be_used_are_told_once_where_there_are_many():
    """No push ends with them, so somebody who gives a wrong column would else not notice."""
    pd = pytest.importorskip("pandas")
    stream = jme.Stream(**SETTINGS, person="who", rows_per_person=1)
    nobody = pd.DataFrame({"who": [True] * 200, "temp": [90.0] * 200, "pulse": [70.0] * 200}).astype({"who": object})
    with pytest.warns(UserWarning, match="100% of the rows could not be used .* and count nowhere; notes has") as told:
        stream.push(nobody)
        stream.push(nobody)
    assert len(told) == 1
    rows = celsius(200, clamped=0)
    rows[:2, 0] = np.inf
    zero = jme.Stream(**SETTINGS, on_bad_row="zero")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        zero.push(rows)
        rows[:, 0] = np.inf
        with pytest.raises(UserWarning, match=r"50\.5% of the rows .* and count as zero"):
            zero.push(rows)
