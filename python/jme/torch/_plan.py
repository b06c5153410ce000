"""What is public before the first batch, as the engine takes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .. import _core
from ..errors import InvalidParameter

T = TypeVar("T")

# The engine's names of what has another one here.
KEYWORDS = {
    "batch": "batch_size",
    "beta1": "betas",
    "beta2": "betas",
    "decay": "betas",
    "dimension": "params",
    "learning_rate": "lr",
    "norm_bound": "clip",
    "sampling_rate": "batch_size",
}


def named(work: Callable[[], T]) -> T:
    """What `work` returns; an error about a setting names it as it is called here."""
    try:
        return work()
    except InvalidParameter as error:
        known = str(error.field)
        keyword = KEYWORDS.get(known)
        if keyword is None:
            raise
        text = str(error)
        if text.startswith(known):
            text = keyword + text[len(known) :]
        raise InvalidParameter(text, field=keyword) from None


def wrong(field: str, rule: str) -> InvalidParameter:
    return InvalidParameter(f"{field}: {rule}", field=field)


def whole(field: str, value: Any) -> int:
    """A number of things, of which there is at least one."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise wrong(field, "must be a whole number of at least 1")
    return int(value)


def square_layers(bounds: float | Sequence[float] | None, sizes: Sequence[int]) -> list[tuple[int, float]]:
    """One bound for all coordinates, or one for each parameter in its order."""
    if bounds is None:
        return []
    if not isinstance(bounds, Sequence):
        return [(sum(sizes), float(bounds))]
    if len(bounds) != len(sizes):
        raise wrong("square_clip", f"must be one number, or one for each of the {len(sizes)} parameters")
    return [(size, float(bound)) for size, bound in zip(sizes, bounds, strict=True)]


def sum_error(examples: int, batch_size: float, rate: float) -> float:
    """Sums are made in double and rounded once, whatever the order (src/training/GUARANTEES.md)."""
    if rate < 1:
        return named(lambda: _core.clipped_sum_error(examples, rate))
    return batch_size * 2.0**-24 + batch_size**2 * 2.0**-53
