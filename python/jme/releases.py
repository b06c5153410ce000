"""What a stream publishes. Nothing here is secret: it may be kept, pickled, plotted and passed on."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from . import _core, _html

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    Floats = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """Numbers and the standard deviation that the noise gives to each."""

    value: Any
    noise_std: Any


class NoiseStd:
    """The standard deviation of the noise on each number of a release."""

    def __init__(self, release: _core.Release) -> None:
        self._core = release

    @property
    def mean(self) -> Floats:
        return self._core.mean()[1]

    @property
    def covariance(self) -> Floats:
        return self._core.covariance()[1]

    @property
    def first(self) -> Floats:
        return self._core.first()[1]

    @property
    def second(self) -> Floats:
        return self._core.second()[1]

    def __repr__(self) -> str:
        numbers = ", ".join(f"{std:.2g}" for std in self.mean[:8])
        return f"<jme.NoiseStd: mean {numbers}{', ...' if len(self.mean) > 8 else ''}>"


class Components(NamedTuple):
    """Principal components, largest first: one per row of `components`."""

    values: Floats
    shares: Floats
    components: Floats
    noise_std: ComponentNoise
    memory: Floats

    def __repr__(self) -> str:
        shown = _some(
            f"{value:.4g} ± {noise:.2g} ({share:.0%})"
            for value, noise, share in zip(self.values, self.noise_std.values, self.shares, strict=True)
        )
        return f"<jme.Components: {len(self.values)} of {self.components.shape[1]} columns, variances {shown}>"


class ComponentNoise(NamedTuple):
    values: Floats
    shares: Floats
    components: Floats


class Regression(NamedTuple):
    """target = intercept + coefficients of the other columns, each an estimate with its noise."""

    target: str
    columns: list[str]
    intercept: float
    coefficients: Floats
    noise_std: RegressionNoise

    def predict(self, rows: npt.ArrayLike) -> Floats:
        """The target for rows of the other columns, in their order."""
        import numpy as np

        predicted: Floats = self.intercept + np.asarray(rows, dtype=np.float64) @ self.coefficients
        return predicted

    def __repr__(self) -> str:
        shown = _some(
            f"{name} {value:.4g} ± {noise:.2g}"
            for name, value, noise in zip(self.columns, self.coefficients, self.noise_std.coefficients, strict=True)
        )
        start = f"{self.intercept:.4g} ± {self.noise_std.intercept:.2g}"
        return f"<jme.Regression of {self.target}: intercept {start}, coefficients {shown}>"


class RegressionNoise(NamedTuple):
    intercept: float
    coefficients: Floats


class Density:
    """The Gaussian with the released mean and covariance, made positive definite."""

    def __init__(self, density: _core.Density, columns: Sequence[str]) -> None:
        self._core = density
        self._columns = columns

    @property
    def mean(self) -> Estimate:
        return Estimate(*self._core.mean())

    @property
    def covariance(self) -> Estimate:
        return Estimate(*self._core.covariance())

    @property
    def log_det(self) -> Estimate:
        return Estimate(*self._core.log_det())

    def log_density(self, points: npt.ArrayLike) -> Estimate:
        """Natural logarithm of the density at each point, one per row."""
        return Estimate(*self._core.log_density(_points(points)))

    def outlier_score(self, points: npt.ArrayLike) -> Estimate:
        """Mahalanobis distance of each point from the mean."""
        return Estimate(*self._core.outlier_score(_points(points)))

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Floats:
        """Made-up rows. They are post-processing of a release, so they may be published."""
        import numpy as np

        generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
        return self._core.points_of(generator.standard_normal((size, len(self._core.mean()[0]))))

    def __repr__(self) -> str:
        mean, noise = self.mean
        shown = _some(
            f"{name} {value:.4g} ± {std:.2g}" for name, value, std in zip(self._columns, mean, noise, strict=True)
        )
        return f"<jme.Density: mean {shown}>"


def _some(parts: Iterable[str], most: int = 4) -> str:
    """The first of them."""
    shown = list(itertools.islice(parts, most + 1))
    return ", ".join([*shown[:most], "..."] if len(shown) > most else shown)


def _points(points: npt.ArrayLike) -> Floats:
    import numpy as np

    return np.ascontiguousarray(np.atleast_2d(np.asarray(points, dtype=np.float64)))


class Release:
    """What one step publishes, in the columns' own units.

    `t` counts the rows included. `mean` and `covariance` (variances alone where `second="diagonal"`) are arrays;
    `noise_std` has the standard deviation of the noise on each of their numbers. A number is NaN where the release says
    nothing about it.
    """

    __slots__ = ("_core",)

    def __init__(self, release: _core.Release) -> None:
        self._core = release

    @property
    def t(self) -> int:
        return self._core.rows

    @property
    def step(self) -> int:
        """Which release this is, counted from 1."""
        return self._core.step

    @property
    def columns(self) -> list[str]:
        return self._core.columns

    @property
    def mean(self) -> Floats:
        return self._core.mean()[0]

    @property
    def covariance(self) -> Floats:
        return self._core.covariance()[0]

    @property
    def mean_interval(self) -> tuple[Floats, Floats]:
        """95% intervals of the means, which are exact where counts are private too; NaN where there is none."""
        return self._core.mean_interval()

    @property
    def first(self) -> Floats:
        """The workload's own output for the first moment."""
        return self._core.first()[0]

    @property
    def second(self) -> Floats:
        """The workload's own output for the second moment."""
        return self._core.second()[0]

    @property
    def noise_std(self) -> NoiseStd:
        return NoiseStd(self._core)

    @property
    def counts(self) -> Estimate | None:
        """Private counts of the cells that were there, by column; None where they are not released."""
        found = self._core.counts()
        return None if found is None else Estimate(*found)

    @property
    def pair_counts(self) -> Estimate | None:
        """The same for pairs of columns, as a matrix with those of single columns on its diagonal."""
        found = self._core.pair_counts()
        return None if found is None else Estimate(*found)

    @property
    def row_count(self) -> Estimate | None:
        """A private count of the rows that exist; None where it is not released. With `rows_per_person` it is the
        number of rows that count, of each person at most as many as the limit says, not the number of records."""
        found = self._core.row_count()
        return None if found is None else Estimate(*found)

    def correlation(self) -> Estimate:
        """Correlations, always in [-1, 1]."""
        return Estimate(*self._core.correlation())

    def precision(self) -> Estimate:
        """The inverse of the covariance."""
        return Estimate(*self._core.precision())

    def pca(self, count: int, after: Components | None = None) -> Components:
        """The `count` largest principal components. A component's sign is arbitrary; `after`, the components of the
        release before, keeps it from changing between two releases."""
        values, shares, components, memory = self._core.components(count, None if after is None else after.memory)
        noise = ComponentNoise(values[1], shares[1], components[1])
        return Components(values[0], shares[0], components[0], noise, memory)

    def regression(self, column: str | int) -> Regression:
        """Least squares for one column, by name or by place from 0, on all others."""
        columns = self.columns
        if isinstance(column, str):
            if column not in columns:
                raise KeyError(f"there is no column {column!r}; there are {', '.join(columns)}")
            column = columns.index(column)
        target = range(len(columns))[column]
        intercept, coefficients = self._core.regression(target)
        return Regression(
            columns[target],
            columns[:target] + columns[target + 1 :],
            intercept[0],
            coefficients[0],
            RegressionNoise(intercept[1], coefficients[1]),
        )

    def density(self) -> Density:
        """The Gaussian with this mean and covariance."""
        return Density(self._core.density(), self.columns)

    def to_pandas(self, what: str = "mean") -> pd.DataFrame:
        """`what` as a table: "mean" (a row for each column, with its noise), "covariance" or "correlation"."""
        import pandas as pd

        if what == "mean":
            return pd.DataFrame({"mean": self.mean, "noise_std": self.noise_std.mean}, index=self.columns)
        if what not in ("covariance", "correlation"):
            raise ValueError(f"what = {what!r}: must be mean, covariance or correlation")
        values = self.covariance if what == "covariance" else self.correlation().value
        if values.ndim == 1:
            return pd.DataFrame({"variance": values, "noise_std": self.noise_std.covariance}, index=self.columns)
        return pd.DataFrame(values, index=self.columns, columns=self.columns)

    def __repr__(self) -> str:
        shown = _some(
            f"{name} {value:.4g} ± {noise:.2g}"
            for name, value, noise in zip(self.columns, self.mean, self.noise_std.mean, strict=True)
        )
        return f"<jme.Release at t={self.t}: mean {shown}>"

    def _repr_html_(self) -> str:
        return _html.release(self)

    def __reduce__(self) -> Any:
        raise TypeError("pickle the releases that this one is part of (releases[-1:] for a single one)")


class Releases(Sequence[Release]):
    """Releases in their order, packed in one piece of memory: items are made when they are looked at."""

    __slots__ = ("_core",)

    def __init__(self, releases: _core.Releases) -> None:
        self._core = releases

    def __len__(self) -> int:
        return len(self._core)

    @overload
    def __getitem__(self, index: int) -> Release: ...
    @overload
    def __getitem__(self, index: slice) -> Releases: ...
    def __getitem__(self, index: int | slice) -> Release | Releases:
        try:
            places = range(len(self))[index]
        except IndexError:
            raise IndexError(f"there is no release {index}: there are {len(self)}") from None
        if isinstance(places, range):
            return Releases(self._core.part(places.start if len(places) else 0, places.step, len(places)))
        return Release(self._core.item(places))

    def __iter__(self) -> Iterator[Release]:
        for place in range(len(self)):
            yield Release(self._core.item(place))

    @property
    def columns(self) -> list[str]:
        return self._core.columns

    @property
    def t(self) -> npt.NDArray[np.int64]:
        """Rows included in each."""
        return self._core.t()

    @property
    def mean(self) -> Estimate:
        """All means and their noise, with the releases along the first axis."""
        return Estimate(*self._core.means())

    @property
    def covariance(self) -> Estimate:
        """All covariances and their noise, with the releases along the first axis."""
        return Estimate(*self._core.covariances())

    def to_pandas(self, what: str = "mean") -> pd.DataFrame:
        """One row for each release. "mean": each column and its noise (`temp`, `temp_noise_std`). "covariance": each
        pair of columns (`temp*co`), variances too."""
        import numpy as np
        import pandas as pd

        index = pd.Index(self.t, name="t")
        if what == "mean":
            values, noise = self.mean
            names = self.columns
        elif what == "covariance":
            values, noise = self.covariance
            if values.ndim == 3:
                rows, columns = np.triu_indices(len(self.columns))
                values, noise = values[:, rows, columns], noise[:, rows, columns]
                names = [f"{self.columns[i]}*{self.columns[j]}" for i, j in zip(rows, columns, strict=True)]
            else:
                names = [f"{name}*{name}" for name in self.columns]
        else:
            raise ValueError(f"what = {what!r}: must be mean or covariance")
        table = {}
        for place, name in enumerate(names):
            table[name] = values[:, place]
            table[f"{name}_noise_std"] = noise[:, place]
        return pd.DataFrame(table, index=index)

    def __reduce__(self) -> Any:
        return (_from_state, self._core.state())

    def __repr__(self) -> str:
        if not len(self):
            return "<jme.Releases: none>"
        return f"<jme.Releases: {len(self)}, t={self[0].t} to {self[-1].t}>"

    def _repr_html_(self) -> str:
        return _html.releases(self)


def _from_state(*parts: Any) -> Releases:
    return Releases(_core.Releases.from_state(*parts))
