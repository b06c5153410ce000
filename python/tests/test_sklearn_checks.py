"""scikit-learn's own checks of estimators: which do not pass, and why. Both lists are exact, so that a check that
begins to fail, or to pass, is noticed."""

from __future__ import annotations

import warnings

import pytest
from jme.sklearn import (
    PrivateCovariance,
    PrivateGaussian,
    PrivateLinearRegression,
    PrivatePCA,
    PrivateStandardScaler,
)
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

ALL = [PrivateCovariance, PrivateGaussian, PrivateLinearRegression, PrivatePCA, PrivateStandardScaler]

FRESH_NOISE = "two fits on the same rows draw different noise, and the check wants the same numbers"
FIT_IS_ALL = "the check calls partial_fit after fit, which has published all that its budget allows"
NOT_ASKED = "scikit-learn runs it only where the environment has SCIPY_ARRAY_API=1"

# For all estimators.
FAILED = {"check_fit_score_takes_y": FIT_IS_ALL}
SKIPPED = {"check_pipeline_consistency": FRESH_NOISE, "check_array_api_input": NOT_ASKED}

# Some checks are left out for estimators that say that they are not deterministic, others are not.
TRANSFORMER_SKIPPED = {"check_transformer_data_not_an_array": FRESH_NOISE, "check_transformer_general": FRESH_NOISE}
MORE_SKIPPED = {PrivatePCA: TRANSFORMER_SKIPPED, PrivateStandardScaler: TRANSFORMER_SKIPPED}
MORE_FAILED = {
    PrivatePCA: {"check_fit_idempotent": FRESH_NOISE},
    PrivateStandardScaler: {"check_fit_idempotent": FRESH_NOISE},
    PrivateLinearRegression: {
        "check_fit_idempotent": FRESH_NOISE,
        "check_regressor_data_not_an_array": FRESH_NOISE,
        "check_regressors_int": FRESH_NOISE,
        "check_supervised_y_2d": FRESH_NOISE,
    },
}


def results(estimator):
    """Names of the checks by how they ended. Checks make many fits of made-up rows, and ask for none to be counted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        warnings.simplefilter("ignore", UserWarning)
        found = check_estimator(estimator, on_skip=None, on_fail=None)
    names: dict[str, set[str]] = {"passed": set(), "failed": set(), "skipped": set(), "xfail": set()}
    for result in found:
        names[result["status"]].add(result["check_name"])
    return names


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_checks_pass_except_where_noise_or_the_budget_forbids_it(kind, monkeypatch):
    monkeypatch.delenv("SCIPY_ARRAY_API", raising=False)
    found = results(kind(epsilon=1, delta=1e-6, bounds=(-10, 10)))
    assert found["failed"] == FAILED.keys() | MORE_FAILED.get(kind, {}).keys()
    assert found["skipped"] == SKIPPED.keys() | MORE_SKIPPED.get(kind, {}).keys()
    assert len(found["passed"]) >= 34


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_noise_alone_is_the_reason_where_it_is_said_to_be(kind, monkeypatch):
    """With a test seed, which makes noise that protects nobody, the same checks run and pass."""
    monkeypatch.delenv("SCIPY_ARRAY_API", raising=False)
    found = results(kind(epsilon=1, delta=1e-6, bounds=(-10, 10), settings={"insecure_test_seed": 7}))
    assert found["failed"] == {name for name, why in FAILED.items() if why is not FRESH_NOISE}
    assert found["skipped"] == {name for name, why in SKIPPED.items() if why is not FRESH_NOISE}


TAKES_THEM = "with missing= a target that is NaN is a missing cell, and the check wants it refused"
FAILED_WITH_MISSING = {PrivateLinearRegression: {"check_supervised_y_no_nan": TAKES_THEM}}


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_checks_pass_where_missing_cells_are_taken(kind, monkeypatch):
    monkeypatch.delenv("SCIPY_ARRAY_API", raising=False)
    settings = {"insecure_test_seed": 7}
    found = results(kind(epsilon=1, delta=1e-6, bounds=(-10, 10), missing="centre", settings=settings))
    assert found["failed"] == FAILED.keys() | FAILED_WITH_MISSING.get(kind, {}).keys()
