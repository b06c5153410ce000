"""Questions that need no data."""

from __future__ import annotations

import json
import numbers
import os
from collections.abc import Callable
from typing import Any

from . import _core, _html, _settings
from .errors import InvalidParameter


def _words(given: dict[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    matrices: dict[str, Any] = {}
    words = {}
    for keyword, value in given.items():
        if value is None:
            continue
        name = keyword.rstrip("_")
        text = (
            _settings.value_of(name, value, matrices) if name in ("workload", "workload2", "shape", "shape2") else value
        )
        if not isinstance(text, (str, numbers.Real)):
            what = _settings.type_name(text)
            raise InvalidParameter(f"{keyword}: must be a number or a word, not {what}", field=keyword)
        words[name] = str(_settings.number(text))
    return words, matrices


def _answer(question: Callable[[dict[str, str]], str], given: dict[str, Any]) -> Any:
    """An error about several keywords together has one for its field: the first that is missing, or else the last."""
    try:
        return json.loads(question(_words(given)[0]))
    except InvalidParameter as error:
        names = (error.field or "").split(",_")
        if len(names) == 1:
            raise
        field = next((name for name in names if given[name] is None), names[-1])
        raise InvalidParameter(str(error), field=field) from None


def calibrate(
    *, epsilon: float | None = None, delta: float | None = None, sigma: float | None = None
) -> dict[str, float]:
    """Two of epsilon, delta and sigma give the third, exactly for the Gaussian mechanism and rounded to the safe side.

    >>> import jme
    >>> round(jme.calibrate(epsilon=1, delta=1e-6)["sigma"], 3)
    4.225
    """
    answer: dict[str, float] = _answer(_core.calibrate, {"epsilon": epsilon, "delta": delta, "sigma": sigma})
    return answer


def account(
    *,
    sampling_rate: float,
    steps: int | None = None,
    epochs: float | None = None,
    delta: float,
    sigma: float | None = None,
    epsilon: float | None = None,
    sampling: str | None = None,
    bands: int | None = None,
    adjacency: str | None = None,
) -> dict[str, float]:
    """What training on sampled batches costs (with `sigma`), or the noise that it needs (with `epsilon`).

    `sampling` is "poisson" (the default), "cyclic-poisson" or "allocation". The latter two allow noise that is
    shaped by a matrix with `bands` bands and columns of norm 1.

    >>> import jme
    >>> cost = jme.account(sampling="allocation", sampling_rate=0.01, bands=10, epochs=4, delta=1e-6, sigma=1)
    >>> cost["turns"], cost["epochs"]
    (10, 4)
    """
    answer: dict[str, float] = _answer(_core.account, dict(locals()))
    return answer


def shape(
    workload: Any = "mean",
    shape: Any = "auto",
    *,
    rows: int | str | None = None,
    steps: int | str | None = None,
    every: int | None = None,
    objective: str | None = None,
    max_state_vectors: int | None = None,
) -> dict[str, Any]:
    """How good a noise shape is for a workload: the root mean square and the largest noise of a release.

    >>> import jme
    >>> jme.shape("prefix", "identity", steps=4)["max"]
    2.0
    """
    answer: dict[str, Any] = json.loads(
        _core.shape(
            *_words(
                {
                    "workload": workload,
                    "shape": shape,
                    "rows": rows,
                    "steps": steps,
                    "every": every,
                    "objective": objective,
                    "max_state_vectors": max_state_vectors,
                }
            )
        )
    )
    return answer


def sensitivity(
    *,
    dimension: int,
    norm_bound: float,
    rows: int | str | None = None,
    steps: int | str | None = None,
    every: int | None = None,
    lambda_: float | None = None,
    workload: Any = None,
    workload2: Any = None,
    shape: Any = None,
    shape2: Any = None,
    adjacency: str | None = None,
    participations: int | None = None,
    separation: int | None = None,
    batch: int | None = None,
    squares: str | None = None,
) -> dict[str, float]:
    """How far one person can move both moments, and the largest weight at which the second one is free.

    >>> import jme
    >>> jme.sensitivity(dimension=10, norm_bound=1, steps=1000, shape="identity")["sensitivity_first"]
    2.0
    """
    answer: dict[str, float] = json.loads(_core.sensitivity(*_words(dict(locals()))))
    return answer


class Ledger:
    """The streams of a state folder and what they spent together. It only reads."""

    def __init__(self, state: str | os.PathLike[str], delta: float | None = None) -> None:
        self.state = os.fspath(state)
        if delta is not None and not isinstance(delta, (int, float, numbers.Real)):
            kind = _settings.type_name(delta)
            raise InvalidParameter(f"delta: must be a number in (0, 1), not {kind}", field="delta")
        contents = json.loads(_core.ledger(self.state, delta))
        self.streams: list[dict[str, Any]] = contents["streams"]
        self.total: list[dict[str, Any]] = contents["total"]
        #: Damaged streams of which only the file is known: no total has what they spent.
        self.unknown: int = contents["unknown"]

    def spent(self, source: str = "default") -> float:
        """mu of all streams on this source together, infinite where one protects nobody."""
        spent = 0.0
        for stream in self.streams:
            if stream.get("source") == source:
                spent += float("inf") if stream["insecure"] else stream["mu"] ** 2
        return float(spent**0.5)

    def __repr__(self) -> str:
        incomplete = f", {self.unknown} of them unknown" if self.unknown else ""
        return f"<jme.Ledger of {self.state}: {len(self.streams)} streams{incomplete}>"

    def _repr_html_(self) -> str:
        return _html.ledger(self)
