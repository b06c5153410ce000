"""Rows of all kinds on their way to an estimator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import validate_data

from .._tables import check_pandas_type, is_table
from ..errors import DataError

Floats = npt.NDArray[np.float64]


#: What can be done about missing cells.
TO_LEARN = (
    'are refused unless missing= says what they become: missing="mean", for example, or "model", "centre", '
    '"observed" or public values such as "mean,rain=0"'
)
LATER = 'are refused where the estimator was made without missing=, such as missing="mean"'
WHOLE_ROWS = "are refused: distances and densities are of whole rows"


def checked(estimator: Any, X: Any, *, reset: bool, finite: bool | str = True, remedy: str = LATER) -> Floats:
    """X as an array of floats, with the checks of scikit-learn: number, names and order of the features. `finite` is
    what its `ensure_all_finite` is; `remedy` is for missing cells, about which our words say more."""
    array: Floats = validate_data(
        estimator,
        _numbers(X),
        reset=reset,
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan" if finite is True else finite,
    )
    if finite is True:
        refuse_missing(array, "X", remedy)
    return array


def refuse_missing(array: Floats, name: str, remedy: str) -> None:
    if np.isnan(array).any():
        raise DataError(f"Input {name} contains NaN: missing cells {remedy}")


def filled(estimator: Any, X: Any, means: Floats) -> Floats:
    """Rows after the estimator has learnt. Missing cells become these means, where the estimator takes any."""
    takes_any = estimator.missing not in (None, "fail")
    rows = checked(estimator, X, reset=False, finite="allow-nan" if takes_any else True)
    return np.where(np.isnan(rows), means, rows) if takes_any else rows


def _numbers(X: Any) -> Any:
    """scikit-learn would take text that looks like a number for one, and forget a mask."""
    _refuse_many_tables(X)
    if isinstance(X, np.ma.MaskedArray):
        return np.ma.filled(X.astype(np.float64), np.nan)
    if sparse.issparse(X):
        return X
    if type(X).__module__.partition(".")[0] == "pandas" and hasattr(X, "columns"):
        for place, name in enumerate(X.columns):
            check_pandas_type(str(name), X.dtypes.iloc[place])
        return X
    values = np.asarray(X)
    if values.dtype.kind in "US" or (
        values.dtype.kind == "O" and any(isinstance(v, (str, bytes)) for v in values.flat)
    ):
        raise ValueError("rows of numbers were expected, not text; convert it if it should be numbers")
    return X if hasattr(X, "columns") else values


def _refuse_many_tables(X: Any) -> None:
    """An iterable of tables has no one shape: to scikit-learn it is an array of three dimensions."""
    first = X[0] if isinstance(X, (list, tuple)) and X else None
    if isinstance(X, Iterator) or (first is not None and is_table(first)):
        held = type(X if first is None else first).__name__
        raise TypeError(f"X must be one table of rows, not several (of type {held}); give each of them to partial_fit")


def names_of(estimator: Any) -> list[str]:
    """Names of the features; x0, x1, ... where they have none, as elsewhere in scikit-learn."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{place}" for place in range(estimator.n_features_in_)]
    if len(set(names)) != len(names):
        raise ValueError("two features have the same name")
    return [str(name) for name in names]
