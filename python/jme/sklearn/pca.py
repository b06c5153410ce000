"""Principal components."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ..errors import InvalidParameter
from ..releases import Components, Release
from ._base import PrivateEstimator
from ._bounds import Bounds
from ._rows import Floats, filled
from .ledger import SharedLedger


class PrivatePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrivateEstimator):  # type: ignore[misc]
    """Private principal components, with the attributes of `sklearn.decomposition.PCA`.

    >>> import numpy as np
    >>> from jme.sklearn import PrivatePCA, SharedLedger
    >>> X = np.random.default_rng(1).normal(size=(10_000, 3)) * [3, 1, 1]
    >>> book = SharedLedger(max_mu=1)
    >>> pca = PrivatePCA(n_components=1, epsilon=1, delta=1e-6, bounds=(-10, 10), ledger=book).fit(X)
    >>> pca.transform(X).shape
    (10000, 1)
    >>> bool(abs(pca.components_[0, 0]) > 0.95)
    True

    Attributes: `components_`, `explained_variance_`, `explained_variance_ratio_`, `mean_`, each with its `_std_` twin,
    `n_components_` and `singular_values_`. Variances that the noise made negative are 0.

    n_components: how many to keep; all, if it is not given; a share in (0, 1) keeps as many as explain more than it.
    whiten: divide each coordinate by its standard deviation, which is at least the noise on it.
    """

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        whiten: bool = False,
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
        self.n_components = n_components
        self.whiten = whiten

    def _table(self, X: Any, y: Any, *, reset: bool) -> Floats:
        table = super()._table(X, y, reset=reset)
        self._check_count()  # before anything is spent
        return table

    def _check_count(self) -> None:
        count, most = self.n_components, self.n_features_in_
        if count is None:
            return
        if isinstance(count, Integral) and not isinstance(count, bool) and 1 <= count <= most:
            return
        if isinstance(count, Real) and not isinstance(count, Integral) and 0 < count < 1:
            return
        raise InvalidParameter(
            f"n_components = {count!r}: must be None, a whole number from 1 to {most} features, or a share in (0, 1)",
            field="n_components",
        )

    def _learn(self, release: Release) -> None:
        before: Components | None = self.__dict__.get("_all") if release.step > 1 else None
        found = release.pca(self.n_features_in_, after=before)
        self._all = found
        count = self.n_features_in_
        if isinstance(self.n_components, Integral):
            count = int(self.n_components)
        elif self.n_components is not None:
            count = 1 + int(np.searchsorted(np.cumsum(found.shares), self.n_components, side="right"))
            count = min(count, self.n_features_in_)
        self.n_components_ = count
        self.components_ = found.components[:count]
        self.components_std_ = found.noise_std.components[:count]
        self.explained_variance_ = found.values[:count]
        self.explained_variance_std_ = found.noise_std.values[:count]
        self.explained_variance_ratio_ = found.shares[:count]
        self.explained_variance_ratio_std_ = found.noise_std.shares[:count]
        self.singular_values_ = np.sqrt(self.explained_variance_ * max(self.n_samples_seen_ - 1, 1))
        self.mean_, self.mean_std_ = release.mean, release.noise_std.mean

    @property
    def _n_features_out(self) -> int:
        return int(self.n_components_)

    def _scale(self) -> Floats:
        scale: Floats = np.sqrt(np.maximum(self.explained_variance_, self.explained_variance_std_))
        return scale

    def transform(self, X: Any) -> Floats:
        """Coordinates of the rows along the components. Where `missing` was given, a missing cell counts as its
        feature's private mean."""
        self._check_fitted()
        coordinates: Floats = (filled(self, X, self.mean_) - self.mean_) @ self.components_.T
        return coordinates / self._scale() if self.whiten else coordinates

    def inverse_transform(self, X: Any) -> Floats:
        """Rows from their coordinates."""
        self._check_fitted()
        coordinates = np.asarray(X, dtype=np.float64)
        if self.whiten:
            coordinates = coordinates * self._scale()
        rows: Floats = coordinates @ self.components_ + self.mean_
        return rows
