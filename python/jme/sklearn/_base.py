"""What the estimators share: their keywords, the stream behind them, and the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._settings import type_name
from ..errors import BudgetExhausted, InvalidParameter, StateError
from ..releases import Release, Releases
from ..stream import Stream
from ._bounds import TARGET, Bounds, ranges
from ._rows import TO_LEARN, Floats, checked, names_of
from .ledger import Charge, SharedLedger, charge_of, warn_once

if TYPE_CHECKING:
    from typing_extensions import Self

# Settings of a stream that an estimator decides itself.
OWN_SETTINGS = {
    "epsilon",
    "delta",
    "bounds",
    "missing",
    "rows",
    "steps",
    "every",
    "dimension",
    "norm_bound",
    "columns",
    "second",
    "emit",
    "state",
    "source",
    "stream",
    "max_mu",
    "commit_interval",
    "leave_open",
    "format",
    "compression",
    "no_header",
    "width",
    "records",
    "delimiter",
    "decimal",
}

KEYWORDS = """
    Keywords that all private estimators have:

    epsilon, delta: the privacy of everything that one `fit`, or all calls of `partial_fit` together, publish: one row
        may be replaced by any other. There is no default, because it is a decision.
    bounds: the PUBLIC range of each feature; values are clamped to it. One pair for all features, a sequence of pairs,
        or a mapping from names or positions to pairs. Never take it from the data.
    missing: what missing cells (NaN) become when the estimator learns: "mean", "model", "centre", or public values
        such as "mean,rain=0". Without it they are refused.
    horizon: how often `partial_fit` will be called at most, or "unbounded".
    batch_size: rows of a call of `partial_fit` at most; as many as the first call has, if it is not given.
    settings: further settings of `jme.Stream`, such as {"adjacency": "add-remove"} or {"workload": "decay:0.99"}.
    ledger: a `SharedLedger`, which counts what this estimator and its clones spend.

    `fit` publishes once. Each call of `fit`, on a clone too, is another mechanism and SPENDS AGAIN: two fits of
    epsilon = 1 at delta = 1e-6 on rows of the same people are epsilon = 1.455 together. `partial_fit` spends once,
    however often it is called: each call is one block of rows, after which the estimate is of all rows so far.

    `statement_` says in plain words what is promised; `release_` is the newest release, with everything that can be
    computed from it; `n_samples_seen_` counts rows. A name that ends with `_std_` is the standard deviation that the
    noise gives to each number of its twin. Pickles keep what was published, and cannot go on.
"""


class PrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """Learns from the releases of a stream, and keeps nothing else of the rows."""

    _has_target: ClassVar[bool] = False

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.__doc__ and not cls.__name__.startswith("_"):
            cls.__doc__ = cls.__doc__.rstrip() + "\n" + KEYWORDS

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        bounds: Bounds | None = None,
        missing: str | None = None,
        horizon: int | str = "unbounded",
        batch_size: int | None = None,
        settings: Mapping[str, Any] | None = None,
        ledger: SharedLedger | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.missing = missing
        self.horizon = horizon
        self.batch_size = batch_size
        self.settings = settings
        self.ledger = ledger

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from these rows, and publishes once. Each call spends the whole budget again."""
        self._check_settings()
        with self._unchanged_if_refused():
            table = self._table(X, y, reset=True)
            self._take(table, None, every=len(table), rows=len(table))
        self._stream: Stream | None = None
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Takes one more block of rows, and publishes what all rows so far say. All calls spend the budget once."""
        self._check_settings()
        is_first = not self.__sklearn_is_fitted__()
        stream = None if is_first else self._open_stream()
        with self._unchanged_if_refused() if is_first else nullcontext():
            table = self._table(X, y, reset=is_first)
            every = self._batch_size(len(table)) if is_first else self._every
            if len(table) > every:
                raise InvalidParameter(
                    f"batch_size: this call has {len(table)} rows, a block of this stream at most {every}",
                    field="batch_size",
                )
            self._take(table, stream, every=every, rows=self._rows(every))
        return self

    @contextmanager
    def _unchanged_if_refused(self) -> Iterator[None]:
        """What was learnt before, and from which features, stays as it was where nothing new is published."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            if self.__dict__.get("_newest") is before.get("_newest"):
                self.__dict__ = before
            raise

    def _check_settings(self) -> None:
        if self.settings is not None and not isinstance(self.settings, Mapping):
            kind = type_name(self.settings)
            raise InvalidParameter(f"settings: must be a mapping of keywords of a stream, not {kind}", field="settings")

    def _open_stream(self) -> Stream:
        if "_stream" not in self.__dict__:
            raise StateError("a copy from a pickle keeps what was published, and cannot go on: its noise is elsewhere")
        if self._stream is None:
            raise BudgetExhausted(
                "partial_fit cannot go on after fit, which publishes once, or after a call that was interrupted inside "
                "its block; what was published stays"
            )
        return self._stream

    @property
    def release_(self) -> Release:
        """The newest release."""
        self._check_fitted()
        return self._newest[0]

    def _second(self) -> str:
        """Which second moment is needed."""
        return "full"

    def _learn(self, release: Release) -> None:
        """Sets what is learnt."""
        raise NotImplementedError

    def _table(self, X: Any, y: Any, *, reset: bool) -> Floats:
        """The rows of the stream."""
        return checked(self, X, reset=reset, finite=self._finite(), remedy=TO_LEARN)

    def _finite(self) -> bool | str:
        if (self.settings or {}).get("on_bad_row") == "zero":
            return False
        return True if self.missing in (None, "fail") else "allow-nan"

    def _check_fitted(self) -> None:
        check_is_fitted(self)

    def __sklearn_is_fitted__(self) -> bool:
        return "_newest" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = "insecure_test_seed" not in (self.settings or {})
        tags.input_tags.allow_nan = self._finite() is not True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        # A stream has the key of its noise and the sums of an open block.
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_stream", None)
        return state

    def _batch_size(self, rows: int) -> int:
        if self.batch_size is None:
            return rows
        if not isinstance(self.batch_size, (int, np.integer)) or self.batch_size < 1:
            raise InvalidParameter(f"batch_size = {self.batch_size}: must be a whole number from 1", field="batch_size")
        return int(self.batch_size)

    def _rows(self, every: int) -> int | str:
        if self.horizon == "unbounded":
            return "unbounded"
        if not isinstance(self.horizon, (int, np.integer)) or isinstance(self.horizon, bool) or self.horizon < 1:
            raise InvalidParameter(
                f'horizon = {self.horizon}: must be a whole number of calls from 1, or "unbounded"', field="horizon"
            )
        return int(self.horizon) * every

    def _open(self, every: int, rows: int | str) -> Stream:
        given = dict(self.settings or {})
        for name in OWN_SETTINGS & given.keys():
            raise InvalidParameter(f"settings: {name} is decided by the estimator or its own keyword", field="settings")
        names = names_of(self)
        pairs = ranges(self.bounds, names, with_target=self._has_target)
        if self._has_target:
            names.append(TARGET if TARGET not in names else f"{TARGET} (target)")
        made = Stream(
            epsilon=self.epsilon,
            delta=self.delta,
            bounds=dict(zip(names, pairs, strict=True)),
            missing=self.missing,
            rows=rows,
            every=every,
            second=self._second(),
            **given,
        )
        self._columns = names
        self._centre = np.array([low / 2 + high / 2 for low, high in pairs])
        return made

    def _take(self, table: Floats, stream: Stream | None, *, every: int, rows: int | str) -> None:
        """Gives one block to the stream, which is opened and charged before its first, and learns from the release."""
        if not isinstance(self.ledger, SharedLedger | None):
            raise TypeError(f"ledger must be a SharedLedger or None, not {type(self.ledger).__name__}")
        if stream is not None and isinstance(rows, int) and stream.rows >= rows:
            raise BudgetExhausted(f"horizon = {self.horizon}: partial_fit was called as often as that")
        padding = every - len(table)
        if padding:
            self._check_can_pad()
        charge = None
        if stream is None:
            stream = self._open(every, rows)
            charge = self._charge_of(stream)
            if self.ledger is not None:
                self.ledger.charge(charge)
        before = stream.rows
        try:
            if padding:
                table = np.vstack([table, np.broadcast_to(self._centre, (padding, table.shape[1]))])
            releases = stream.push({name: table[:, place] for place, name in enumerate(self._columns)})
        except BaseException:
            if stream.rows != before:
                self._stream = None  # part of the block was taken
            elif charge is not None and self.ledger is not None:
                self.ledger.give_back(charge)
            raise
        if charge is not None:
            if self.ledger is None:
                warn_once(charge)
            self._stream = stream
            self._every = every
            self._padded = 0
            self.statement_ = stream.statement
            self.privacy_ = stream.metadata["privacy"]
            self.n_samples_seen_ = 0
        self.n_samples_seen_ += every - padding
        self._padded += padding
        if self._padded:  # how many rows there are is public
            releases = Releases(releases._core.without_zero_rows(self._padded))
        self._newest = releases
        self._learn(self._newest[0])

    def _charge_of(self, stream: Stream) -> Charge:
        metadata = stream.metadata
        is_insecure = "insecure_test_seed" in (self.settings or {})
        return charge_of(type(self).__name__, metadata["configuration"], metadata["privacy"], insecure=is_insecure)

    def _check_can_pad(self) -> None:
        """A block that is not full gets rows that are zero in the units of the stream. Sums do not change by them;
        weights that depend on the row's place, fills from releases, private counts and noise on single rows would."""
        given = self.settings or {}
        sums_alone = (
            all(given.get(key) in (None, "mean", "prefix") for key in ("workload", "workload2"))
            and given.get("method") not in ("pp", "pp-debiased")
            and not any(word in (self.missing or "").split(",") for word in ("mean", "model", "observed"))
            and not given.get("private_count")
        )
        if not sums_alone:
            raise InvalidParameter(
                "batch_size: with these settings every call must have as many rows as the first (or batch_size)",
                field="batch_size",
            )
