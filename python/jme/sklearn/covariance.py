"""Mean and covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..releases import Release
from ._base import PrivateEstimator
from ._rows import WHOLE_ROWS, Floats, checked


class PrivateCovariance(PrivateEstimator):
    """Private mean and covariance, with the attributes of `sklearn.covariance.EmpiricalCovariance`.

    >>> import numpy as np
    >>> from jme.sklearn import PrivateCovariance, SharedLedger
    >>> X = np.random.default_rng(1).normal(size=(10_000, 2)) @ [[1, 0.5], [0, 1]]
    >>> book = SharedLedger(max_mu=1)
    >>> model = PrivateCovariance(epsilon=1, delta=1e-6, bounds=(-5, 5), ledger=book).fit(X)
    >>> bool(np.all(np.abs(model.covariance_ - np.cov(X.T)) < 6 * model.covariance_std_))
    True

    Attributes: `location_`, `covariance_` (unbiased; noise can make it indefinite), `precision_` and `correlation_`
    (of the nearest covariance without eigenvalues below the noise), each with its `_std_` twin.
    """

    def _learn(self, release: Release) -> None:
        self.location_, self.location_std_ = release.mean, release.noise_std.mean
        self.covariance_, self.covariance_std_ = release.covariance, release.noise_std.covariance
        self.precision_, self.precision_std_ = release.precision()
        self.correlation_, self.correlation_std_ = release.correlation()

    def get_precision(self) -> Floats:
        """The inverse of the covariance."""
        self._check_fitted()
        precision: Floats = self.precision_
        return precision

    def mahalanobis(self, X: Any) -> Floats:
        """Squared Mahalanobis distance of each row from the private mean."""
        self._check_fitted()
        away = checked(self, X, reset=False, remedy=WHOLE_ROWS) - self.location_
        distances: Floats = np.einsum("ij,jk,ik->i", away, self.precision_, away)
        return distances

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of these rows under the Gaussian with this mean and covariance."""
        self._check_fitted()
        return float(
            np.mean(self.release_.density().log_density(checked(self, X, reset=False, remedy=WHOLE_ROWS)).value)
        )
