"""What several fits spend together."""

from __future__ import annotations

import math
import numbers
import os
import threading
import warnings
from typing import Any, NamedTuple

from .._settings import type_name
from ..answers import calibrate
from ..errors import BudgetExhausted, InvalidParameter, StateError


class PrivacyCostWarning(UserWarning):
    """Said once in a process, by the first fit that no ledger counts."""


class Charge(NamedTuple):
    """What one fit, or all calls of `partial_fit` together, spent. It protects a row (`adjacency`), and people with up
    to `participations` of them. `bad_past` is the part of delta that the arithmetic of the noise takes."""

    estimator: str
    mu: float
    epsilon: float | None
    delta: float | None
    bad_past: float
    adjacency: str
    participations: int


def charge_of(estimator: str, configuration: dict[str, Any], privacy: dict[str, Any], *, insecure: bool) -> Charge:
    """From what a stream says of itself. Noise from a test seed protects nobody."""
    return Charge(
        estimator,
        math.inf if insecure else float(privacy["mu"]),
        privacy.get("epsilon"),
        privacy.get("delta"),
        float(privacy["delta_0"]),
        str(privacy["adjacency"]),
        int(configuration["participations"]),
    )


def composed_mu(charges: list[Charge]) -> float:
    """Streams are Gaussian mechanisms, which compose exactly: the squares of mu add up."""
    return math.sqrt(math.fsum(charge.mu**2 for charge in charges))


def composed_epsilon(charges: list[Charge], delta: float) -> float:
    """The same rule as that of the ledger of durable streams."""
    mu = composed_mu(charges)
    if mu == 0 or math.isinf(mu):
        return mu
    bad = math.fsum(charge.bad_past for charge in charges)
    left = delta
    epsilon = calibrate(sigma=1 / mu, delta=left)["epsilon"]
    # A bad past counts with the factor 1 + e^epsilon. It is below 1e-20 unless somebody asked for a tiny delta.
    while bad > 0 and left + (1 + math.exp(min(epsilon, 700.0))) * bad > delta:
        left = min(left * (1 - 1e-9), delta - (1 + math.exp(min(epsilon, 700.0))) * bad)
        if left <= 0:
            return math.inf
        epsilon = calibrate(sigma=1 / mu, delta=left)["epsilon"]
    if all(c.epsilon is not None and c.delta is not None for c in charges):
        plain = math.fsum(c.epsilon or 0 for c in charges), math.fsum(c.delta or 0 for c in charges)
        if plain[1] <= delta:
            return min(epsilon, plain[0])
    return epsilon


class SharedLedger:
    """Counts what estimators spend on the same people, and refuses what would be too much.

    `clone`, grid search and cross-validation make copies of an estimator and fit each of them; every fit spends again.
    Copies share the ledger of the original, because copying a ledger gives the ledger itself. Fits compose as in the
    ledger of durable streams: mu = sqrt(mu_1^2 + mu_2^2 + ...).

    The limit is `max_mu`, or the mu of `epsilon` and `delta`.

    >>> import jme
    >>> from jme.sklearn import PrivateCovariance, SharedLedger
    >>> ledger = SharedLedger(epsilon=2, delta=1e-6)
    >>> model = PrivateCovariance(epsilon=1, delta=1e-6, bounds=(0, 1), ledger=ledger)
    >>> for _ in range(4):
    ...     try:
    ...         _ = model.fit([[0.25, 0.5], [0.5, 1.0]] * 100)
    ...     except jme.BudgetExhausted:
    ...         print("refused")
    refused
    >>> len(ledger.charges), round(ledger.epsilon_spent(1e-6), 2)
    (3, 1.81)

    A ledger is kept in memory, in one process. A pickled copy can be read but spends nothing, so that no two processes
    count the same budget: use threads (`joblib.parallel_config("threading")`) where fits run side by side. Durable
    streams (`jme.Stream(state=...)`) have a ledger on disk.
    """

    def __init__(
        self, max_mu: float | None = None, *, epsilon: float | None = None, delta: float | None = None
    ) -> None:
        if (max_mu is None) == (epsilon is None) or (epsilon is None) != (delta is None):
            raise InvalidParameter("max_mu: give either it, or epsilon and delta", field="max_mu")
        if max_mu is None:
            max_mu = 1 / calibrate(epsilon=epsilon, delta=delta)["sigma"]
        if not isinstance(max_mu, (int, float, numbers.Real)):
            raise InvalidParameter(f"max_mu: must be a number above 0, not {type_name(max_mu)}", field="max_mu")
        if not 0 < max_mu < math.inf:
            raise InvalidParameter(f"max_mu = {max_mu}: must be positive and finite", field="max_mu")
        self.max_mu = float(max_mu)
        self._charges: list[Charge] = []
        self._lock = threading.Lock()
        self._process: int | None = os.getpid()

    @property
    def charges(self) -> list[Charge]:
        """What was spent, in its order."""
        with self._lock:
            return list(self._charges)

    def spent(self) -> float:
        """mu of all charges together."""
        return composed_mu(self.charges)

    def epsilon_spent(self, delta: float) -> float:
        """epsilon of all charges together, at this delta."""
        return composed_epsilon(self.charges, delta)

    def charge(self, charge: Charge) -> None:
        """Counts a charge, or raises `BudgetExhausted` and counts nothing."""
        if self._process != os.getpid():
            raise StateError(
                "this is a copy of a ledger, from a pickle or in another process: it can be read, but what it would "
                "count is not shared with the original; use threads where fits run side by side"
            )
        with self._lock:
            together = composed_mu([*self._charges, charge])
            if not together <= self.max_mu:
                raise BudgetExhausted(
                    f"{charge.estimator} needs mu = {charge.mu:.6g}; with what was spent before this would be "
                    f"{together:.6g}, more than the ledger's {self.max_mu:.6g}"
                )
            self._charges.append(charge)

    def give_back(self, charge: Charge) -> None:
        """For a fit whose rows were refused before any of them was taken: nothing was drawn."""
        with self._lock:
            for place, known in enumerate(self._charges):
                if known is charge:
                    del self._charges[place]
                    return

    def __copy__(self) -> SharedLedger:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> SharedLedger:
        return self

    def __reduce__(self) -> Any:
        return (_readable_copy, (self.max_mu, self.charges))

    def __repr__(self) -> str:
        return f"<SharedLedger: mu {self.spent():.4g} of {self.max_mu:.4g} spent in {len(self.charges)} fits>"


def _readable_copy(max_mu: float, charges: list[Charge]) -> SharedLedger:
    ledger = SharedLedger(max_mu)
    ledger._charges = list(charges)
    ledger._process = None
    return ledger


_warned = False


def warn_once(charge: Charge) -> None:
    """Says, once in a process, what a second fit on the same rows would cost."""
    global _warned
    if _warned or math.isinf(charge.mu):
        return
    _warned = True
    delta = charge.delta or 1e-6
    one, two = (composed_epsilon([charge] * fits, delta) for fits in (1, 2))
    warnings.warn(
        f"every fit spends privacy: this one epsilon = {one:.4g}, a second one on rows of the same people would make "
        f"it {two:.4g} together, at delta = {delta:g}. clone, grid search and cross-validation fit many times; give "
        "ledger=SharedLedger(...) to count and to limit it. (Said once.)",
        PrivacyCostWarning,
        stacklevel=4,
    )
