"""Settings of a wrong type, bounds in a form that is not taken, and names of every kind."""

from __future__ import annotations

import decimal
import re

import jme
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import same_as_line, same_releases
from jme import _settings
from jme.sklearn import PrivateCovariance, PrivateLinearRegression, SharedLedger

SETTINGS = {"epsilon": 1, "delta": 1e-6, "bounds": {"x": (0, 1)}, "rows": 100, "every": 10, "insecure_test_seed": 7}
WRONG = [[1], (1, 2), {"a": 1}, {1}, np.array([1.0]), np.ones((2, 2)), pd.Series([1.0]), b"1", 1j, decimal.Decimal(1)]


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("keyword", [k for k in _settings.FIELDS if k not in ("bounds", "columns", "emit")])
def test_a_value_of_a_wrong_type_is_refused_by_the_name_of_its_setting(keyword, value):
    if keyword.startswith(("workload", "shape")) and getattr(value, "ndim", 0) == 2:
        return  # that is what these may be
    with pytest.raises(jme.InvalidParameter) as caught:
        jme.Stream(**{**SETTINGS, keyword: value})
    kind = type(value)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    assert caught.value.field == keyword
    assert re.fullmatch(rf"{keyword}: must be .*, not {re.escape(name)}", str(caught.value))


@pytest.mark.parametrize(
    ("keyword", "value", "words"),
    [
        ("columns", 5, "columns: must be a list of names, not int"),
        ("columns", [1.5], "columns: must be a list of names, not list"),
        ("columns", b"x", "columns: must be a list of names, not bytes"),
        ("emit", 3, "emit: must be a list of names, not int"),
        ("state", 5, "state: must be the name of a folder, not int"),
        ("missing", 5, "missing: must be .*, not int"),
        ("psd", 1, "psd: must be true or false, not int"),
        ("psd", "true", "psd: must be true or false, not str"),
        ("epsilon", True, "epsilon: must be a finite number above 0, not bool"),
        ("method", 5, "method: must be .*, not int"),
        ("shape", np.ones((2, 2, 2)), "shape: must be text, not numpy.ndarray"),
    ],
)
def test_a_number_or_a_word_in_the_wrong_place_is_refused_by_its_type(keyword, value, words):
    with pytest.raises(jme.InvalidParameter, match=words) as caught:
        jme.Stream(**{**SETTINGS, keyword: value})
    assert caught.value.field == keyword


@pytest.mark.parametrize("value", [[1], np.ones((2, 2)), {"a": 1}], ids=lambda value: type(value).__name__)
def test_questions_without_data_refuse_wrong_types_by_their_keywords(value):
    for question, keyword in (
        (lambda: jme.calibrate(epsilon=value, delta=1e-6), "epsilon"),
        (lambda: jme.account(sampling_rate=0.1, steps=value, delta=1e-6, sigma=1), "steps"),
        (lambda: jme.sensitivity(dimension=value, norm_bound=1), "dimension"),
        (lambda: jme.shape("prefix", steps=value), "steps"),
        (lambda: jme.plan(**{**SETTINGS, "epsilon": value}), "epsilon"),
        (lambda: jme.BlockSum(**{**SETTINGS, "delta": value}), "delta"),
    ):
        with pytest.raises(jme.InvalidParameter, match=f"^{keyword}: must be .*, not {type(value).__name__}|ndarray"):
            question()


def test_arguments_of_other_calls_are_refused_by_their_names(tmp_path):
    X = np.random.default_rng(1).random((20, 3))
    for keyword, value, words in (
        ("bounds", 5, "must be a pair, a sequence of pairs or a mapping to pairs, not int"),
        ("bounds", "x", "must be a pair, .* not str"),
        ("settings", [1], "must be a mapping of keywords of a stream, not list"),
        ("epsilon", [1], "must be .*, not list"),
    ):
        given = {"epsilon": 1, "delta": 1e-6, "bounds": (0, 1), "ledger": SharedLedger(max_mu=9), keyword: value}
        for fit in ("fit", "partial_fit"):
            with pytest.raises(jme.InvalidParameter, match=f"^{keyword}: {words}") as caught:
                getattr(PrivateCovariance(**given), fit)(X)
            assert caught.value.field == keyword
    for call, keyword in (
        (lambda: SharedLedger(max_mu=[1]), "max_mu"),
        (lambda: SharedLedger(epsilon=[1], delta=1e-6), "epsilon"),
        (lambda: jme.Ledger(tmp_path, delta=[1]), "delta"),
    ):
        with pytest.raises(jme.InvalidParameter, match=f"^{keyword}: must be .*, not list"):
            call()
    stream = jme.Stream(**SETTINGS)
    for call in (lambda: stream.push_block([1]), lambda: stream.block_sum().merge([1])):
        with pytest.raises(TypeError, match="block must be a BlockSum, not list"):
            call()


LOWS_AND_HIGHS = [
    ([-20, 0], [45, 100]),
    [(-20, 45), (0, 100)],
    np.array([[-20, 0], [45, 100]]),
    (np.array([-20, 0]), np.array([45, 100])),
    ([0, 0], [1, 1]),
    pd.DataFrame([[-20, 0], [45, 100]]).to_numpy(),
]


@pytest.mark.parametrize("bounds", LOWS_AND_HIGHS, ids=lambda bounds: str(type(bounds)))
def test_two_pairs_without_names_are_refused(bounds):
    """Nobody can tell (low, high) of two columns from the lows and the highs of both."""
    with pytest.raises(jme.InvalidParameter, match=r'bounds: two pairs .* such as \{"1": \(low, high\)') as caught:
        jme.Stream(**{**SETTINGS, "bounds": bounds})
    assert caught.value.field == "bounds"
    with pytest.raises(jme.InvalidParameter, match=r"bounds: two pairs .* such as \{0: \(low, high\)"):
        PrivateCovariance(epsilon=1, delta=1e-6, bounds=bounds).fit(np.zeros((5, 2)))


def test_bounds_in_other_forms_are_taken_or_refused_in_words():
    def bounds_of(bounds):
        return jme.Stream(**{**SETTINGS, "bounds": bounds}).settings["bounds"]

    assert bounds_of({"1": (-20, 45), "2": (0, 100)}) == {"1": [-20, 45], "2": [0, 100]}
    assert bounds_of([(0, 1)] * 3) == {"1": [0, 1], "2": [0, 1], "3": [0, 1]}
    assert bounds_of([(0, 1)]) == {"1": [0, 1]}
    for bounds in (([0, 0, 0], [1, 1, 1]), ([0], [1]), np.array([[0] * 4, [1] * 4])):
        with pytest.raises(jme.InvalidParameter, match="lows of all columns and then the highs are not taken"):
            bounds_of(bounds)
    X = np.random.default_rng(1).random((20, 2))
    for bounds in ((0, 1), {0: (0, 1), 1: (0, 2)}):
        PrivateCovariance(epsilon=1, delta=1e-6, bounds=bounds, ledger=SharedLedger(max_mu=9)).fit(X)
    with pytest.raises(jme.InvalidParameter, match="bounds: must be one range for all columns, or a mapping"):
        PrivateLinearRegression(epsilon=1, delta=1e-6, bounds=[(0, 1), (0, 2)]).fit(X[:, :1], X[:, 1])


NAMES = ["a,b", "c=d", "e:f", 'g"h', '"i"', "=,"]


def odd(**changed):
    return {**SETTINGS, "bounds": {name: (-1, i + 1) for i, name in enumerate(NAMES)}, **changed}


def test_names_may_have_commas_and_equals_signs(rng, tmp_path):
    rows = rng.random((100, len(NAMES)))
    plain = {**SETTINGS, "bounds": {str(i): (-1, i + 1) for i in range(len(NAMES))}}
    expected = jme.Stream(**plain).push(rows)
    stream = jme.Stream(**odd())
    assert stream.columns == NAMES
    frame = pd.DataFrame(rows[:, ::-1], columns=NAMES[::-1])
    same_releases(stream.push(frame), expected)
    assert list(stream.settings["bounds"]) == NAMES
    same_releases(jme.Stream(**{**stream.settings, "insecure_test_seed": 7}).push(frame), expected)
    assert stream.newest.regression("c=d").columns == [name for name in NAMES if name != "c=d"]
    assert "a,b" in stream.report() and stream.plan() and stream.metadata["columns"] == NAMES
    with jme.Stream(**odd(state=tmp_path)) as durable:
        durable.push(frame)
    with jme.Stream(**odd(state=tmp_path)) as durable:
        same_releases(durable.push(frame), expected)
    for table in (pl.DataFrame(dict(zip(NAMES, rows.T, strict=True))), pa.table(dict(zip(NAMES, rows.T, strict=True)))):
        same_releases(jme.Stream(**odd(columns=NAMES)).push(table), expected)
    chosen = jme.Stream(**{**SETTINGS, "bounds": {"a,b": (0, 1), "x": (0, 1)}}, columns=["x", "a,b"])
    assert chosen.columns == ["x", "a,b"]


def test_names_with_commas_are_those_of_missing_cells_and_regressions(rng):
    rows = rng.random((100, len(NAMES)))
    rows[7, 0] = np.nan
    emit = ["mean", "covariance", "regression:a,b"]
    found = jme.Stream(**odd(missing='"a,b"=0.5,mean', emit=emit))
    found.push(rows)
    assert found.notes[-1]["column"] == "a,b"
    assert "What goes with a,b" in found.report()
    rows[7, 0] = 0.5
    same_releases(found.push([]) or jme.Stream(**odd()).push(rows), jme.Stream(**odd()).push(rows))
    with pytest.raises(jme.InvalidParameter, match="missing"):
        jme.Stream(**odd(missing='"a,b=0.5'))


def test_a_file_with_such_names_gives_the_same_releases(command, rng):
    import json

    rows = rng.random((100, len(NAMES)))
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    lines = command(rows, quoted, **json.loads(json.dumps(odd())))
    for release, line in zip(jme.Stream(**odd()).push(rows), lines[1:], strict=True):
        same_as_line(release, line)
