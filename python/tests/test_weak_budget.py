"""Budgets that protect next to nobody."""

import warnings

import jme
import pytest

STREAM = {"bounds": {"x": (0, 1)}, "rows": 1000, "every": 100}


def test_a_weak_budget_is_a_warning_and_stands_in_the_metadata():
    with pytest.warns(UserWarning, match="is above") as caught:
        stream = jme.Stream(epsilon=11, delta=0.01, **STREAM)
    told = [str(one.message) for one in caught]
    assert any("epsilon = 11 is above 10" in text for text in told)
    assert any("delta = 0.01 is above 1/rows = 0.001" in text for text in told)
    assert stream.metadata["privacy"]["notes"] == told
    assert all(one.filename == __file__ for one in caught)


def test_a_usual_budget_is_taken_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stream = jme.Stream(epsilon=10, delta=1e-3, **STREAM)
    assert "notes" not in stream.metadata["privacy"]


def test_a_delta_of_a_tenth_is_refused_unless_it_is_asked_for():
    with pytest.raises(jme.InvalidParameter, match=r"allow.weak") as error:
        jme.Stream(epsilon=1, delta=0.1, **STREAM)
    assert error.value.field == "delta"
    with pytest.warns(UserWarning, match="above 1/rows"):
        assert jme.Stream(epsilon=1, delta=0.1, allow_weak=True, **STREAM).settings["allow_weak"] is True
