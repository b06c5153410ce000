"""A Gaussian density."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2
from sklearn.base import DensityMixin

from ..releases import Density, Release
from ._base import PrivateEstimator
from ._rows import WHOLE_ROWS, Floats, checked


class PrivateGaussian(DensityMixin, PrivateEstimator):  # type: ignore[misc]
    """A Gaussian with a private mean and covariance: densities, outliers and made-up rows.

    >>> import numpy as np
    >>> from jme.sklearn import PrivateGaussian, SharedLedger
    >>> X = np.random.default_rng(1).normal(size=(10_000, 2))
    >>> book = SharedLedger(max_mu=1)
    >>> model = PrivateGaussian(epsilon=1, delta=1e-6, bounds=(-5, 5), ledger=book).fit(X)
    >>> model.outliers([[0, 0], [4.5, -4.5]])
    array([False,  True])
    >>> model.sample(3, random_state=1).shape
    (3, 2)

    Attributes: `means_`, `covariance_` (positive definite: without eigenvalues below the noise), `log_det_`, each with
    its `_std_` twin.
    """

    def _learn(self, release: Release) -> None:
        density = release.density()
        self.means_, self.means_std_ = density.mean
        self.covariance_, self.covariance_std_ = density.covariance
        self.log_det_, self.log_det_std_ = density.log_det

    def _density(self) -> Density:
        self._check_fitted()
        return self.release_.density()

    def score_samples(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Log-density at each row; with `return_std` also the standard deviation that the noise gives to it."""
        density = self._density()
        found = density.log_density(checked(self, X, reset=False, remedy=WHOLE_ROWS))
        return (found.value, found.noise_std) if return_std else found.value

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-density of the rows."""
        return float(np.mean(self.score_samples(X)))

    def mahalanobis(self, X: Any) -> Floats:
        """Squared Mahalanobis distance of each row from the mean."""
        density = self._density()
        scores: Floats = density.outlier_score(checked(self, X, reset=False, remedy=WHOLE_ROWS)).value
        return scores**2

    def outliers(self, X: Any, level: float = 1e-3) -> npt.NDArray[np.bool_]:
        """Whether each row is further out than all but the share `level` of this Gaussian's own rows. The threshold
        comes from the chi-square law of the distance and not from the data."""
        if not 0 < level < 1:
            raise ValueError(f"level = {level}: must be in (0, 1)")
        distances = self.mahalanobis(X)
        outside: npt.NDArray[np.bool_] = distances > chi2.isf(level, self.n_features_in_)
        return outside

    def sample(self, n_samples: int = 1, random_state: np.random.Generator | int | None = None) -> Floats:
        """Made-up rows. They are computed from what was published, so they may be published too."""
        return self._density().sample(n_samples, random_state)
