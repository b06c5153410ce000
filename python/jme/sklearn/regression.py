"""Linear regression."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import assert_all_finite, check_consistent_length, column_or_1d

from ..releases import Release
from ._base import PrivateEstimator
from ._rows import TO_LEARN, Floats, filled, refuse_missing


class PrivateLinearRegression(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """Private least squares with an intercept, and a ridge against the noise.

    >>> import numpy as np
    >>> from jme.sklearn import PrivateLinearRegression, SharedLedger
    >>> X = np.random.default_rng(1).uniform(0, 1, size=(200_000, 2))
    >>> y = 1 + X @ [2, -1]
    >>> book = SharedLedger(max_mu=1)
    >>> line = PrivateLinearRegression(epsilon=1, delta=1e-6, bounds={0: (0, 1), 1: (0, 1), "y": (0, 3)}, ledger=book)
    >>> line.fit(X, y).coef_.round(1)
    array([ 2., -1.])

    Attributes: `coef_`, which has one dimension, and `intercept_`, each with its `_std_` twin. The target is in
    `bounds`, under the key "y"; a feature that is called y too is given by its position. Where `missing` is given, the
    target may be missing as well.
    """

    _has_target: ClassVar[bool] = True

    def _table(self, X: Any, y: Any, *, reset: bool) -> Floats:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        rows = super()._table(X, y, reset=reset)
        target = np.asarray(column_or_1d(_target(y), warn=True), dtype=np.float64)
        check_consistent_length(rows, target)
        if self._finite() is not False:
            assert_all_finite(target, allow_nan=True, input_name="y")
        if self._finite() is True:
            refuse_missing(target, "y", TO_LEARN)
        return np.column_stack([rows, target])

    def _learn(self, release: Release) -> None:
        line = release.regression(self.n_features_in_)
        self.coef_, self.coef_std_ = line.coefficients, line.noise_std.coefficients
        self.intercept_, self.intercept_std_ = line.intercept, line.noise_std.intercept

    def predict(self, X: Any) -> Floats:
        """The target of each row. Where `missing` was given, a missing cell counts as its feature's private mean."""
        self._check_fitted()
        predicted: Floats = filled(self, X, self.release_.mean[:-1]) @ self.coef_ + self.intercept_
        return predicted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.regressor_tags.poor_score = True  # a few rows say little under much noise
        return tags


def _target(y: Any) -> Any:
    """Numbers, as for features: text is refused, and a mask counts."""
    if isinstance(y, np.ma.MaskedArray):
        return np.ma.filled(y.astype(np.float64), np.nan)
    values = y if hasattr(y, "dtype") and hasattr(y, "iloc") else np.asarray(y)
    if np.asarray(values).dtype.kind in "USc":
        raise ValueError("Unknown label type: a target of numbers was expected, not text or complex numbers")
    return values
