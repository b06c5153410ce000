"""The estimators for scikit-learn: their numbers, their inputs, and what they keep."""

from __future__ import annotations

import copy
import doctest
import importlib
import pickle
import pickletools
import struct

import jme
import numpy as np
import pandas as pd
import pytest
from jme.sklearn import (
    PrivateCovariance,
    PrivateGaussian,
    PrivateLinearRegression,
    PrivatePCA,
    PrivateStandardScaler,
    SharedLedger,
)
from jme.sklearn import _base as base
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

ALL = [PrivateCovariance, PrivateGaussian, PrivateLinearRegression, PrivatePCA, PrivateStandardScaler]
BUDGET = {"epsilon": 1, "delta": 1e-6}
BOUNDS = [(-20.0, 45.0), (0.0, 100.0), (0.0, 8.0)]
SEEDED = {**BUDGET, "bounds": BOUNDS, "settings": {"insecure_test_seed": 7}}
NAMED = {"x0": BOUNDS[0], "x1": BOUNDS[1], "x2": BOUNDS[2]}


@pytest.fixture
def rows(rng):
    """Correlated rows inside the bounds."""
    return np.array([15.0, 50.0, 4.0]) + rng.normal(size=(3000, 3)) @ np.array([[5, 6, 0.3], [0, 8, 0.2], [0, 0, 0.8]])


def stream_of(table, *, every=None, bounds=NAMED, **settings):
    """The releases that a stream with the same seed makes of these rows."""
    every = every or len(table)
    settings = {"rows": len(table), "every": every, "insecure_test_seed": 7, **settings}
    return jme.Stream(**BUDGET, bounds=bounds, **settings).push(table)


def test_a_fit_is_the_one_release_of_a_stream(rows):
    release = stream_of(rows)[0]
    model = PrivateCovariance(**SEEDED).fit(rows)
    assert model.location_.tobytes() == release.mean.tobytes()
    assert model.covariance_.tobytes() == release.covariance.tobytes()
    assert model.covariance_std_.tobytes() == release.noise_std.covariance.tobytes()
    assert model.precision_.tobytes() == release.precision().value.tobytes()
    assert model.n_samples_seen_ == 3000 and model.release_.t == 3000
    assert model.privacy_["epsilon"] == 1 and "clamped" in model.statement_


def test_all_calls_of_partial_fit_are_one_stream(rows):
    for horizon, length in ((3, 3000), ("unbounded", "unbounded")):
        model = PrivateGaussian(**SEEDED, horizon=horizon)
        expected = stream_of(rows, every=1000, rows=length)
        for place, release in enumerate(expected):
            model.partial_fit(rows[place * 1000 : place * 1000 + 1000])
            assert model.release_.mean.tobytes() == release.mean.tobytes()
            assert model.means_.tobytes() == release.density().mean.value.tobytes()
        assert model.n_samples_seen_ == 3000


def test_the_horizon_counts_calls(rows):
    model = PrivateCovariance(**SEEDED, horizon=2)
    model.partial_fit(rows[:10]).partial_fit(rows[10:20])
    before = model.covariance_.copy()
    with pytest.raises(jme.BudgetExhausted, match="horizon = 2: partial_fit was called as often as that"):
        model.partial_fit(rows[20:30])
    assert model.covariance_.tobytes() == before.tobytes() and model.n_samples_seen_ == 20


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_a_short_block_counts_as_the_rows_that_it_has(kind, rows):
    """The noise of a block does not depend on how many rows it has, so a block of 700 rows in a stream of up to 1,000
    is the block of a stream of 700. Numbers differ by rounding: 1e-9 of their size, from whole numbers over 2^20."""
    bounds = (-20.0, 100.0)
    X, y = rows[:700, :2], (rows[:700, 2],) if kind is PrivateLinearRegression else ()
    given = {**SEEDED, "bounds": bounds, "horizon": 1}
    short = kind(**given, batch_size=1000).partial_fit(X, *y)
    exact = kind(**given).partial_fit(X, *y)
    assert short.n_samples_seen_ == 700 and short.release_.t == 700
    learnt = [name for name in vars(exact) if name.endswith("_") and isinstance(getattr(exact, name), np.ndarray)]
    assert learnt
    for name in learnt:
        # A number that is 0 but for rounding has no size to compare with.
        np.testing.assert_allclose(getattr(short, name), getattr(exact, name), rtol=1e-9, atol=1e-12, err_msg=name)


def test_blocks_may_have_any_lengths_up_to_the_batch_size(rows):
    model = PrivateCovariance(**{**SEEDED, "epsilon": 5}, batch_size=1000, horizon=4)
    for begin, end in ((0, 1000), (1000, 1001), (1001, 1700), (1700, 2500)):
        model.partial_fit(rows[begin:end])
        assert model.n_samples_seen_ == end
        # Seven standard deviations and the lattice: wrong once in 1e11.
        assert (np.abs(model.location_ - rows[:end].mean(axis=0)) < 7 * model.location_std_ + 1e-4).all()
    with pytest.raises(jme.InvalidParameter, match="at most 1000") as error:
        PrivateCovariance(**SEEDED, batch_size=1000).partial_fit(rows[:1001])
    assert error.value.field == "batch_size"


@pytest.mark.parametrize(
    "more",
    [
        {"missing": "mean"},
        {"missing": "model,x0=3"},
        {"missing": "observed"},
        {"settings": {"workload": "decay:0.9"}},
        {"settings": {"private_count": True}},
    ],
)
def test_a_short_block_is_refused_where_it_would_change_more_than_sums(more, rows):
    ledger = SharedLedger(max_mu=10)
    model = PrivateCovariance(**BUDGET, bounds=BOUNDS, batch_size=100, ledger=ledger, **more)
    with pytest.raises(jme.InvalidParameter, match="every call must have"):
        model.partial_fit(rows[:99])
    assert ledger.charges == []
    model.partial_fit(rows[:100])


def test_what_is_wrong_is_named_before_anything_is_spent(rows):
    ledger = SharedLedger(max_mu=10)

    def wrong(field, kind=PrivateCovariance, **given):
        with pytest.raises(jme.InvalidParameter) as error:
            kind(**{**BUDGET, "bounds": BOUNDS, "ledger": ledger, **given}).partial_fit(rows)
        assert error.value.field == field

    wrong("bounds", bounds=None)
    wrong("epsilon", epsilon=-1)
    wrong("delta", delta=None)
    wrong("horizon", horizon=0)
    wrong("horizon", horizon="long")
    wrong("batch_size", batch_size=0)
    wrong("settings", settings={"every": 3})
    wrong("settings", settings={"state": "folder"})
    for count in (0, 4, 1.0, True, "mle", -0.5):
        wrong("n_components", PrivatePCA, n_components=count)
    with pytest.raises(TypeError, match="nearest known one is 'workload'"):
        PrivateCovariance(**BUDGET, bounds=BOUNDS, ledger=ledger, settings={"worklod": 1}).fit(rows)
    assert ledger.charges == []


def test_bounds_are_given_by_name_or_position(rows):
    frame = pd.DataFrame(rows, columns=["temp", "co", "rain"])
    expected = PrivateCovariance(**SEEDED).fit(rows).covariance_
    ways = [
        {"temp": BOUNDS[0], "rain": BOUNDS[2], "co": BOUNDS[1]},
        {2: BOUNDS[2], 1: BOUNDS[1], 0: BOUNDS[0]},
        {"temp": BOUNDS[0], 1: BOUNDS[1], "rain": BOUNDS[2]},
        np.array(BOUNDS),
    ]
    for bounds in ways:
        model = PrivateCovariance(**{**SEEDED, "bounds": bounds}).fit(frame)
        assert model.covariance_.tobytes() == expected.tobytes()
        assert model.release_.columns == ["temp", "co", "rain"]
    same = PrivateCovariance(**{**SEEDED, "bounds": (-20, 100)}).fit(frame)
    assert (
        same.covariance_.tolist()
        == PrivateCovariance(**{**SEEDED, "bounds": [(-20, 100)] * 3}).fit(frame).covariance_.tolist()
    )


def test_names_that_are_numbers_are_names(rows):
    """A stream takes columns that are called by numbers from these places; an estimator never does."""
    frame = pd.DataFrame(rows, columns=["3", "1", "2"])
    model = PrivateCovariance(**{**SEEDED, "bounds": dict(zip("312", BOUNDS, strict=True))}).fit(frame)
    assert model.covariance_.tobytes() == PrivateCovariance(**SEEDED).fit(rows).covariance_.tobytes()


@pytest.mark.parametrize(
    ("bounds", "says"),
    [
        ({"temp": (0, 1), "co": (0, 1)}, "no range for rain"),
        ({"temp": (0, 1), "co": (0, 1), "rain": (0, 1), "wind": (0, 1)}, "no feature 'wind'"),
        ({"temp": (0, 1), 0: (0, 1), 1: (0, 1), 2: (0, 1)}, "two ranges"),
        ({0: (0, 1), 1: (0, 1), 3: (0, 1)}, "no feature 3"),
        ([(0, 1)], "1 ranges for 3"),
        ([(0, 1), (0, 1), "ab"], "two numbers"),
        ((1, 0), "bounds"),
        ((0, float("inf")), "bounds"),
    ],
)
def test_wrong_bounds_are_refused(bounds, says, rows):
    frame = pd.DataFrame(rows, columns=["temp", "co", "rain"])
    with pytest.raises(jme.InvalidParameter, match=says):
        PrivateCovariance(**BUDGET, bounds=bounds).fit(frame)


def test_features_are_checked_by_name(rows):
    frame = pd.DataFrame(rows, columns=["temp", "co", "rain"])
    model = PrivatePCA(**SEEDED).partial_fit(frame)
    for other in (frame.rename(columns={"co": "wind"}), frame[["co", "temp", "rain"]]):
        with pytest.raises(ValueError, match="feature names"):
            model.partial_fit(other)
        with pytest.raises(ValueError, match="feature names"):
            model.transform(other)
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.transform(rows[:, :2])
    with pytest.raises(ValueError, match=r"same name|unique column names"):
        PrivatePCA(**SEEDED).fit(pd.DataFrame(rows, columns=["a", "b", "a"]))


def test_a_regression_is_that_of_the_release(rows):
    X, y = rows[:, :2], rows[:, 2]
    bounds = {"y": BOUNDS[2], 0: BOUNDS[0], 1: BOUNDS[1]}
    model = PrivateLinearRegression(**{**SEEDED, "bounds": bounds}).fit(X, y)
    line = stream_of(rows, bounds={"x0": BOUNDS[0], "x1": BOUNDS[1], "y": BOUNDS[2]})[0].regression("y")
    assert model.coef_.shape == (2,) and model.coef_.tobytes() == line.coefficients.tobytes()
    assert (model.intercept_, model.intercept_std_) == (line.intercept, line.noise_std.intercept)
    assert model.coef_std_.tobytes() == line.noise_std.coefficients.tobytes()
    assert model.predict(X[:5]).tolist() == pytest.approx(line.predict(X[:5]).tolist(), rel=1e-12)  # order of the sum
    by_frame = PrivateLinearRegression(**{**SEEDED, "bounds": bounds}).fit(pd.DataFrame(X), pd.Series(y))
    assert by_frame.coef_.tobytes() == model.coef_.tobytes()


def test_a_feature_may_be_called_as_the_target_is(rows):
    frame = pd.DataFrame(rows[:, :2], columns=["x", "y"])
    bounds = {"y": BOUNDS[2], "x": BOUNDS[0], 1: BOUNDS[1]}
    model = PrivateLinearRegression(**{**SEEDED, "bounds": bounds}).fit(frame, rows[:, 2])
    assert model.release_.columns == ["x", "y", "y (target)"]
    numbers = {"y": BOUNDS[2], 0: BOUNDS[0], 1: BOUNDS[1]}
    plain = PrivateLinearRegression(**{**SEEDED, "bounds": numbers}).fit(rows[:, :2], rows[:, 2])
    assert model.coef_.tobytes() == plain.coef_.tobytes()
    with pytest.raises(jme.InvalidParameter, match="no range for y"):
        PrivateLinearRegression(**BUDGET, bounds={"x": (0, 1), "y": (0, 1)}).fit(frame, rows[:, 2])
    with pytest.raises(jme.InvalidParameter, match="target"):
        PrivateLinearRegression(**BUDGET, bounds={"x": (0, 1), 1: (0, 1)}).fit(frame, rows[:, 2])
    with pytest.raises(jme.InvalidParameter, match="one range for all"):
        PrivateLinearRegression(**BUDGET, bounds=BOUNDS).fit(frame, rows[:, 2])


def test_missing_cells_are_what_the_stream_makes_of_them(rows):
    holes = rows.copy()
    holes[::7, 1] = np.nan
    for missing in ("mean", "centre", "centre,x1=20"):
        model = PrivateCovariance(**SEEDED, missing=missing).fit(holes)
        assert model.location_.tobytes() == stream_of(holes, missing=missing)[0].mean.tobytes()
        masked = PrivateCovariance(**SEEDED, missing=missing).fit(np.ma.masked_invalid(holes))
        assert masked.location_.tobytes() == model.location_.tobytes()
        nullable = pd.DataFrame(holes, columns=list(NAMED)).astype("Float64")
        assert (
            PrivateCovariance(**SEEDED, missing=missing).fit(nullable).location_.tobytes() == model.location_.tobytes()
        )
    for refused in (holes, np.ma.masked_invalid(holes)):
        with pytest.raises(ValueError, match="NaN"):
            PrivateCovariance(**SEEDED).fit(refused)
    endless = rows.copy()
    endless[3, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        PrivateCovariance(**SEEDED, missing="mean").fit(endless)
    zero = PrivateCovariance(**{**SEEDED, "settings": {"insecure_test_seed": 7, "on_bad_row": "zero"}}).fit(endless)
    assert zero.location_.tobytes() == stream_of(endless, on_bad_row="zero")[0].mean.tobytes()


def test_missing_cells_of_later_rows_are_the_private_mean(rows):
    holes = rows.copy()
    holes[::7, 1] = np.nan
    pca = PrivatePCA(**SEEDED, missing="mean").fit(holes)
    assert pca.transform(holes).tolist() == pca.transform(np.where(np.isnan(holes), pca.mean_, holes)).tolist()
    line = PrivateLinearRegression(**{**SEEDED, "bounds": (-20, 100)}, missing="mean").fit(holes, rows[:, 2])
    means = line.release_.mean[:3]
    assert line.predict(holes).tolist() == line.predict(np.where(np.isnan(holes), means, holes)).tolist()
    scaler = PrivateStandardScaler(**SEEDED, missing="mean").fit(holes)
    assert np.isnan(scaler.transform(holes)).tolist() == np.isnan(holes).tolist()
    with pytest.raises(ValueError, match="NaN"):
        PrivatePCA(**SEEDED).fit(rows).transform(holes)
    with pytest.raises(ValueError, match="NaN"):  # a density has no value there
        PrivateGaussian(**SEEDED, missing="mean").fit(holes).score_samples(holes)


@pytest.mark.parametrize("missing", [None, "fail"])
def test_a_refusal_of_missing_cells_says_what_would_take_them(rows, missing):
    holes = rows.copy()
    holes[3, 1] = np.nan
    with pytest.raises(jme.DataError, match=r'^Input X contains NaN: .* missing="mean", .* "observed"'):
        PrivateCovariance(**SEEDED, missing=missing).fit(holes)
    bounds = {"bounds": (-20, 100)}
    with pytest.raises(jme.DataError, match=r'^Input y contains NaN: .* missing="mean"'):
        PrivateLinearRegression(**{**SEEDED, **bounds}, missing=missing).fit(rows[:, :1], holes[:, 1])
    pca = PrivatePCA(**SEEDED, missing=missing).fit(rows)
    with pytest.raises(jme.DataError, match=r"^Input X contains NaN: .* made without missing="):
        pca.transform(holes)
    with pytest.raises(jme.DataError, match="are of whole rows"):
        PrivateGaussian(**SEEDED, missing="observed").fit(holes).outliers(holes)


def test_a_target_may_be_missing_too(rows):
    y = rows[:, 2].copy()
    y[::5] = np.nan
    bounds = {"y": BOUNDS[2], 0: BOUNDS[0], 1: BOUNDS[1]}
    with pytest.raises(ValueError, match="y contains NaN"):
        PrivateLinearRegression(**{**SEEDED, "bounds": bounds}).fit(rows[:, :2], y)
    model = PrivateLinearRegression(**{**SEEDED, "bounds": bounds}, missing="centre").fit(rows[:, :2], y)
    assert np.isfinite(model.coef_).all()
    y[0] = np.inf
    with pytest.raises(ValueError, match="y contains infinity"):
        PrivateLinearRegression(**{**SEEDED, "bounds": bounds}, missing="centre").fit(rows[:, :2], y)


@pytest.mark.parametrize(
    "X",
    [
        [["1.5", "2.5", "3.5"]] * 5,
        np.array([["1.5", 2.5, 3.5]] * 5, dtype=object),
        pd.DataFrame({"a": ["1", "2"], "b": [1.0, 2.0], "c": [1.0, 2.0]}),
        sparse.csr_array(np.ones((4, 3))),
        np.ones((4, 3), dtype=complex),
        np.ones((0, 3)),
        np.ones(3),
        np.ones((2, 3, 4)),
        pd.DataFrame(np.ones((4, 3))).astype("datetime64[ns]"),
    ],
    ids=["text", "objects", "frame", "sparse", "complex", "empty", "one row", "three dimensions", "dates"],
)
def test_what_is_not_rows_of_numbers_is_refused(X):
    ledger = SharedLedger(max_mu=10)
    with pytest.raises((ValueError, TypeError)):
        PrivateCovariance(**BUDGET, bounds=BOUNDS, ledger=ledger).fit(X)
    assert ledger.charges == []


def test_a_scaler_standardises(rows):
    model = PrivateStandardScaler(**SEEDED).fit(rows)
    variances = stream_of(rows, second="diagonal")[0].covariance
    assert model.var_.tobytes() == variances.tobytes()
    expected = (rows - model.mean_) / np.sqrt(np.maximum(variances, model.var_std_))
    assert model.transform(rows).tolist() == expected.tolist()
    np.testing.assert_allclose(model.inverse_transform(model.transform(rows)), rows, rtol=1e-12)
    only_mean = PrivateStandardScaler(**SEEDED, with_std=False).fit(rows)
    assert only_mean.scale_ is None and only_mean.transform(rows).tolist() == (rows - only_mean.mean_).tolist()
    only_std = PrivateStandardScaler(**SEEDED, with_mean=False).fit(rows)
    assert only_std.transform(rows).tolist() == (rows / only_std.scale_).tolist()


def test_a_constant_feature_is_not_blown_up():
    rows = np.full((500, 3), 4.0)
    model = PrivateStandardScaler(**SEEDED).fit(rows)
    assert (model.scale_ >= np.sqrt(model.var_std_)).all()


def test_components_are_counted_as_in_scikit_learn(rows):
    given = {**SEEDED, "epsilon": 1e4}
    every = PrivatePCA(**given).fit(rows)
    assert every.n_components_ == 3 and every.components_.shape == (3, 3)
    first = every.explained_variance_ratio_[0]
    for wanted, found in ((2, 2), (np.int64(1), 1), (first - 0.01, 1), (first + 1e-6, 2), (1 - 1e-12, 3)):
        model = PrivatePCA(wanted, **given).fit(rows)
        assert model.n_components_ == found
        assert model.components_.tobytes() == every.components_[:found].tobytes()
        assert model.transform(rows).shape == (3000, found)
    np.testing.assert_allclose(every.inverse_transform(every.transform(rows)), rows, rtol=1e-9)  # orthonormal
    white = PrivatePCA(2, whiten=True, **given).fit(rows)
    # epsilon = 10,000: the noise is far below 1% of these variances.
    np.testing.assert_allclose(white.transform(rows).std(axis=0), 1, rtol=0.01)
    back = white.inverse_transform(white.transform(rows))
    np.testing.assert_allclose(back, PrivatePCA(2, **given).fit(rows).inverse_transform(every.transform(rows)[:, :2]))


def test_signs_of_components_stay(rows):
    model = PrivatePCA(**{**SEEDED, "epsilon": 5}, horizon=30)
    before = None
    for begin in range(0, 3000, 100):
        model.partial_fit(rows[begin : begin + 100])
        if before is not None:
            assert (np.einsum("ij,ij->i", before, model.components_)[0]) > 0
        before = model.components_


def test_a_gaussian_finds_outliers(rows):
    model = PrivateGaussian(**{**SEEDED, "epsilon": 1e4}).fit(rows)
    values, noise = model.score_samples(rows[:4], return_std=True)
    assert values.tolist() == model.release_.density().log_density(rows[:4]).value.tolist() and (noise > 0).all()
    assert model.score(rows) == np.mean(model.score_samples(rows))
    # The share of 3,000 rows is binomial, with 1% expected: 0.01 +- 0.0018. Seven standard deviations.
    assert abs(model.outliers(rows, level=0.01).mean() - 0.01) < 7 * 0.0018
    assert model.outliers([[-20, 100, 8]]).tolist() == [True]
    assert model.sample(5, random_state=3).tolist() == model.sample(5, random_state=3).tolist()
    with pytest.raises(ValueError, match="level"):
        model.outliers(rows, level=1)


def test_a_covariance_measures_distances(rows):
    model = PrivateCovariance(**{**SEEDED, "epsilon": 1e4}).fit(rows)
    away = rows - model.location_
    np.testing.assert_allclose(model.mahalanobis(rows), (away @ model.get_precision() * away).sum(axis=1), rtol=1e-9)
    assert model.score(rows) == pytest.approx(np.mean(model.release_.density().log_density(rows).value))


def test_pipelines_give_tables(rows):
    frame = pd.DataFrame(rows, columns=["temp", "co", "rain"])
    bounds = dict(zip(frame.columns, BOUNDS, strict=True))
    scaler = PrivateStandardScaler(**{**SEEDED, "bounds": bounds})
    pipe = make_pipeline(scaler, PrivatePCA(2, **{**SEEDED, "bounds": (-4, 4)})).set_output(transform="pandas")
    table = pipe.fit_transform(frame)
    assert table.columns.tolist() == ["privatepca0", "privatepca1"] and isinstance(table, pd.DataFrame)
    assert scaler.transform(frame).columns.tolist() == ["temp", "co", "rain"]
    assert scaler.get_feature_names_out().tolist() == ["temp", "co", "rain"]
    line = make_pipeline(PrivateStandardScaler(**SEEDED), Ridge()).fit(frame, rows[:, 0])
    assert line.predict(frame).shape == (3000,)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_pickles_keep_what_was_published_and_nothing_else(kind, rows, rng):
    """Searched for in the bytes: every number of every row, the block's sums as numbers and as the whole numbers that
    the engine adds up, and whatever could hold a key. What is left are numbers of the release."""
    X = rows[:, :2]
    y = (rows[:, 2],) if kind is PrivateLinearRegression else ()
    model = kind(**BUDGET, bounds=(-20, 100), ledger=SharedLedger(max_mu=1), horizon=2).partial_fit(X, *y)
    assert isinstance(model._stream, jme.Stream)
    data = pickle.dumps(model)
    for number in {*X.ravel().tolist(), *X.sum(axis=0).tolist(), *(X.T @ X).ravel().tolist()}:
        assert struct.pack("<d", number) not in data
        assert struct.pack(">d", number) not in data
    names = [*(f"x{place}" for place in range(2)), *(["y"] if y else [])]
    block = jme.BlockSum(
        **BUDGET, bounds=dict.fromkeys(names, (-20, 100)), rows=6000, every=3000, second=model._second()
    )
    block.add(np.column_stack([X, *y]))
    raw = block.to_bytes()
    words = {raw[begin : begin + 8] for begin in range(0, len(raw) - 7)}
    small = {word for word in words if sum(byte not in (0, 255) for byte in word) < 3}  # zeros, counts, sizes
    assert len(words - small) > 20
    found = [word for word in words - small if word in data]
    assert found == []
    globals_used = {
        text.split(" ")[0] for opcode, text, _ in pickletools.genops(data) if opcode.name == "GLOBAL" and text
    } | {text for opcode, text, _ in pickletools.genops(data) if opcode.name.endswith("UNICODE")}
    for word in ("_stream", "jme.stream", "Stream", "BlockSum", "jme.blocks", "key", "nonce"):
        assert word not in globals_used
    again = pickle.loads(data)
    assert again.release_.mean.tobytes() == model.release_.mean.tobytes()
    assert again.n_samples_seen_ == 3000 and again.statement_ == model.statement_
    for copied in (again, copy.deepcopy(model)):
        with pytest.raises(jme.StateError, match="cannot go on"):
            copied.partial_fit(X, *y)
    model.partial_fit(X, *y)  # the original goes on


def test_an_estimator_that_has_not_learnt_says_so(rows):
    for kind in ALL:
        with pytest.raises(NotFittedError):
            _ = kind(**SEEDED).release_
    with pytest.raises(NotFittedError):
        clone(PrivatePCA(**SEEDED).fit(rows)).transform(rows)


def test_partial_fit_does_not_follow_fit(rows):
    model = PrivateCovariance(**SEEDED).fit(rows)
    with pytest.raises(jme.BudgetExhausted, match="fit"):
        model.partial_fit(rows)
    # The other way round a fit starts anew.
    model = PrivateCovariance(**SEEDED).partial_fit(rows[:100]).fit(rows)
    assert model.n_samples_seen_ == 3000


def test_a_call_that_is_interrupted_inside_its_block_ends_the_stream(rows, monkeypatch):
    model = PrivateCovariance(**SEEDED).partial_fit(rows[:100])
    stream = model._stream
    real = type(stream).push

    class Interrupted(jme.Stream):
        def push(self, given):
            real(self, {name: column[:40] for name, column in given.items()})
            raise KeyboardInterrupt

    monkeypatch.setattr(stream, "__class__", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(rows[100:200])
    with pytest.raises(jme.BudgetExhausted, match="interrupted"):
        model.partial_fit(rows[100:200])
    assert model.n_samples_seen_ == 100


@pytest.mark.parametrize("module", ["ledger", "covariance", "gaussian", "pca", "regression", "scaler"])
def test_examples_in_docstrings_run(module):
    result = doctest.testmod(importlib.import_module(f"jme.sklearn.{module}"), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0 and result.attempted > 4


def test_docstrings_have_the_keywords():
    for kind in ALL:
        assert "SPENDS AGAIN" in kind.__doc__
        for name in kind().get_params():
            assert f"{name}:" in kind.__doc__ or name in ("epsilon", "delta", "with_mean", "with_std"), name
    assert not base.OWN_SETTINGS - set(jme._settings.FIELDS)
