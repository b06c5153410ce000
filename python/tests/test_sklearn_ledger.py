"""What fits of the same people spend together, and that it is limited."""

from __future__ import annotations

import copy
import math
import os
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import jme
import numpy as np
import pandas as pd
import pytest
from jme.sklearn import PrivacyCostWarning, PrivateCovariance, PrivateLinearRegression, PrivatePCA, SharedLedger
from jme.sklearn import _base as base
from jme.sklearn import ledger as ledger_module
from joblib import parallel_config
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_val_score

BUDGET = {"epsilon": 1, "delta": 1e-6}
MU = 1 / jme.calibrate(epsilon=1, delta=1e-6)["sigma"]


@pytest.fixture
def rows(rng):
    return rng.uniform(0, 1, (300, 3))


def test_fits_compose_as_in_the_ledger_of_durable_streams(rows, tmp_path):
    ledger = SharedLedger(max_mu=10)
    budgets = [(1, 1e-6), (0.5, 1e-6), (2, 1e-7)]
    for number, (epsilon, delta) in enumerate(budgets):
        PrivateCovariance(epsilon=epsilon, delta=delta, bounds=(0, 1), ledger=ledger).fit(rows)
        settings = {"epsilon": epsilon, "delta": delta, "bounds": [(0, 1)] * 3, "rows": 300, "every": 300}
        with jme.Stream(**settings, state=tmp_path / "s", stream=f"number{number}") as stream:
            stream.push(rows)
    book = jme.Ledger(tmp_path / "s")
    assert [charge.mu for charge in ledger.charges] == [stream["mu"] for stream in book.streams]
    assert ledger.spent() == pytest.approx(book.spent(), rel=1e-15)  # the same sum, added in another way
    total = book.total[0]
    assert ledger.epsilon_spent(total["delta"]) == pytest.approx(total["epsilon"], rel=1e-12)


def test_one_fit_costs_what_it_states_and_not_more(rows):
    ledger = SharedLedger(**BUDGET)
    PrivateCovariance(**BUDGET, bounds=(0, 1), ledger=ledger).fit(rows)
    assert ledger.epsilon_spent(1e-6) <= 1
    with pytest.raises(jme.BudgetExhausted, match=r"more than the ledger's"):
        PrivateCovariance(epsilon=0.01, delta=1e-6, bounds=(0, 1), ledger=ledger).fit(rows)
    assert len(ledger.charges) == 1


def test_what_is_no_ledger_is_refused_before_anything_is_spent(rows):
    for other in (3, True, [], SharedLedger):
        with pytest.raises(TypeError, match="ledger must be a SharedLedger or None, not"):
            PrivateCovariance(**BUDGET, bounds=(0, 1), ledger=other).fit(rows)
        with pytest.raises(TypeError, match="SharedLedger"):
            PrivateCovariance(**BUDGET, bounds=(0, 1), ledger=other).partial_fit(rows)


def test_all_calls_of_partial_fit_are_charged_once(rows):
    ledger = SharedLedger(**BUDGET)
    model = PrivateCovariance(**BUDGET, bounds=(0, 1), ledger=ledger)
    for begin in range(0, 300, 100):
        model.partial_fit(rows[begin : begin + 100])
    assert len(ledger.charges) == 1


def test_clones_and_copies_share_the_ledger(rows):
    ledger = SharedLedger(max_mu=MU * 2.01)  # four fits
    model = PrivateCovariance(**BUDGET, bounds=(0, 1), ledger=ledger)
    copies = [clone(model), copy.copy(model), copy.deepcopy(model), clone(clone(model).fit(rows))]
    assert all(other.ledger is ledger for other in copies)
    assert copy.copy(ledger) is ledger and copy.deepcopy([ledger])[0] is ledger
    for other in copies[:3]:
        other.fit(rows)
    for other in [*copies, model]:
        with pytest.raises(jme.BudgetExhausted):
            other.fit(rows)
    assert len(ledger.charges) == 4 and ledger.spent() == pytest.approx(2 * MU)


def test_an_estimator_that_was_refused_has_learnt_nothing(rows):
    ledger = SharedLedger(max_mu=MU / 2)
    model = PrivatePCA(**BUDGET, bounds=(0, 1), ledger=ledger)
    with pytest.raises(jme.BudgetExhausted):
        model.fit(rows)
    assert not model.__sklearn_is_fitted__() and ledger.spent() == 0


@pytest.mark.parametrize("first", ["fit", "partial_fit"])
def test_a_fit_that_is_refused_leaves_what_was_learnt_before(first, rows):
    names = ["a", "b"]
    ledger = SharedLedger(**BUDGET)
    bounds = {"a": (0, 1), "b": (0, 1), "y": (0, 1)}
    model = PrivateLinearRegression(**BUDGET, bounds=bounds, ledger=ledger)
    known = pd.DataFrame(rows[:, :2], columns=names)
    getattr(model, first)(known, rows[:, 2])
    before, predicted = dict(model.__dict__), model.predict(known)
    model.bounds = (0, 1)
    other = pd.DataFrame(rows, columns=["p", "q", "r"])
    refusals = [
        (other, rows[:, 2], jme.BudgetExhausted),
        (rows, rows[:, 2], jme.BudgetExhausted),
        (other, rows[:5, 2], ValueError),
    ]
    for X, y, error in refusals:
        with pytest.raises(error):
            model.fit(X, y)
    model.bounds = bounds
    assert model.__dict__ == before
    assert model.n_features_in_ == 2 and model.feature_names_in_.tolist() == names
    assert model.predict(known).tobytes() == predicted.tobytes()
    if first == "partial_fit":  # its stream goes on, too
        model.partial_fit(known, rows[:, 2])
        assert model.n_samples_seen_ == 600 and len(ledger.charges) == 1


def test_a_first_fit_that_is_refused_leaves_nothing(rows):
    model = PrivatePCA(**BUDGET, bounds=(0, 1), ledger=SharedLedger(max_mu=MU / 2))
    before = dict(model.__dict__)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(jme.BudgetExhausted):
            learn(rows)
        assert model.__dict__ == before


def test_rows_that_were_refused_cost_nothing(rows):
    ledger = SharedLedger(**BUDGET)
    holes = rows.copy()
    holes[100, 1] = np.nan
    model = PrivateCovariance(**BUDGET, bounds=(0, 1), missing="x0=0.5", ledger=ledger)
    with pytest.raises(jme.DataError):
        model.fit(holes)
    assert ledger.charges == []
    model.fit(rows)


def grid(ledger, **more):
    model = PrivateLinearRegression(**BUDGET, bounds=(0, 1), ledger=ledger)
    grid = {"settings": [None, {"balance": "balanced"}, {"balance": 2}]}
    return GridSearchCV(model, grid, cv=3, **more)


def test_a_grid_search_stops_when_the_budget_is_spent(rows):
    X, y = rows[:, :2], rows[:, 2]
    ledger = SharedLedger(max_mu=MU * math.sqrt(5.5))
    with pytest.raises(jme.BudgetExhausted):
        grid(ledger, error_score="raise").fit(X, y)
    assert len(ledger.charges) == 5 and ledger.spent() <= ledger.max_mu


def test_a_grid_search_that_forgives_errors_spends_nothing_more_either(rows):
    """By default scikit-learn goes on after a fit that failed, with a warning; the last fit, on all rows, raises."""
    X, y = rows[:, :2], rows[:, 2]
    ledger = SharedLedger(max_mu=MU * math.sqrt(5.5))
    search = grid(ledger)
    with pytest.warns(FitFailedWarning, match="4 fits failed"), pytest.raises(jme.BudgetExhausted):
        search.fit(X, y)
    assert len(ledger.charges) == 5


def test_a_grid_search_within_its_budget_ends(rows):
    X, y = rows[:, :2], rows[:, 2]
    ledger = SharedLedger(max_mu=MU * math.sqrt(10.5))
    search = grid(ledger, error_score="raise").fit(X, y)
    assert len(ledger.charges) == 10 and search.best_estimator_.ledger is ledger


def test_threads_share_a_ledger_and_cannot_overdraw_it(rows):
    ledger = SharedLedger(max_mu=MU * math.sqrt(20.5))

    def fit(_):
        try:
            PrivateCovariance(**BUDGET, bounds=(0, 1), ledger=ledger).fit(rows)
        except jme.BudgetExhausted:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(fit, range(60))) == 20
    assert len(ledger.charges) == 20
    more = SharedLedger(max_mu=MU * 2.01)
    with parallel_config("threading", n_jobs=2):
        cross_val_score(PrivateLinearRegression(**BUDGET, bounds=(0, 1), ledger=more), rows[:, :2], rows[:, 2], cv=4)
    assert len(more.charges) == 4


def test_another_process_cannot_count(rows, monkeypatch):
    ledger = SharedLedger(max_mu=1)
    model = PrivateCovariance(**BUDGET, bounds=(0, 1), ledger=ledger).fit(rows)
    copied = pickle.loads(pickle.dumps(model))
    assert copied.ledger is not ledger and copied.ledger.charges == ledger.charges
    with pytest.raises(jme.StateError, match="copy of a ledger"):
        copied.fit(rows)
    with pytest.raises(jme.StateError, match="copy of a ledger"):
        pickle.loads(pickle.dumps(copied)).fit(rows)
    real = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: real + 1)  # as in a forked child
    with pytest.raises(jme.StateError, match="copy of a ledger"):
        ledger.charge(ledger.charges[0])
    monkeypatch.undo()
    assert len(ledger.charges) == 1


def test_a_test_seed_is_more_than_any_budget(rows):
    ledger = SharedLedger(max_mu=1e6)
    with pytest.raises(jme.BudgetExhausted):
        PrivateCovariance(**BUDGET, bounds=(0, 1), settings={"insecure_test_seed": 7}, ledger=ledger).fit(rows)


@pytest.mark.parametrize(
    "given", [{}, {"max_mu": 0}, {"max_mu": -1}, {"max_mu": math.inf}, {"max_mu": math.nan}, {"epsilon": 1}]
)
def test_a_ledger_has_one_finite_limit(given):
    with pytest.raises(jme.InvalidParameter):
        SharedLedger(**given)
    with pytest.raises(jme.InvalidParameter):
        SharedLedger(max_mu=1, epsilon=1, delta=1e-6)


def test_a_fit_without_a_ledger_says_once_what_a_second_one_costs(rows, monkeypatch):
    monkeypatch.setattr(ledger_module, "_warned", False)
    model = PrivateCovariance(**BUDGET, bounds=(0, 1))
    twice = jme.calibrate(sigma=1 / (math.sqrt(2) * MU), delta=1e-6)["epsilon"]
    with pytest.warns(PrivacyCostWarning, match=f"make it {twice:.4g} together") as caught:
        model.fit(rows)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(rows)
        clone(model).partial_fit(rows)
    assert f"are epsilon = {twice:.3f} together" in base.KEYWORDS


def test_a_fit_with_a_ledger_does_not_warn(rows, monkeypatch):
    monkeypatch.setattr(ledger_module, "_warned", False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrivateCovariance(**BUDGET, bounds=(0, 1), ledger=SharedLedger(max_mu=1)).fit(rows)


def test_bad_pasts_are_paid_out_of_delta():
    charge = ledger_module.Charge("x", 0.5, None, None, 1e-9, "replace-one", 1)
    epsilon = ledger_module.composed_epsilon([charge] * 4, 1e-6)
    whole = jme.calibrate(sigma=1, delta=1e-6)["epsilon"]
    assert epsilon > whole
    # What is left of delta after the bad pasts is enough for this epsilon.
    left = 1e-6 - (1 + math.exp(epsilon)) * 4e-9
    assert jme.calibrate(sigma=1, delta=left)["epsilon"] <= epsilon * (1 + 1e-9)
    assert ledger_module.composed_epsilon([charge._replace(bad_past=1e-6)], 1e-6) == math.inf
