"""Features with mean 0 and variance 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin

from ..releases import Release
from ._base import PrivateEstimator
from ._bounds import Bounds
from ._rows import Floats, checked
from .ledger import SharedLedger


class PrivateStandardScaler(OneToOneFeatureMixin, TransformerMixin, PrivateEstimator):  # type: ignore[misc]
    """Subtracts private means and divides by private standard deviations, as `StandardScaler` does.

    >>> import numpy as np
    >>> from jme.sklearn import PrivateStandardScaler, SharedLedger
    >>> X = np.random.default_rng(1).normal([15, 60], [3, 4], size=(100_000, 2))
    >>> book = SharedLedger(max_mu=1)
    >>> scaler = PrivateStandardScaler(epsilon=1, delta=1e-6, bounds={0: (-20, 45), 1: (0, 100)}, ledger=book).fit(X)
    >>> bool(np.all(np.abs(scaler.transform(X).std(axis=0) - 1) < 0.2))
    True

    Attributes: `mean_`, `var_`, `scale_`, each with its `_std_` twin; None where it is not asked for. The noise can
    make a small variance negative. `scale_` is the root of a variance that is at least the noise on it, so that a
    feature of which nothing is known is never blown up. Covariances are not published.

    with_mean, with_std: whether to centre and to scale.
    """

    def __init__(
        self,
        *,
        with_mean: bool = True,
        with_std: bool = True,
        epsilon: float | None = None,
        delta: float | None = None,
        bounds: Bounds | None = None,
        missing: str | None = None,
        horizon: int | str = "unbounded",
        batch_size: int | None = None,
        settings: Mapping[str, Any] | None = None,
        ledger: SharedLedger | None = None,
    ) -> None:
        super().__init__(
            epsilon=epsilon,
            delta=delta,
            bounds=bounds,
            missing=missing,
            horizon=horizon,
            batch_size=batch_size,
            settings=settings,
            ledger=ledger,
        )
        self.with_mean = with_mean
        self.with_std = with_std

    def _second(self) -> str:
        return "diagonal" if self.with_std else "none"

    def _learn(self, release: Release) -> None:
        self.mean_, self.mean_std_ = release.mean, release.noise_std.mean
        self.var_: Any = None
        self.var_std_: Any = None
        self.scale_: Any = None
        self.scale_std_: Any = None
        if self.with_std:
            self.var_, self.var_std_ = release.covariance, release.noise_std.covariance
            self.scale_ = np.sqrt(np.maximum(self.var_, self.var_std_))
            self.scale_std_ = self.var_std_ / (2 * self.scale_)  # first order

    def transform(self, X: Any) -> Floats:
        """The rows in standard units. NaN stay NaN."""
        self._check_fitted()
        rows: Floats = checked(self, X, reset=False, finite=self._finite()).astype(np.float64)
        if self.with_mean:
            rows -= self.mean_
        if self.with_std:
            rows /= self.scale_
        return rows

    def inverse_transform(self, X: Any) -> Floats:
        """Back to natural units."""
        self._check_fitted()
        rows = np.array(X, dtype=np.float64)
        if self.with_std:
            rows *= self.scale_
        if self.with_mean:
            rows += self.mean_
        return rows
